"""Tokens: what lets a request in, what is kept of them, and what several processes see."""

import os
import sqlite3
import stat
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from graphrag.domain.access import NO_LIMIT, AccessToken, Denial, Limit, Scope
from graphrag.domain.graph import Facet
from graphrag.errors import ConfigError, QuestionError, StoreError
from graphrag.stores.access_records import ACCESS_FILE
from graphrag.vault.access_control import (
    OWN_NAME,
    PREFIX,
    AccessTokens,
    limit_text,
    read_expiry,
    read_limit,
    unknown_names,
)

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
LATER = NOW + timedelta(days=30)


@pytest.fixture
def tokens(tmp_path: Path) -> AccessTokens:
    return AccessTokens(tmp_path)


def test_a_token_is_let_in_within_its_scope_and_only_with_its_secret(tokens: AccessTokens) -> None:
    limit = Limit(("工作",), ("支付", "a b"))
    secret = tokens.create("手机", Scope.ASK, limit, LATER, NOW)
    assert secret.startswith(PREFIX) and len(secret) == len(PREFIX) + 43
    for needed in (Scope.READ, Scope.ASK):
        admitted = tokens.admit(secret, needed, "127.0.0.1", NOW)
        assert isinstance(admitted, AccessToken)
        assert (admitted.name, admitted.scope, admitted.limit) == ("手机", Scope.ASK, limit)
    assert tokens.admit(secret, Scope.ADMIN, "127.0.0.1", NOW) is Denial.SCOPE
    for wrong in ("", secret[:-1], secret + "x", secret.swapcase(), "grag_", "\udcff", "\0"):
        assert tokens.admit(wrong, Scope.READ, "127.0.0.1", NOW) is Denial.UNKNOWN


def test_only_a_hash_is_kept_for_the_owner_alone(tokens: AccessTokens, tmp_path: Path) -> None:
    secrets = [tokens.create(f"t{number}", Scope.READ) for number in range(3)]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert not any(secret.removeprefix(PREFIX).encode() in kept for secret in secrets)
    assert len(set(secrets)) == 3
    assert stat.S_IMODE((tmp_path / ACCESS_FILE).stat().st_mode) == 0o600


def test_the_mode_does_not_depend_on_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        AccessTokens(tmp_path).create("a", Scope.READ)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / ACCESS_FILE).stat().st_mode) == 0o600


def test_what_another_process_changes_counts_from_the_next_request_on(tokens: AccessTokens, tmp_path: Path) -> None:
    secret, other = tokens.create("a", Scope.READ), AccessTokens(tmp_path)
    other.disable("a")
    assert tokens.admit(secret, Scope.READ, "", NOW) is Denial.DISABLED
    other.enable("a")
    assert isinstance(tokens.admit(secret, Scope.READ, "", NOW), AccessToken)
    other.delete("a")
    assert tokens.admit(secret, Scope.READ, "", NOW) is Denial.UNKNOWN
    assert tokens.all() == []
    again = other.create("a", Scope.READ)
    assert again != secret
    assert tokens.admit(secret, Scope.READ, "", NOW) is Denial.UNKNOWN


def test_an_expired_token_is_turned_away(tokens: AccessTokens) -> None:
    secret = tokens.create("a", Scope.READ, NO_LIMIT, LATER, NOW)
    assert isinstance(tokens.admit(secret, Scope.READ, "", LATER - timedelta(seconds=1)), AccessToken)
    assert tokens.admit(secret, Scope.READ, "", LATER) is Denial.EXPIRED


@pytest.mark.parametrize(
    ("name", "scope", "limit", "expires", "told"),
    [
        ("", Scope.READ, NO_LIMIT, None, "no name"),
        ("a/b", Scope.READ, NO_LIMIT, None, "no name"),
        ("a\nb", Scope.READ, NO_LIMIT, None, "no name"),
        ("x" * 65, Scope.READ, NO_LIMIT, None, "no name"),
        ("taken", Scope.READ, NO_LIMIT, None, "already"),
        (" taken ", Scope.READ, NO_LIMIT, None, "already"),
        (OWN_NAME, Scope.READ, NO_LIMIT, None, "calls its own token"),
        (f" {OWN_NAME.title()}", Scope.ADMIN, NO_LIMIT, LATER, "calls its own token"),
        (OWN_NAME.replace(" ", "   "), Scope.ASK, Limit(tags=("x",)), None, "calls its own token"),
        ("a", Scope.READ, NO_LIMIT, NOW, "in the past"),
        ("a", Scope.ADMIN, Limit(tags=("x",)), None, "whole vault"),
    ],
)
def test_what_cannot_be_a_token_is_refused(
    tokens: AccessTokens, name: str, scope: Scope, limit: Limit, expires: datetime | None, told: str
) -> None:
    tokens.create("taken", Scope.READ)
    with pytest.raises(ConfigError, match=told):
        tokens.create(name, scope, limit, expires, NOW)
    assert [token.name for token in tokens.all()] == ["taken"]


def test_an_unknown_name_is_told_with_names_near_it(tokens: AccessTokens) -> None:
    tokens.create("phone", Scope.READ)
    for change in (tokens.enable, tokens.disable, tokens.delete):
        with pytest.raises(ConfigError, match="Did you mean: phone"):
            change("phon")
    with pytest.raises(ConfigError, match="token list"):
        tokens.delete("zzz")


def test_the_last_use_is_written_once_a_minute_or_from_another_address(tokens: AccessTokens) -> None:
    secret = tokens.create("a", Scope.READ, now=NOW)
    steps = [(0, "1.1.1.1", 0), (59, "1.1.1.1", 0), (60, "1.1.1.1", 60), (61, "2.2.2.2", 61), (62, "2.2.2.2", 61)]
    for seconds, address, written in steps:
        tokens.admit(secret, Scope.READ, address, NOW + timedelta(seconds=seconds))
        (token,) = tokens.all()
        assert (token.last_used, token.last_address) == (NOW + timedelta(seconds=written), address)


def test_a_use_that_was_denied_is_not_written(tokens: AccessTokens) -> None:
    secret = tokens.create("a", Scope.READ)
    tokens.admit(secret, Scope.ADMIN, "1.1.1.1", NOW)
    assert tokens.all()[0].last_used is None


def test_a_use_that_cannot_be_written_lets_in_all_the_same(
    tokens: AccessTokens, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tokens.create("a", Scope.READ)
    monkeypatch.setattr("graphrag.stores.access_records._LOCK_SECONDS", 0.05)
    with sqlite3.connect(tmp_path / ACCESS_FILE) as writer:
        writer.execute("BEGIN IMMEDIATE")
        assert isinstance(tokens.admit(secret, Scope.READ, "1.1.1.1", NOW), AccessToken)
        writer.rollback()
    writer.close()
    assert "not written down" in caplog.text
    assert secret not in caplog.text


def test_a_damaged_file_lets_nobody_in(tokens: AccessTokens, tmp_path: Path) -> None:
    secret = tokens.create("a", Scope.READ)
    (tmp_path / ACCESS_FILE).write_bytes(b"no database" * 100)
    with pytest.raises(StoreError, match="make the tokens anew"):
        tokens.admit(secret, Scope.READ, "", NOW)


def test_a_file_that_another_process_has_just_begun_holds_no_token(tokens: AccessTokens, tmp_path: Path) -> None:
    (tmp_path / ACCESS_FILE).touch()
    assert tokens.all() == []
    assert tokens.admit("grag_x", Scope.READ, "", NOW) is Denial.UNKNOWN


def test_many_threads_make_and_use_tokens_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def use(number: int) -> None:
        try:
            own = AccessTokens(tmp_path)
            secret = own.create(f"t{number}", Scope.READ)
            for step in range(5):
                assert isinstance(own.admit(secret, Scope.READ, f"10.0.0.{step}", NOW), AccessToken)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(AccessTokens(tmp_path).all()) == 8


@pytest.mark.parametrize(
    ("texts", "limit"),
    [
        ([], NO_LIMIT),
        (["category:工作"], Limit(("工作",))),
        (["category:工作 tag:支付", "tag:支付 tag:b/c"], Limit(("工作",), ("支付", "b/c"))),
        (['category:"a b" tag:"#x y"'], Limit(("a b",), ("#x y",))),
        (["tag：支付"], Limit(tags=("支付",))),
        (["tag:cafe\u0301"], Limit(tags=("café",))),
    ],
)
def test_a_limit_as_text(texts: list[str], limit: Limit) -> None:
    assert read_limit(texts) == limit
    assert read_limit([limit_text(limit)] if texts else []) == limit


@pytest.mark.parametrize("text", ["", "工作", "category:", "path:a", "tag:a since:2024-01-01", "tag:a b", "type:x"])
def test_what_is_no_limit(text: str) -> None:
    with pytest.raises(QuestionError, match="is no limit"):
        read_limit([text])


@pytest.mark.parametrize("name", ["#", "##", "/", "#/", "//", '"#"', '"# /"', '""', '" "', "“”", "“#”"])
@pytest.mark.parametrize("form", ["tag:{}", "category:{}", "tag:支付 tag:{}", "category:{} tag:支付", "tag：{}"])
def test_a_limit_never_has_an_empty_name(form: str, name: str) -> None:
    with pytest.raises(QuestionError, match="a name in it is empty"):
        read_limit(["category:工作", form.format(name)])


def test_names_that_no_note_has() -> None:
    limit = Limit(("工作", "工做"), ("支付", "#支付/核心", "无"))
    known = unknown_names(limit, [Facet("工作", 3)], [Facet("支付", 2), Facet("支付/核心", 1)])
    assert known == [("category", "工做"), ("tag", "无")]


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("12h", timedelta(hours=12)),
        ("30d", timedelta(days=30)),
        ("2w", timedelta(days=14)),
        ("1y", timedelta(days=365)),
        ("90d", timedelta(days=90)),
        ("两周", timedelta(days=14)),
        ("三个月", timedelta(days=90)),
        ("半年", timedelta(days=182.5)),
        ("12 hours", timedelta(hours=12)),
    ],
)
def test_a_token_expires_after_some_time(text: str, after: timedelta) -> None:
    assert read_expiry(text, NOW) == NOW + after


def test_a_token_expires_with_the_end_of_a_day() -> None:
    moment = read_expiry("2026-12-31", NOW)
    assert moment.replace(tzinfo=None) == datetime(2027, 1, 1)
    assert moment.tzinfo is not None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("下个月底", date(2024, 4, 30)),
        ("next Friday", date(2024, 3, 22)),
        ("12月25日", date(2024, 12, 25)),
        ("1月5日", date(2025, 1, 5)),
        ("明年", date(2025, 12, 31)),
    ],
)
def test_a_token_expires_with_the_end_of_a_day_in_words(text: str, day: date) -> None:
    now = datetime(2024, 3, 14, 12, tzinfo=UTC)
    assert read_expiry(text, now).replace(tzinfo=None).date() == day + timedelta(days=1)


@pytest.mark.parametrize("text", ["", " ", "soon", "30", "d", "9999-12-31", "-3d", "3m", "999999999d"])
def test_what_is_no_time_to_expire_at(text: str) -> None:
    with pytest.raises(QuestionError, match="is no time"):
        read_expiry(text, NOW)


@pytest.mark.parametrize("text", ["2026-02-30", "2月30日", "0000-01-01"])
def test_a_token_cannot_expire_on_a_day_that_no_calendar_has(text: str) -> None:
    with pytest.raises(QuestionError, match="the calendar has no"):
        read_expiry(text, NOW)


@pytest.mark.parametrize(
    ("limit", "category", "tags", "is_held"),
    [
        (NO_LIMIT, "", (), True),
        (Limit(("工作",)), "工作", (), True),
        (Limit(("工作",)), "工作/项目", (), True),
        (Limit(("工作",)), "工作室", (), False),
        (Limit(("工作/项目",)), "工作", (), False),
        (Limit(("Work/",)), " work / x", (), True),
        (Limit(("工作",)), "", ("工作",), False),
        (Limit(tags=("#支付",)), "", ("x", "支付/核心"), True),
        (Limit(tags=("支付",)), "支付", (), False),
        (Limit(("a",), ("b",)), "c", ("B",), True),
        (Limit(("",)), "", (), False),
        (Limit(tags=("#",)), "", ("",), False),
    ],
)
def test_which_notes_a_limit_holds(limit: Limit, category: str, tags: tuple[str, ...], is_held: bool) -> None:
    assert limit.holds(category, tags) is is_held
