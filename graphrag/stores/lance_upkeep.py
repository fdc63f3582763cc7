"""Keeps a Lance table small and quick after any number of writes; works on a table that is already open."""

from datetime import timedelta
from typing import Any

# Larger files are left alone: rewriting them would store them twice while an older snapshot still needs them.
_ROWS_PER_FILE = 2048
# Taking rows into an index writes it anew, once more beside the older snapshot's; a few are as fast to scan.
_UNINDEXED_ROWS = 256
_TAG = "snapshot-"


def optimize_table(table: Any, keep: set[int]) -> None:
    """Merge small files, index new rows if they are many, drop all versions but the newest and `keep`."""
    dataset = table.to_lance()
    dataset.optimize.compact_files(target_rows_per_fragment=_ROWS_PER_FILE)
    for index in table.list_indices():
        if table.index_stats(index.name).num_unindexed_rows >= _UNINDEXED_ROWS:
            dataset.optimize.optimize_indices(index_names=[index.name])
    tagged = {int(name.removeprefix(_TAG)) for name in dataset.tags.list()}
    for version in tagged - keep:
        dataset.tags.delete(f"{_TAG}{version}")
    for version in keep - tagged:
        dataset.tags.create(f"{_TAG}{version}", version)
    dataset.cleanup_old_versions(older_than=timedelta(0), error_if_tagged_old_versions=False)
    table.checkout_latest()
