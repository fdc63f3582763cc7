"""One user's five years in Leanote, the same in every run: some 300 notes, and every trap that the facts name."""

import re
from datetime import UTC, datetime, timedelta

from tests.fakes.leanote.markdown_bodies import MARKDOWN_SAMPLES, Sample
from tests.fakes.leanote.pictures import gif, jpeg, png
from tests.fakes.leanote.records import (
    SITE,
    USER_ID,
    ZONE,
    FakeAccount,
    FakeFile,
    FakeNote,
    FakeNotebook,
    make_id,
)
from tests.fakes.leanote.rich_bodies import RICH_SAMPLES

__all__ = ["SITE", "USER_ID", "FakeAccount", "FakeFile", "FakeNote", "FakeNotebook", "seeded_account"]

PUBLISHED_NOTES = 150  # more than the page of 100 that the server gives by default
DIARY_NOTES = 30
FILLER_NOTES = 90
GONE_ID = make_id(0xFFFF_FF00)
OLD_UPLOAD = f"public/upload/{USER_ID}/images/old-photo.png"

_MARK = re.compile(r"\{\{(\w+)(?::([^}]*))?\}\}")
_TOPICS = (
    "微服务",
    "索引优化",
    "缓存雪崩",
    "消息队列",
    "读写分离",
    "灰度发布",
    "日志采集",
    "容器编排",
    "限流降级",
    "数据备份",
)
_PEOPLE = ("林岚", "陈默", "王小满", "赵知行", "苏晚")
_PLACES = ("杭州", "成都", "苏州", "厦门", "西安", "大理")


def seeded_account() -> FakeAccount:
    """Return a new copy of the account; `keys` names the notebooks and notes that show something."""
    account = FakeAccount()
    _add_notebooks(account)
    for is_markdown, samples in ((True, MARKDOWN_SAMPLES), (False, RICH_SAMPLES)):
        for sample in samples:
            _add_sample(account, sample, is_markdown)
    _resolve_note_marks(account)
    _add_fillers(account)
    _add_attachments(account)
    _add_states(account)
    _add_odd_times(account)
    account.publish_notebook(account.keys["公开"])
    return account


def _add_notebooks(account: FakeAccount) -> None:
    for title in ("life", "study", "work", "读书", "技术", "日记", "公开"):
        account.add_notebook(title)
    ids = account.keys
    for title, parent in (("小说", "读书"), ("随笔", "读书"), ("现代", "小说"), ("后端", "技术"), ("数据库", "后端")):
        account.add_notebook(title, ids[parent])
    account.add_notebook("项目", ids["work"], "项目一")
    account.add_notebook("项目", ids["work"], "项目二")
    account.add_notebook("项目", ids["study"], "项目三")
    account.add_notebook("2023/会议", ids["work"], "斜杠")
    account.add_notebook("", ids["life"], "无名本")
    account.add_notebook("..", ids["life"], "点点本")
    account.add_notebook("con", "", "设备本")
    account.add_notebook("孤儿", GONE_ID)
    account.add_notebook("没有上级字段", None, "缺上级")
    first = account.add_notebook("环甲")
    first.parent = account.add_notebook("环乙", first.id).id
    own_parent = account.add_notebook("自己的上级", "", "自环")
    own_parent.parent = own_parent.id
    account.add_notebook("旧笔记本")
    account.add_notebook("旧本之下", ids["旧笔记本"])
    account.delete_notebook(ids["旧笔记本"])
    account.notebooks[ids["life"]].created = None
    account.notebooks[ids["study"]].updated = None
    for position, title in enumerate(("小说", "随笔")):
        account.notebooks[ids[title]].position = position


def _add_sample(account: FakeAccount, sample: Sample, is_markdown: bool) -> None:
    tags = None if sample.tags is None else list(sample.tags)
    note = account.add_note(sample.title, "", account.keys[sample.notebook], is_markdown=is_markdown, tags=tags)
    account.keys[sample.key] = note.id
    account.edit(note.id, _MARK.sub(lambda mark: _file_id(account, note, mark), sample.body))


def _file_id(account: FakeAccount, note: FakeNote, mark: re.Match[str]) -> str:
    """Return the id that a mark stands for; marks for notes stay until all notes are there."""
    kind, name = mark[1], mark[2] or ""
    makers = {"png": png, "jpeg": jpeg, "gif": gif}
    if kind == "gone":
        return GONE_ID
    if kind == "attach":
        return account.attach(note.id, name, f"附件 {name}".encode()).id
    if kind == "lost":
        return account.add_image(name, None).id
    if maker := makers.get(kind):
        return account.add_image(name, maker(account.usn)).id  # its stored extension is .png whatever it is
    return mark[0]


def _resolve_note_marks(account: FakeAccount) -> None:
    for note in account.notes.values():
        if note.body:
            note.body = _MARK.sub(lambda mark: account.keys[mark[2]], note.body)


def _add_fillers(account: FakeAccount) -> None:
    for number in range(PUBLISHED_NOTES):
        topic = _TOPICS[number % len(_TOPICS)]
        author = _PEOPLE[number % 5]
        body = f"#{topic}要点\n第{number + 1}篇，{author}在{2019 + number % 5}年整理。\n\n- 现象\n- 原因\n- 办法\n"
        account.add_note(f"{topic}（{number + 1}）", body, account.keys["公开"], tags=["技术", topic])
    for number in range(DIARY_NOTES):
        body = f"今天在{_PLACES[number % 6]}见了{_PEOPLE[number % 5]}，走了{number + 3}公里。"
        account.add_note(f"日记 第{number + 1}天", body, account.keys["日记"], tags=[""])
    books = [
        account.keys[key] for key in ("现代", "数据库", "项目一", "项目二", "项目三", "斜杠", "无名本", "环甲", "孤儿")
    ]
    for number in range(FILLER_NOTES):
        person, place = _PEOPLE[number % 5], _PLACES[number % 6]
        if number % 3:
            text = f"##第{number}次周会\n负责人：{person}\n地点：{place}\n\n{number % 12 + 1}月上线第{number}号需求。\n"
        else:
            text = f"<h2>第{number}次周会</h2><p>负责人：<b>{person}</b></p><p>地点：{place}</p><p>预算{number}00元</p>"
        account.add_note(
            f"周会纪要 {number}", text, books[number % len(books)], is_markdown=bool(number % 3), tags=["会议", person]
        )


def _add_attachments(account: FakeAccount) -> None:
    """Attach files that no body names: of one name, of unsafe names, without bytes, with an image's id."""
    fillers = [note for note in account.notes.values() if note.title.startswith("周会纪要")]
    for note in fillers[:20]:
        account.attach(note.id, "纪要.docx", b"PK\x03\x04" + note.id.encode())
    target = account.keys["表格"]
    for title in (
        "报表.xlsx",
        "报表.xlsx",
        "../../外.txt",
        'a:b?"c".pdf',
        "无后缀",
        "." * 5,
        "长" * 200 + ".zip",
        "",
        "CON.txt",
    ):
        account.attach(target, title, f"内容 {title} {account.usn}".encode())
    account.attach(target, "空文件.txt", b"")
    account.attach(target, "磁盘上没有.pdf", None)
    first_image = account.notes[account.keys["边城"]].images[0]
    account.attach(target, "同号.bin", b"an attachment whose id is also an image's", first_image)
    account.notes[target].attachments.append(GONE_ID)
    account.add_image("没人用的图.png", png(0x123456))
    account.uploads[OLD_UPLOAD] = jpeg(0x123456)


def _add_states(account: FakeAccount) -> None:
    """Add notes in the trash, deleted ones, and those whose body or notebook is gone."""
    life = account.keys["life"]
    for number in range(6):
        note = account.add_note(f"回收站 {number}", f"扔掉的内容 {number}\n", life, is_markdown=number % 2 == 0)
        account.trash(note.id)
        account.keys[f"回收站{number}"] = note.id
    for number in range(6):
        note = account.add_note(f"已删除 {number}", "删掉的内容\n", life, tags=["删"])
        account.attach(note.id, f"删{number}.txt", b"x")
        account.delete(note.id)
        account.keys[f"已删除{number}"] = note.id
    for key, notebook in (
        ("无本", GONE_ID),
        ("空本", ""),
        ("旧本里", account.keys["旧笔记本"]),
        ("旧本下", account.keys["旧本之下"]),
    ):
        account.keys[key] = account.add_note(f"不在任何笔记本：{key}", "正文还在。\n", notebook).id
    unnumbered = account.add_note("很老的笔记", "那时还没有同步编号。\n", life)
    unnumbered.usn = 0
    account.keys["无编号"] = unnumbered.id
    account.keys["无正文行"] = account.add_note("正文丢了", None, life).id


def _add_odd_times(account: FakeAccount) -> None:
    """Add notes whose times are unset, rubbish, or have fractions of every length."""
    odd = {
        "未设时间": None,
        "公元一年": datetime(1, 1, 1, tzinfo=UTC),
        "古代": datetime(23, 6, 2, 20, 1, tzinfo=UTC),
        "未来": datetime(9998, 12, 31, tzinfo=UTC),
        "纪元": datetime(1970, 1, 1, tzinfo=UTC),
        "整秒": datetime(2021, 5, 1, 9, 30, tzinfo=ZONE),
        "一位": datetime(2021, 5, 1, 9, 30, 0, 500_000, tzinfo=ZONE),
        "三位": datetime(2021, 5, 1, 9, 30, 0, 345_000, tzinfo=ZONE),
    }
    for key, created in odd.items():
        note = account.add_note(f"时间：{key}", "时间有些怪。\n", account.keys["study"])
        note.created = created
        note.updated = created + timedelta(days=1) if created and created.year < 9000 else created
        account.keys[key] = note.id
