"""A vault's own questions, asked with and without the notes that answer them -> its threshold for not answering.

The notes' own sentences are the questions, thinned to half of their words: nobody asks in the words of the answer. They
are no people's questions all the same, so they do not set the threshold: they move the default, which was found on
people's questions, by as much as the search is surer in this vault, or less sure, than it usually is when the note is
hidden. That depends on a vault's size, its language and its embedder.
"""

import math
from dataclasses import replace

from graphrag.answers.dispatch import answer_policy, find
from graphrag.domain.query import NO_FILTERS
from graphrag.domain.report import Calibration, Progress
from graphrag.errors import VaultError
from graphrag.evaluate.evaluation import make_cases
from graphrag.evaluate.made_cases import CaseKind, MadeCase, MakePlan
from graphrag.retrieve.confidence import DEFAULT_CONFIDENCE
from graphrag.vault.open_snapshot import OpenSnapshot

_FEWEST = 10  # pairs, below which their share says little
_REFUSED = 0.85  # the quantile of the confidences that is compared
_USUAL = 0.45  # that quantile in the vaults on which the default was found: 0.51, 0.48 and 0.40
_REACH = 1.0  # how far the threshold may be moved, in logits


def calibrate(opened: OpenSnapshot, count: int, seed: int, progress: Progress) -> Calibration:
    """Return the threshold that fits this vault, found on at most `count` of its notes, and keep it.

    Raises:
        VaultError: the vault has too few notes with a telling sentence.
    """
    cases = make_cases(opened, MakePlan((CaseKind.KNOWN_ITEM,), count, seed), progress)
    if len(cases) < _FEWEST:
        raise VaultError(f"{len(cases)} notes have a sentence to ask by, and {_FEWEST} are needed. The default stays.")
    held: list[float] = []
    hidden: list[float] = []
    for done, case in enumerate(cases):
        progress("questions", done, len(cases))
        held.append(_confidence(opened, case, frozenset()))
        hidden.append(_confidence(opened, case, frozenset(case.relevant)))
    progress("questions", len(cases), len(cases))
    before = answer_policy(opened.parts, opened.readers.manifest).min_confidence
    threshold = choose_threshold(hidden)
    found = Calibration(
        min_confidence=round(threshold, 4),
        embedder=opened.readers.manifest.fingerprints.embedder,
        pairs=len(cases),
        answered=1 - _share_below(held, threshold),
        refused=_share_below(hidden, threshold),
        answered_before=1 - _share_below(held, before),
        refused_before=_share_below(hidden, before),
    )
    opened.parts.calibration.write(found)
    return found


def choose_threshold(hidden: list[float]) -> float:
    """Return the default, moved as far as these questions lie from where such without an answer usually lie."""
    place = min(len(hidden) - 1, math.ceil(_REFUSED * len(hidden)))
    shift = _logit(sorted(hidden)[place]) - _logit(_USUAL)
    return 1 / (1 + math.exp(-_logit(DEFAULT_CONFIDENCE) - min(max(shift, -_REACH), _REACH)))


def _confidence(opened: OpenSnapshot, case: MadeCase, hidden: frozenset[str]) -> float:
    policy = replace(opened.parts.search_policy(), hidden=hidden)
    return find(opened, _thinned(opened, case.question), NO_FILTERS, policy).result.evidence.confidence


def _thinned(opened: OpenSnapshot, sentence: str) -> str:
    """Return every other word of a sentence."""
    return " ".join(opened.readers.tokenizer.tokenize_query(sentence)[::2])


def _share_below(confidences: list[float], threshold: float) -> float:
    return sum(value < threshold for value in confidences) / len(confidences)


def _logit(probability: float) -> float:
    bounded = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(bounded / (1 - bounded))
