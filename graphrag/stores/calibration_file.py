"""The threshold that `calibrate` found for a vault, as a small file beside its index."""

import json
import os
from dataclasses import asdict
from pathlib import Path

from graphrag.domain.report import Calibration
from graphrag.errors import StoreError

_NAME = "calibration.json"


class CalibrationFile:
    """Reads and writes the calibration of one index."""

    def __init__(self, index_dir: Path) -> None:
        self._file = index_dir / _NAME

    def read(self) -> Calibration | None:
        """Return what was found last, None when nothing was.

        Raises:
            StoreError: the file is damaged.
        """
        try:
            return Calibration(**json.loads(self._file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"{self._file}: cannot be read: {error}. Delete it, or run: graphrag calibrate") from error

    def write(self, calibration: Calibration) -> None:
        """Keep a calibration in the place of the one before."""
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(asdict(calibration), indent=2), encoding="utf-8")
        os.replace(new, self._file)  # noqa: PTH105 - one step for whoever reads at this moment
