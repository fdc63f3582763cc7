"""The page and its assets, which are files of this package; nothing else of the disk is served."""

from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI, Request, Response
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from graphrag.server.problems import Problem

FOLDER = Path(__file__).parent / "page"


def add_page(app: FastAPI) -> None:
    """Add the page at `/` and its assets below `/page/`."""
    app.add_route("/", _page, include_in_schema=False)
    app.mount("/page", StaticFiles(directory=FOLDER), name="page")


async def _page(request: Request) -> Response:
    file = FOLDER / "index.html"
    if not file.is_file():
        raise Problem(HTTPStatus.NOT_FOUND, "This installation has no page.")
    return FileResponse(file, media_type="text/html; charset=utf-8")
