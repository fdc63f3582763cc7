import pytest

from graphrag.domain.ontology import OntologyProblem
from graphrag.reasoning.turtle import Blank, Text, read_triples

PREFIX = "@prefix : <urn:t#> .\n"


def lines_of(text: str) -> list[tuple[str, str, int]]:
    triples, problems = read_triples("t.ttl", text)
    assert not problems
    return [
        (triple.predicate.rpartition("#")[2], str(triple.object).rpartition("#")[2], triple.place.line)
        for triple in triples
        if isinstance(triple.object, str)
    ]


def test_a_triple_has_the_line_on_which_its_object_starts() -> None:
    text = PREFIX + ":a :p :b ,\n   :c ;\n\n  # a comment\n  :q\n    :d .\n:e :p :f ."
    assert lines_of(text) == [("p", "b", 2), ("p", "c", 3), ("q", "d", 7), ("p", "f", 8)]


def test_brackets_and_long_texts_do_not_shift_the_lines_behind_them() -> None:
    text = PREFIX + ':a :p [ :q :b ;\n  :q\n  :c ] ,\n  """two\nlines""" , :d ;\n  :r ( :x\n :y ) , :e .'
    found = lines_of(text)
    assert [item for item in found if item[0] in "pqr"] == [("q", "b", 2), ("q", "c", 4), ("p", "d", 6), ("r", "e", 8)]
    assert [item for item in found if item[0] == "first"] == [("first", "x", 7), ("first", "y", 7)]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_both_line_ends_count_as_one(line_end: str) -> None:
    text = line_end.join(["@prefix : <urn:t#> .", "", ":a", ":p", ":b ."])
    assert lines_of(text) == [("p", "b", 5)]


def test_nodes_tell_what_they_are() -> None:
    triples, _ = read_triples("t.ttl", PREFIX + ':a :p "名字"@zh, 7, true, "x"^^:date, [] .')
    texts = [Text("名字", "zh"), Text("7", ""), Text("true", ""), Text("x", "")]
    assert [triple.object for triple in triples[:4]] == texts
    assert isinstance(triples[4].object, Blank)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (":a :p :b\n:c :q :d .", 3, "expected '.'"),
        (":a :p :b ;\n\n  x:y :c .", 4, '"x:" not bound'),
        (':a :p "open\n" .', 2, "newline"),
        (":a :p ( :b\n", 2, "found end"),
        (":a :p", 2, "ends inside"),
        (":a :p :b ,\n", 2, "expected"),
        (":a :p :b .\n:c :p <a b> .", 3, "<vault:/ontology/a b> is no IRI"),
        (':a :p :b .\n:c :p "open', 3, "a text has no end"),
        ('"text" :p :b .\n:a :p :b .', 2, "a subject is a text"),
    ],
)
def test_a_syntax_error_is_a_problem_with_its_line(text: str, line: int, words: str) -> None:
    _, (problem,) = read_triples("t.ttl", PREFIX + text)
    assert isinstance(problem, OntologyProblem)
    assert (problem.file, problem.line) == ("t.ttl", line)
    assert words in problem.message


def test_endless_nesting_is_a_problem_too() -> None:
    triples, (problem,) = read_triples("t.ttl", PREFIX + ":a :p " + "[ :p " * 5000)
    assert (triples, problem.line) == ([], 2)
