"""Make a campaign from the form; the one request that may be large, for it can bring files along."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse
from starlette.datastructures import FormData, UploadFile

from regauge.fields import FieldError, FieldsError
from regauge.records.option_names import name_options
from regauge.server.annotate.api import State
from regauge.server.manage.forms import TABLE_FIELD, MistakesError, parse_campaign
from regauge.server.manage.roles import ManagingWriter, change
from regauge.workflows.campaigns.fields import QuestionSource
from regauge.workflows.campaigns.requests import CampaignRequest, make_campaign
from regauge.workflows.kinds import list_kinds

PATH = "/api/manage/campaigns"
MAX_TABLE = 8 * 1024 * 1024
"""Bytes of a table, a plan or an audit that comes with the form."""
MAX_FILES = 32
"""Fields for files in the form of all kinds; a browser sends those that were left empty, too."""
MAX_FORM = 3 * MAX_TABLE + 256 * 1024
"""Bytes of the whole form."""
MAX_FIELDS = 512

router = APIRouter()

_FORM = {
    "requestBody": {
        "required": True,
        "content": {"multipart/form-data": {"schema": {"type": "object", "additionalProperties": {"type": "string"}}}},
    }
}


@router.post(PATH, status_code=201, openapi_extra=_FORM)
async def make(request: Request, state: State, session: ManagingWriter) -> JSONResponse:
    """Make a draft; where fields cannot be used the reply has a sentence for each."""
    # Read only now that it is known who sends it.
    values, files = await _read(request)
    try:
        _check_sizes(files)
        asked = parse_campaign(values, files, kinds=list_kinds(state.study))
        _check_table(asked)
        made = await change(state, session, work=lambda study: make_campaign(study, asked))
    except MistakesError as error:
        return JSONResponse({"detail": name_options(str(error)), "fields": error.fields}, status_code=422)
    except FieldsError as error:
        return JSONResponse({"detail": name_options(str(error)), "fields": error.fields}, status_code=422)
    except FieldError as error:
        return JSONResponse(
            {"detail": name_options(str(error)), "fields": {error.field_name: name_options(str(error))}},
            status_code=422,
        )
    return JSONResponse({"id": made.id, "name": made.name, "n_tasks": made.n_tasks}, status_code=201)


def _check_table(asked: CampaignRequest) -> None:
    if asked.source is not QuestionSource.FILE:
        return
    if not asked.content.strip():
        raise FieldError(TABLE_FIELD, "Choose a CSV file with the columns image_id and class.")


def _check_sizes(files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        if len(content) > MAX_TABLE:
            raise FieldError(name, f"A file has at most {MAX_TABLE:,} bytes here, not {len(content):,}.")


async def _read(request: Request) -> tuple[dict[str, str], dict[str, bytes]]:
    """The fields, and the files that came along."""
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise HTTPException(415, "The form is sent as multipart/form-data.")
    async with request.form(max_files=MAX_FILES, max_fields=MAX_FIELDS, max_part_size=256 * 1024) as form:
        return _take_texts(form), await _take_files(form)


def _take_texts(form: FormData) -> dict[str, str]:
    return {name: value for name, value in form.items() if isinstance(value, str)}


async def _take_files(form: FormData) -> dict[str, bytes]:
    return {name: await value.read() for name, value in form.items() if isinstance(value, UploadFile)}
