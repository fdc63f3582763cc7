import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from graphrag.errors import NoteUnreadable, SourceRefused, SourceUnavailable
from tests.fakes.leanote.account import seeded_account
from tests.fakes.leanote.server import LeanoteServer, Trouble, running_leanote
from tests.unit.vault_sync.leanote.sources import ANY_NOTE, image_of, listed, open_source
from vault_sync.leanote.account import FileKind, FileRef, NoteListing
from vault_sync.leanote.sources.api import ApiSource
from vault_sync.leanote.sources.api_client import Credentials, Patience, read_address

HASTY = Patience(connect_seconds=0.3, silence_seconds=0.2, tries=2)


def test_a_prefix_a_scheme_and_a_port_are_understood() -> None:
    with running_leanote(seeded_account(), prefix="/notes/app") as server:
        for host in (server.host, f"{server.host}/", f"{server.host}/api/"):
            source = ApiSource(host, Credentials("lin@example.org", server.account.password))
            assert source.checkpoint() and source.label == server.host.removeprefix("http://")
            source.close()
    assert read_address("notes.example.org").url == "https://notes.example.org"
    assert read_address("https://[::1]:9000/x/").url == "https://[::1]:9000/x"
    assert read_address("http://notes.example.org", allow_plain_http=True).label == "notes.example.org"


@pytest.mark.parametrize(
    "host",
    [
        "http://notes.example.org",
        "http://127.example.org",
        "https://lin:geheim@notes.example.org",
        "https://",
        "ftp://notes.example.org",
        "https://notes.example.org/?token=geheim",
        "https://notes.example.org:99999",
        "https://[::1",
        "https://a b",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(host: str) -> None:
    with pytest.raises(SourceRefused) as caught:
        ApiSource(host, Credentials("lin", "geheim"))
    assert "geheim" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_wrong_password_is_one_clear_line(server: LeanoteServer) -> None:
    source = open_source(server, password="falsch-9")
    with pytest.raises(SourceRefused, match="the user or the password is wrong") as caught:
        source.checkpoint()
    assert "falsch-9" not in str(caught.value) and "\n" not in str(caught.value)
    assert server.counts() == {"auth/login": 1}
    source.close()


def test_a_token_works_without_a_password_until_it_is_refused(server: LeanoteServer) -> None:
    server.api.tokens.add("65f0a1b2c3d4e5f6deadbeef")
    source = open_source(server, token="65f0a1b2c3d4e5f6deadbeef")
    assert source.checkpoint()
    server.expire_tokens()
    with pytest.raises(SourceRefused, match="the token is not accepted") as caught:
        source.notebooks()
    assert "deadbeef" not in str(caught.value)
    source.close()
    assert not server.counts()["auth/login"] and not server.counts()["auth/logout"]


def test_an_expired_login_is_renewed_once(server: LeanoteServer, api_source: ApiSource) -> None:
    notes = list(api_source.notes())
    server.expire_tokens()
    assert api_source.body(notes[0]) is not None
    assert server.counts()["auth/login"] == 2


def test_an_expired_login_does_not_make_files_look_missing(server: LeanoteServer, api_source: ApiSource) -> None:
    account = server.account
    api_source.checkpoint()
    for ref in (
        image_of(account, "边城"),
        FileRef(account.notes[account.keys["边城"]].attachments[0], FileKind.ATTACHMENT),
    ):
        server.expire_tokens()
        assert api_source.file(ref, ANY_NOTE) == account.files[ref.kind.value, ref.id].data


def test_a_server_that_forgets_every_login_is_refused(
    server: LeanoteServer, api_source: ApiSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.api, "tokens", frozenset(), raising=False)
    monkeypatch.setattr(type(server.api), "_login", lambda *_: {"Ok": True, "Token": "x"})
    with pytest.raises(SourceRefused, match="forgets the login"):
        api_source.notebooks()
    assert server.counts()["auth/login"] == 2


@pytest.mark.parametrize("trouble", [Trouble.SERVER_ERROR, Trouble.HTML, Trouble.GARBAGE, Trouble.EMPTY, Trouble.CUT])
def test_trouble_that_passes_is_waited_out(
    server: LeanoteServer, api_source: ApiSource, waits: list[float], trouble: Trouble
) -> None:
    server.fail(trouble, 3, action="note/getNotes")
    assert len(listed(api_source)) == len(server.account.notes)
    assert server.counts()["note/getNotes"] == 4
    assert 0.5 <= waits[0] <= 1.5 and 1 <= waits[1] <= 3 and 2 <= waits[2] <= 6


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (Trouble.HTML, "not a Leanote server: auth/login answers with a web page"),
        (Trouble.GARBAGE, "not a Leanote server: auth/login answers with something that is not JSON"),
        (Trouble.EMPTY, "not a Leanote server: auth/login answers with nothing"),
        (Trouble.NOT_FOUND, "not a Leanote server: auth/login answers 404"),
        (Trouble.REDIRECT, "redirects to http://127.0.0.1, which is not followed"),
    ],
)
def test_another_service_is_refused_by_name(
    server: LeanoteServer, api_source: ApiSource, trouble: Trouble, words: str
) -> None:
    server.fail(trouble, 20)
    with pytest.raises(SourceRefused, match=words) as caught:
        api_source.checkpoint()
    assert "\n" not in str(caught.value)
    assert len(server.seen) <= 4
    server.troubles.clear()


@pytest.mark.parametrize(("trouble", "words"), [(Trouble.SERVER_ERROR, "500"), (Trouble.CUT, "broke off")])
def test_a_server_in_trouble_is_unavailable(
    server: LeanoteServer, api_source: ApiSource, trouble: Trouble, words: str
) -> None:
    server.fail(trouble, 20)
    with pytest.raises(SourceUnavailable, match=words):
        api_source.checkpoint()
    assert len(server.seen) == 4
    server.troubles.clear()


def test_pages_in_the_middle_of_an_import_mean_trouble_and_no_other_service(
    server: LeanoteServer, api_source: ApiSource
) -> None:
    api_source.checkpoint()
    server.fail(Trouble.HTML, 20)
    with pytest.raises(SourceUnavailable, match="web page"):
        api_source.notebooks()
    server.troubles.clear()


def test_a_server_that_never_answers_is_given_up(server: LeanoteServer) -> None:
    source = open_source(server, patience=HASTY)
    server.fail(Trouble.STALL, 2)
    with pytest.raises(SourceUnavailable, match="does not answer in time"):
        source.checkpoint()
    assert source.checkpoint()
    source.close()


def test_an_answer_without_end_is_cut_by_the_clock(server: LeanoteServer) -> None:
    source = open_source(server, patience=replace(HASTY, answer_seconds=0.05))
    server.fail(Trouble.ENDLESS, 2)
    with pytest.raises(SourceUnavailable, match="does not answer in time"):
        source.checkpoint()
    server.released.set()


def test_nothing_listens(server: LeanoteServer) -> None:
    source = ApiSource("http://127.0.0.1:9", Credentials("lin", "geheim"), patience=HASTY, wait=lambda seconds: None)
    with pytest.raises(SourceUnavailable, match="no connection"):
        source.checkpoint()


def test_a_note_that_the_server_stumbles_over_is_told_and_the_rest_read(
    server: LeanoteServer, api_source: ApiSource
) -> None:
    notes = listed(api_source)
    server.fail(Trouble.SERVER_ERROR, 4, action="note/getNoteAndContent")
    with pytest.raises(NoteUnreadable, match="this note alone"):
        api_source.body(notes[server.account.keys["边城"]])
    assert api_source.body(notes[server.account.keys["待办"]])


def test_the_password_and_the_token_go_to_the_given_host_only_and_stand_in_no_address(
    server: LeanoteServer, api_source: ApiSource, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with running_leanote(seeded_account()) as elsewhere:
        server.elsewhere = f"{elsewhere.host}/api/user/info?stolen=1"
        notes = list(api_source.notes())
        server.fail(Trouble.REDIRECT, 1, action="note/getNoteAndContent")
        with pytest.raises(SourceRefused):
            api_source.body(notes[0])
        assert not elsewhere.seen
    (token,) = server.api.tokens
    secrets = (server.account.password, token)
    assert {request.host for request in server.seen} == {server.host.removeprefix("http://")}
    assert not any(secret in request.target for request in server.seen for secret in secrets)
    assert all(request.parameters.get("token", token) == token for request in server.seen)
    assert not any(secret in caplog.text for secret in secrets)
    assert not any(secret in repr((api_source, Credentials("lin", *secrets))) for secret in secrets)


def test_two_requests_at_a_time_and_one_login(server: LeanoteServer, api_source: ApiSource) -> None:
    notes = [replace(ANY_NOTE, id=note_id) for note_id in list(server.account.notes)[:60]]
    ready = threading.Barrier(6)

    def read(note: NoteListing) -> str:
        if note in notes[:6]:
            ready.wait(5)
        return api_source.body(note)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(read, notes))
    assert server.most_busy <= 2
    assert server.counts()["auth/login"] == 1


def test_closing_gives_the_login_back(server: LeanoteServer) -> None:
    source = open_source(server)
    source.checkpoint()
    source.close()
    assert not server.api.tokens


def test_a_login_that_cannot_be_given_back_is_told(server: LeanoteServer) -> None:
    source = open_source(server)
    source.checkpoint()
    server.fail(Trouble.SERVER_ERROR, action="auth/logout")
    source.close()
    (problem,) = source.problems()
    assert problem.where == "log out" and "500" in problem.message


def test_a_server_that_fails_on_note_after_note_is_given_up(server: LeanoteServer, api_source: ApiSource) -> None:
    notes = list(listed(api_source).values())
    server.fail(Trouble.SERVER_ERROR, 1000, action="note/getNoteAndContent")
    for note in notes[:9]:
        with pytest.raises(NoteUnreadable):
            api_source.body(note)
    with pytest.raises(SourceUnavailable, match=r"10 notes failed one after the other, the last so: .*this note alone"):
        api_source.body(notes[9])


def test_notes_that_fail_now_and_then_do_not_add_up(server: LeanoteServer, api_source: ApiSource) -> None:
    known = next(iter(listed(api_source).values()))
    for _ in range(12):
        with pytest.raises(NoteUnreadable):
            api_source.body(replace(known, id="f" * 24))
        api_source.body(known)
