from graphrag.ingest.clean import Edit, MappedText


def test_every_character_knows_its_source() -> None:
    mapped = MappedText.original("0123456789").apply([Edit(1, 3, ""), Edit(3, 5, "abc"), Edit(9, 10, "x")])
    assert mapped.text == "0abc5678x"
    assert mapped.starts.tolist() == [0, 3, 3, 3, 5, 6, 7, 8, 9]
    assert mapped.ends.tolist() == [1, 5, 5, 5, 6, 7, 8, 9, 10]


def test_edits_of_edits_keep_the_whole_replaced_range() -> None:
    mapped = MappedText.original("one two").apply([Edit(0, 3, "12")]).apply([Edit(1, 3, "-")])
    assert mapped.text == "1-two"
    assert mapped.source(1, 2) == (0, 4)


def test_everything_removed() -> None:
    mapped = MappedText.original("abc").apply([Edit(0, 3, "")])
    assert (mapped.text, mapped.locate([0, 3])) == ("", [0, 0])


def test_places_move_to_what_stands_there_or_later() -> None:
    mapped = MappedText.original("abcdef").apply([Edit(1, 4, "X")])
    assert mapped.locate([0, 1, 2, 4, 6]) == [0, 1, 2, 2, 4]


def test_no_edits_give_the_same_text() -> None:
    mapped = MappedText.original("abc")
    assert mapped.apply([]) is mapped
