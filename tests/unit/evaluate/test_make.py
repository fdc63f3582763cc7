import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from graphrag.domain.note import Chunk, Link, LinkKind, Note, ResolvedLink, TargetKind
from graphrag.domain.query import Filters
from graphrag.evaluate.cases import read_cases
from graphrag.evaluate.made_cases import (
    CaseKind,
    CaseMaker,
    MadeCase,
    MakePlan,
    TellingSentences,
    case_lines,
    paths_without,
)
from graphrag.language.sentences import answer_sentences
from graphrag.stores.lance_conditions import to_predicate
from tests.fakes.notes import make_note
from tests.fakes.readers import open_readers

FORM = "今天天气很好，什么也没有发生过。"
NOTES = {
    "支付/支付模块.md": ["支付模块跨越账户与订单两个系统。", f"补偿由死信触发，最多重放七回。{FORM}"],
    "支付/退款.md": [f"信用卡退回原路需要三到七个工作日。{FORM}"],
    "队列/消息.md": [f"消费失败按指数退避，然后进入死信。{FORM}"],
    "队列/积压.md": [f"积压时先扩消费者，再查慢查询的来源。{FORM}"],
    "短.md": ["短。"],
}


class Held:
    """Everything is in the vault but the notes named gone; passages that hold a word named secret are private now."""

    def __init__(self, gone: Sequence[str] = (), secret: str = "\0") -> None:
        self._gone = gone
        self._secret = secret

    def look(self) -> Callable[[Chunk], str]:
        return lambda chunk: "private" if chunk.note in self._gone or self._secret in chunk.text else ""

    def is_gone(self, path: str) -> bool:
        return path in self._gone


def link(source: str, target: str) -> ResolvedLink:
    return ResolvedLink(Link(target, LinkKind.WIKI, 1, target), source, target, TargetKind.NOTE)


def make(
    kinds: Sequence[CaseKind] = tuple(CaseKind),
    *,
    notes: Mapping[str, Sequence[str]] = NOTES,
    links: Sequence[ResolvedLink] = (),
    details: Sequence[Note] = (),
    present: Held | None = None,
    count: int = 10,
    seed: int = 1,
    is_question: Callable[[str], bool] = lambda _: True,
) -> tuple[MadeCase, ...]:
    readers = open_readers(notes, links, details=details)
    sentences = TellingSentences(readers.chunks, readers.tokenizer, readers.manifest.chunk_count, answer_sentences)
    maker = CaseMaker(readers.graph, present or Held(), sentences, is_question)
    return maker.make(MakePlan(tuple(kinds), count, seed), lambda *_: None)


def test_a_known_item_is_asked_by_a_telling_sentence_without_its_title() -> None:
    made = {case.relevant: case for case in make([CaseKind.KNOWN_ITEM])}
    assert made.keys() == {(path,) for path in NOTES if path != "短.md"}
    case = made[("支付/支付模块.md",)]
    assert case.question == "补偿由死信触发，最多重放七回。"
    assert case.evidence == (case.question,)
    assert made[("队列/积压.md",)].question.startswith("积压时")  # its other sentence is a form
    assert FORM not in {item.question for item in made.values()}


def test_a_title_is_in_the_question_where_every_sentence_has_it() -> None:
    (case,) = make([CaseKind.KNOWN_ITEM], notes={"积压.md": ["积压时先扩消费者，再查慢查询。"]})
    assert case.question == "积压时先扩消费者，再查慢查询。"


def test_block_ids_addresses_and_code_are_no_sentences() -> None:
    odd = ["^10500316-7BZJlMrqF", "见 https://example.com/a/b 的说明", "retry(count) 再调用 close(handle)"]
    assert make([CaseKind.KNOWN_ITEM], notes={"a.md": odd}) == ()


def test_notes_of_one_sentence_are_all_relevant_and_a_form_is_none() -> None:
    copied = {f"{name}.md": ["信用卡退回原路需要三到七个工作日。"] for name in "ab"}
    (case,) = make([CaseKind.KNOWN_ITEM], notes=copied)
    assert case.relevant == ("a.md", "b.md")
    assert make([CaseKind.KNOWN_ITEM], notes={f"{name}.md": [FORM] for name in "abcd"}) == ()


def test_an_alias_asks_for_every_note_of_that_name() -> None:
    details = [
        replace(make_note("支付/支付模块.md"), aliases=("Payments", "支付模块")),
        replace(make_note("队列/消息.md"), title="payments"),
    ]
    (case,) = make([CaseKind.ALIAS], details=details)
    assert (case.question, case.relevant) == ("What is Payments?", ("支付/支付模块.md", "队列/消息.md"))
    chinese = [replace(make_note("支付/退款.md"), aliases=("钱怎么回来",))]
    assert [case.question for case in make([CaseKind.ALIAS], details=chinese)] == ["钱怎么回来是什么？"]


def test_a_link_pair_needs_a_sentence_of_each_end() -> None:
    (case,) = make([CaseKind.LINK_PAIR], links=[link("队列/消息.md", "支付/退款.md"), link("短.md", "队列/消息.md")])
    assert case.relevant == ("支付/退款.md", "队列/消息.md")
    assert case.question == "信用卡退回原路需要三到七个工作日；消费失败按指数退避，然后进入死信"
    assert case.evidence == ("信用卡退回原路需要三到七个工作日。", "消费失败按指数退避，然后进入死信。")


def test_an_unanswerable_question_hides_the_only_note_that_answers_it() -> None:
    made = make([CaseKind.UNANSWERABLE])
    assert made
    for case in made:
        assert case.relevant == case.evidence == ()
        (own,) = (path for path, texts in NOTES.items() if any(case.question in text for text in texts))
        readers = open_readers(NOTES)
        found = readers.chunks.search_text(
            readers.tokenizer.tokenize_query(case.question), 50, Filters(paths=case.paths)
        )
        assert own not in {hit.chunk.note for hit in found}
        assert readers.chunks.count(Filters(paths=case.paths)) >= len(NOTES) - 1


def test_a_sentence_whose_words_others_hold_too_is_no_unanswerable_question() -> None:
    shared = {"a.md": ["信用卡退回原路需要七个工作日。"], "b.md": ["信用卡 退回 原路 需要 七个 工作日 其他 说法"]}
    assert "信用卡退回原路需要七个工作日。" not in {
        case.question for case in make([CaseKind.UNANSWERABLE], notes=shared)
    }


def test_nothing_is_made_of_what_is_gone_or_private_now() -> None:
    details = [replace(make_note("支付/退款.md"), aliases=("退钱",))]
    links = [link("队列/消息.md", "支付/退款.md")]
    made = make(details=details, links=links, present=Held(gone=["支付/退款.md"]))
    assert "退款" not in case_lines(made) and "信用卡" not in case_lines(made)
    assert {case.kind for case in made} == {CaseKind.KNOWN_ITEM, CaseKind.UNANSWERABLE}
    assert "死信" not in case_lines(make(present=Held(secret="死信")))


def test_the_same_seed_makes_the_same_cases_and_another_one_others() -> None:
    notes = {f"{name}.md": [f"编号{name}的机器放在{name}号机柜的第{name}层。"] for name in "qwertyuiopas"}
    first, again, other = (make([CaseKind.KNOWN_ITEM], notes=notes, count=4, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == len(other) == 4
    together = make([CaseKind.UNANSWERABLE, CaseKind.KNOWN_ITEM], notes=notes, count=4)
    assert tuple(case for case in together if case.kind is CaseKind.KNOWN_ITEM) == first


def test_a_text_that_is_read_as_a_filter_is_no_question() -> None:
    assert make([CaseKind.KNOWN_ITEM], is_question=lambda text: "死信" not in text)
    assert all("死信" not in case.question for case in make(is_question=lambda text: "死信" not in text))


def test_a_file_of_made_cases_is_read_back(tmp_path: Path) -> None:
    details = [replace(make_note("支付/退款.md"), aliases=("退钱",))]
    made = make(links=[link("队列/消息.md", "支付/退款.md")], details=details)
    assert {case.kind for case in made} == set(CaseKind)
    path = tmp_path / "cases.jsonl"
    path.write_text(case_lines(made), encoding="utf-8")
    cases = read_cases(path)
    assert [case.question for case in cases] == [case.question for case in made]
    assert [tuple(target.note for target in case.relevant or ()) for case in cases] == [case.relevant for case in made]
    assert [case.filters.paths for case in cases] == [case.paths for case in made]
    first = json.loads(case_lines(made).splitlines()[0])
    assert (first["id"], first["kind"]) == ("known_item-001", "known_item")


names = st.sampled_from(["a", "b", "ab", "c.md", "d.md"])
paths = st.lists(names, min_size=1, max_size=4).map("/".join).filter(lambda path: path.endswith(".md"))


@given(note=paths, others=st.frozensets(paths, max_size=20), most=st.integers(1, 6))
def test_the_filter_that_hides_a_note_lets_only_others_through(note: str, others: frozenset[str], most: int) -> None:
    chosen = paths_without(note, {note, *others}, most)
    assert len(chosen) <= most
    assert to_predicate(Filters(paths=chosen)) or not chosen
    passing = {other for other in {note, *others} if any(f"{other}/".startswith(f"{path}/") for path in chosen)}
    assert note not in passing
    every = paths_without(note, {note, *others}, 1000)
    held = {other for other in others if any(f"{other}/".startswith(f"{path}/") for path in every)}
    # A "folder" named like the note itself, as in c.md/d.md, cannot be let through without it.
    assert held == {other for other in others - {note} if not f"{other}/".startswith(f"{note}/")} - {
        other for other in others if f"{note}/".startswith(f"{other}/")
    }
