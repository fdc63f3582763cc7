"""Models like BGE-M3 and its reranker with random weights and two layers: they load in a moment and mean nothing."""

from pathlib import Path
from typing import Any

_SIZE = 32
_WORDS = 400
_POSITIONS = 66  # two of them are not for tokens
_LINES = (
    "支付模块选择 Saga 方案。银行通道做不到 TCC 的三个接口。",
    "失败的消息最多重试三次，由 retry_count 控制。",
    "番茄炖牛腩先焯水，再用热水冲洗。",
    "The failed call is repeated three times before it is given up.",
)


def write_embedding_model(folder: Path) -> None:
    """Write a model with what FlagEmbedding expects beside its weights."""
    import torch
    from transformers import XLMRobertaModel

    _write_tokenizer(folder)
    torch.manual_seed(7)
    XLMRobertaModel(_config()).save_pretrained(folder)
    head = torch.nn.Linear(_SIZE, 1)
    torch.nn.init.constant_(head.bias, 1.0)  # else no token may count for anything
    torch.save(head.state_dict(), folder / "sparse_linear.pt")
    torch.save(torch.nn.Linear(_SIZE, _SIZE).state_dict(), folder / "colbert_linear.pt")


def write_reranking_model(folder: Path) -> None:
    """Write a cross-encoder."""
    import torch
    from transformers import XLMRobertaForSequenceClassification

    _write_tokenizer(folder)
    torch.manual_seed(7)
    XLMRobertaForSequenceClassification(_config(num_labels=1)).save_pretrained(folder)


def write_onnx_model(folder: Path, name: str) -> None:
    """Write an ONNX model that averages its tokens' vectors, with the files that FastEmbed expects beside it."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    _write_tokenizer(folder)
    vectors = np.random.default_rng(7).standard_normal((_WORDS, _SIZE)).astype(np.float32)
    constants = [numpy_helper.from_array(vectors, "vectors"), numpy_helper.from_array(np.array([1]), "one")]
    constants.append(numpy_helper.from_array(np.array([2]), "two"))
    steps = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["words"]),
        helper.make_node("Cast", ["attention_mask"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["numbers", "two"], ["mask"]),
        helper.make_node("Mul", ["words", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "one"], ["sums"], keepdims=1),
        helper.make_node("ReduceSum", ["mask", "one"], ["counts"], keepdims=1),
        helper.make_node("Div", ["sums", "counts"], ["last_hidden_state"]),
    ]
    inputs = [
        helper.make_tensor_value_info(key, TensorProto.INT64, ["batch", "length"])
        for key in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", 1, _SIZE])
    graph = helper.make_graph(steps, "tiny", inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, folder / name)


def _config(**values: Any) -> Any:
    from transformers import XLMRobertaConfig

    return XLMRobertaConfig(
        vocab_size=_WORDS,
        hidden_size=_SIZE,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=_POSITIONS,
        initializer_range=0.5,  # with the usual one, all texts come out the same
        **values,
    )


def _write_tokenizer(folder: Path) -> None:
    """Train a tokenizer on a few lines."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import XLMRobertaTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=300, special_tokens=special, unk_token="<unk>")
    tokenizer.train_from_iterator(_LINES * 5, trainer)
    XLMRobertaTokenizerFast(tokenizer_object=tokenizer, model_max_length=512).save_pretrained(folder)
