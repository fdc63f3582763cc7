"""What a running server counts, in the form that Prometheus reads."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Metrics:
    """The counters of one server; a registry of its own, so that two servers of one process do not mix."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "graphrag_requests_total",
            "Requests by endpoint, method and status.",
            ("endpoint", "method", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "graphrag_request_seconds",
            "Time of a request by endpoint.",
            ("endpoint",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.model_seconds = Counter(
            "graphrag_model_seconds_total", "Time that chat models took to write.", registry=self._registry
        )
        self.in_flight = Gauge("graphrag_requests_in_flight", "Requests under way.", registry=self._registry)
        self.generation = Gauge("graphrag_index_generation", "Generation of the index.", registry=self._registry)
        self.notes = Gauge("graphrag_index_notes", "Notes in the index.", registry=self._registry)
        self.embedded = Gauge(
            "graphrag_index_embedded_share", "Share of the passages that have a vector.", registry=self._registry
        )

    def text(self) -> bytes:
        """Return all of them."""
        return generate_latest(self._registry)
