"""The vaults that benchmarks run on: a copy of a real one, or notes made of fixed words, the same every time."""

import random
import shutil
from pathlib import Path

NOTE_BYTES = 3000
_SEED = 11
_LINKS = 4  # a note, on average
_PAIRS = (
    "支付订单渠道对账退款幂等补偿事务消息队列重试超时缓存索引分片主键日志监控告警发布回滚压测"
    "容量网关限流熔断降级服务接口迁移备份恢复权限审计团队值班复盘会议决定方案成本风险进度"
)
_CHINESE = tuple(_PAIRS[start : start + 2] for start in range(0, len(_PAIRS), 2))
_ENGLISH = ("cache", "index", "broker", "saga", "retry_count", "processTransaction", "timeout", "snapshot", "Kafka")
_PARTICLES = ("的", "在", "和", "由", "后", "时", "，", "，", "。")


def copy_vault(vault: Path, folder: Path) -> Path:
    """Copy the notes without index and history, so that nothing is written to the vault itself."""
    return shutil.copytree(vault, folder / "vault", symlinks=True, ignore=shutil.ignore_patterns(".graphrag", ".git"))


def make_vault(folder: Path, notes: int) -> Path:
    """Write notes of 3 KB with headings, tags and links to one another."""
    vault, rng = folder / "vault", random.Random(_SEED)
    for number in range(notes):
        path = vault / note_path(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_note(number, notes, rng), encoding="utf-8")
    return vault


def note_path(number: int) -> str:
    return f"{_CHINESE[number % 20]}/note {number}.md"


def queries(count: int) -> list[str]:
    """Return questions in the words of the made notes."""
    rng = random.Random(_SEED)
    return [" ".join(rng.sample((*_CHINESE, *_ENGLISH), 3)) for _ in range(count)]


def _note(number: int, notes: int, rng: random.Random) -> str:
    tags = ", ".join(rng.sample(_CHINESE, 2))
    parts = [f"---\ntags: [{tags}]\n---\n# {rng.choice(_CHINESE)}{rng.choice(_CHINESE)} {number}\n"]
    links = [f"[[note {rng.randrange(notes)}]]" for _ in range(rng.randint(0, 2 * _LINKS))]
    size = len(parts[0].encode())
    while size < NOTE_BYTES:
        heading = f"\n## {rng.choice(_CHINESE)}与{rng.choice(_CHINESE)}\n\n" if rng.random() < 0.15 else ""
        part = heading + _sentence(rng) + (links.pop() if links else "") + "\n"
        parts.append(part)
        size += len(part.encode())
    return "".join(parts)


def _sentence(rng: random.Random) -> str:
    words = [rng.choice(_ENGLISH if rng.random() < 0.15 else _CHINESE) for _ in range(rng.randint(8, 20))]
    return "".join(word + rng.choice(_PARTICLES) for word in words) + f"{rng.randrange(10_000)}。"
