"""Every fake stands in for a port: mypy holds each to it here."""

from graphrag.domain.ports import (
    ChatModel,
    ChunkReader,
    ChunkWriter,
    Embedder,
    GraphReader,
    GraphWriter,
    PresentVault,
    Reranker,
    TokenWeigher,
    WeightReader,
)
from graphrag.evaluate.outcomes import Assessor
from tests.fakes.app import WholeMarks
from tests.fakes.chat import ScriptedChat, TurnByTurnChat
from tests.fakes.chunk_store import MemoryChunkReader, MemoryChunkWriter, MemoryWeightReader
from tests.fakes.embedder import HashingEmbedder, WeighingEmbedder
from tests.fakes.graph_store import MemoryGraphReader, MemoryGraphWriter
from tests.fakes.leanote.source import MemorySource
from tests.fakes.leanote.targets import FakeTargets
from tests.fakes.readers import AllHeld
from tests.fakes.reranker import OverlapReranker
from vault_sync.leanote.account import LeanoteSource
from vault_sync.leanote.convert.link_writer import Targets

EMBEDDERS: tuple[type[Embedder], ...] = (HashingEmbedder, WeighingEmbedder)
WEIGHERS: tuple[type[TokenWeigher], ...] = (WeighingEmbedder,)
RERANKERS: tuple[type[Reranker], ...] = (OverlapReranker,)
CHAT_MODELS: tuple[type[ChatModel], ...] = (ScriptedChat, TurnByTurnChat)
CHUNK_WRITERS: tuple[type[ChunkWriter], ...] = (MemoryChunkWriter,)
CHUNK_READERS: tuple[type[ChunkReader], ...] = (MemoryChunkReader,)
WEIGHT_READERS: tuple[type[WeightReader], ...] = (MemoryWeightReader,)
GRAPH_WRITERS: tuple[type[GraphWriter], ...] = (MemoryGraphWriter,)
GRAPH_READERS: tuple[type[GraphReader], ...] = (MemoryGraphReader,)
PRESENT_VAULTS: tuple[type[PresentVault], ...] = (AllHeld,)
ASSESSORS: tuple[type[Assessor], ...] = (WholeMarks,)
LEANOTE_SOURCES: tuple[type[LeanoteSource], ...] = (MemorySource,)
TARGETS: tuple[type[Targets], ...] = (FakeTargets,)
