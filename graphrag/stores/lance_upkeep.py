"""Keeps a Lance table small and quick after any number of writes; works on a table that is already open."""

from datetime import timedelta
from typing import Any

# Larger files are left alone: rewriting them would store them twice while an older snapshot still needs them.
_ROWS_PER_FILE = 2048
# A few rows are as fast to scan as to look up.
_UNINDEXED_ROWS = 256
# New rows make an index of their own, since merging writes all of it once more beside the older snapshot's; every
# further one makes a search a fifth of a millisecond slower.
_INDEX_PARTS = 8
_TAG = "snapshot-"


def compact_table(table: Any) -> None:
    """Merge small files, and index new rows if they are many."""
    dataset = table.to_lance()
    dataset.optimize.compact_files(target_rows_per_fragment=_ROWS_PER_FILE)
    for index in table.list_indices():
        stats = table.index_stats(index.name)
        if stats.num_unindexed_rows >= _UNINDEXED_ROWS:
            merged = stats.num_indices if stats.num_indices >= _INDEX_PARTS else 0
            dataset.optimize.optimize_indices(index_names=[index.name], num_indices_to_merge=merged)
    table.checkout_latest()


def drop_versions(table: Any, keep: set[int]) -> None:
    """Drop all versions but the newest and `keep`, with the files that only they need."""
    dataset = table.to_lance()
    tagged = {int(name.removeprefix(_TAG)) for name in dataset.tags.list()}
    for version in tagged - keep:
        dataset.tags.delete(f"{_TAG}{version}")
    for version in keep - tagged:
        dataset.tags.create(f"{_TAG}{version}", version)
    dataset.cleanup_old_versions(older_than=timedelta(0), error_if_tagged_old_versions=False)
    table.checkout_latest()


def delete_rows(table: Any, condition: str) -> None:
    """Delete rows, without making a version when there are none."""
    if table is not None and table.count_rows(condition):
        table.delete(condition)
