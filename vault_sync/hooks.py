"""Git hooks that run a command in the background after the vault's commits changed: put in, and taken out again.

A hook that was there before is kept beside ours and run first, with the same arguments and input; its exit status is
ours. The command neither delays Git nor can it fail it. The scripts are for a POSIX shell; Windows is not supported.
"""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from graphrag.errors import VaultError
from vault_sync.repository import Repository, find_repository

_HOOKS = ("post-commit", "post-merge", "post-checkout", "post-rewrite")
_KEPT = ".before-graphrag"
_MARK = "# vault-graphrag hook; `graphrag init --unhook` takes it out and puts back what was here before."
_PAUSE = "1"  # seconds before a run begins: it sees all commits until then, so no other one is started meanwhile
_SCRIPT = """#!/bin/sh
{mark}
vault={vault}
status=0
before="${{0%/*}}/{before}"
if [ -x "$before" ]; then
    "$before" "$@"
    status=$?
fi
# A run that is about to begin will see this commit, too.
begins="$(git rev-parse --git-common-dir)/graphrag-hook"
if [ -x {program} ] && ! {{ [ -n "$(find "$begins" -mmin -1)" ] && kill -0 "$(cat "$begins")"; }} 2>/dev/null; then
    (trap '' HUP; sleep {pause}; rm -f "$begins"; exec {command}) </dev/null >/dev/null 2>&1 &
    (echo "$!" >"$begins") 2>/dev/null
fi
exit "$status"
"""


def install_hooks(vault: Path, command: Sequence[str]) -> Path:
    """Make Git run a command, which starts with a program's absolute path, after commits; return the hooks' folder.

    Doing so again changes nothing but the command.

    Raises:
        VaultError: there is no repository, its hooks are shared with others or serve another vault, or a hook of
            another program has taken the place of ours.
    """
    folder = _hooks_folder(vault)
    hooks = [folder / name for name in _HOOKS]
    for hook in hooks:
        _check_place(hook, vault)
    folder.mkdir(parents=True, exist_ok=True)
    for hook in hooks:
        new = hook.with_name(f"{hook.name}.new")
        new.write_bytes(os.fsencode(_script(hook.name, vault, command)))
        new.chmod(0o755)
        if os.path.lexists(hook) and not _is_ours(hook):
            hook.replace(_kept(hook))
        new.replace(hook)
    return folder


def remove_hooks(vault: Path) -> list[Path]:
    """Take our hooks out and put back what was there before, byte for byte; return those taken out.

    Raises:
        VaultError: there is no repository, or its hooks are shared with others.
    """
    removed = []
    for hook in (_hooks_folder(vault) / name for name in _HOOKS):
        if _is_ours(hook):
            hook.unlink()
            removed.append(hook)
        if os.path.lexists(_kept(hook)) and not os.path.lexists(hook):
            _kept(hook).replace(hook)
    return removed


def _hooks_folder(vault: Path) -> Path:
    """Return where Git looks for hooks, unless that is outside the repository."""
    repository = find_repository(vault)
    if repository is None:
        raise VaultError(f"{vault}: not in a Git repository, so there is nothing to hook into. Use: graphrag watch")
    top = Path(repository.run("rev-parse", "--show-toplevel").removesuffix("\n"))
    # A relative core.hooksPath counts from the top of the working files.
    folder = (top / Repository(top).run("rev-parse", "--git-path", "hooks").removesuffix("\n")).resolve()
    if not any(folder.is_relative_to(home) for home in (top.resolve(), repository.common_dir, repository.git_dir)):
        raise VaultError(
            f"{folder}: the hooks of this repository (core.hooksPath) lie outside it, where other repositories may "
            "share them, so nothing was changed. Use `graphrag watch`, or: git config core.hooksPath .git/hooks"
        )
    return folder


def _check_place(hook: Path, vault: Path) -> None:
    if _is_ours(hook):
        other = _vault_of(hook)
        if other != vault and other.is_dir():
            raise VaultError(
                f"{hook}: serves another vault of this repository ({other}). "
                f"Take it out first: graphrag init {shlex.quote(str(other))} --unhook"
            )
    elif os.path.lexists(hook) and os.path.lexists(_kept(hook)):
        raise VaultError(f"{hook}: another program's, and so is {_kept(hook).name}. Remove one of them first.")


def _script(name: str, vault: Path, command: Sequence[str]) -> str:
    return _SCRIPT.format(
        mark=_MARK,
        vault=shlex.quote(str(vault)),
        before=name + _KEPT,
        pause=_PAUSE,
        program=shlex.quote(command[0]),
        command=shlex.join(command),
    )


def _kept(hook: Path) -> Path:
    return hook.with_name(hook.name + _KEPT)


def _is_ours(hook: Path) -> bool:
    if hook.is_symlink():  # maybe to another hook, which is ours by now
        return False
    try:
        return os.fsencode(_MARK) in hook.read_bytes().splitlines()[1:2]
    except OSError:
        return False


def _vault_of(hook: Path) -> Path:
    text = os.fsdecode(hook.read_bytes())
    quoted = text.partition("\nvault=")[2].partition("\nstatus=")[0]
    return Path(*shlex.split(quoted)[:1])
