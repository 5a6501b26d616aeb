"""A dataset folder to the Hub.

Nothing is uploaded unless asked for: by default `push` checks the folder and says what it would
do. Nothing is published by mistake either: a new repository is private, a public one is refused
unless `private` is false, and so is one whose data is not ours, or a tag that exists.
"""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bwb import __version__
from bwb.corpus import MANIFEST, FileEntry, changed_files, is_built, read_manifest, sha256_file
from bwb.errors import HubError, InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from huggingface_hub import HfApi

    from bwb.corpus import Manifest

_DATA = "data/"


@dataclass(frozen=True, slots=True)
class Push:
    """What was, or would be, done.

    Attributes:
        repo_id: ``namespace/name`` of the dataset on the Hub.
        private: Whether the repository is to be private.
        branch: Branch that is pushed to.
        tag: Tag that the commit gets; None for no tag.
        message: Message of the commit.
        files: The files that are uploaded.
        ignored: Files in the folder that the manifest does not name; they are not uploaded.
        commit: Id of the commit; None if nothing was uploaded.
        url: Address of the commit; None if nothing was uploaded.
    """

    repo_id: str
    private: bool
    branch: str
    tag: str | None
    message: str
    files: tuple[FileEntry, ...]
    ignored: tuple[str, ...]
    commit: str | None = None
    url: str | None = None

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files)


def push(
    folder: Path,
    repo_id: str,
    *,
    private: bool = True,
    branch: str | None = None,
    tag: str | None = None,
    token: str | None = None,
    dry_run: bool = True,
) -> Push:
    """Put a folder that `bwb build` wrote on the Hub.

    Files under ``data/`` that an earlier push left and the folder does not have are removed in
    the same commit: else a dataset with fewer shards would be read together with old ones.

    Args:
        folder: The folder; its files must be as its manifest says.
        repo_id: ``namespace/name``; made if it does not exist.
        private: Whether the repository is private. An existing public one is refused.
        branch: Branch to push to, made if it does not exist; None is ``main``.
        tag: Tag for the commit; must not exist.
        token: Access token; None is the one that `hf auth login` stored, or ``HF_TOKEN``.
        dry_run: Only check and plan; the network is not touched.

    Raises:
        UsageError: if the repository has another form of name.
        InputError: if the folder is not one that `bwb build` wrote, or was changed since.
        HubError: if there is no token, the Hub cannot be reached or refuses, the repository is
            public or holds other data, or the tag exists.
    """
    plan = _plan(folder, repo_id, private=private, branch=branch, tag=tag)
    return plan if dry_run else _execute(plan, folder, token)


def _plan(
    folder: Path, repo_id: str, *, private: bool, branch: str | None, tag: str | None
) -> Push:
    _check_name(repo_id)
    if not is_built(folder):
        raise InputError(f"{folder}: not a folder that bwb build wrote; run: bwb build CORPUS")
    manifest = read_manifest(folder)
    if changed := changed_files(folder, manifest):
        raise InputError(f"{folder} is not as it was built: {'; '.join(changed)}. Build it again")
    path = folder / MANIFEST
    files = (*manifest.files, FileEntry(MANIFEST, sha256_file(path), path.stat().st_size))
    named = {file.path for file in files}
    there = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    return Push(
        repo_id=repo_id,
        private=private,
        branch=branch or "main",
        tag=tag,
        message=_message(manifest),
        files=files,
        ignored=tuple(sorted(set(there) - named)),
    )


def _check_name(repo_id: str) -> None:
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise UsageError(f"repository {repo_id!r}: {error}") from None
    if repo_id.count("/") != 1:
        raise UsageError(f"repository {repo_id!r}: expected namespace/name, such as my-lab/bwb")


def _message(manifest: Manifest) -> str:
    name = f"{manifest.name} {manifest.version}" if manifest.version else manifest.name
    return f"{name}, digest {manifest.digest[:12]}, built with bwb {manifest.bwb_version}"


def _execute(plan: Push, folder: Path, token: str | None) -> Push:
    from huggingface_hub import HfApi, get_token

    if token is None and get_token() is None:
        raise HubError("no access token: log in with `hf auth login`, or set HF_TOKEN")
    api = HfApi(token=token, library_name="bwb", library_version=__version__)
    target: dict[str, Any] = {"repo_id": plan.repo_id, "repo_type": "dataset"}
    with _explaining(api, plan):
        api.create_repo(**target, private=plan.private, exist_ok=True)
        _refuse_to_harm(api, plan, target)
        if plan.branch != "main":
            api.create_branch(**target, branch=plan.branch, exist_ok=True)
        _refuse_other_data(api, plan, target)
        commit = api.upload_folder(
            **target,
            folder_path=folder,
            revision=plan.branch,
            commit_message=plan.message,
            allow_patterns=[file.path for file in plan.files],
            delete_patterns=[f"{_DATA}*"],
        )
        if plan.tag:
            api.create_tag(**target, tag=plan.tag, revision=commit.oid, tag_message=plan.message)
    return dataclasses.replace(plan, commit=commit.oid, url=str(commit.commit_url))


def _refuse_to_harm(api: HfApi, plan: Push, target: dict[str, Any]) -> None:
    """Refuse a public repository that was to be private, and a tag that exists."""
    if plan.private and not api.repo_info(**target).private:
        raise HubError(
            f"{plan.repo_id} exists and is public; push publicly (--public) if that is meant"
        )
    if plan.tag and plan.tag in {tag.name for tag in api.list_repo_refs(**target).tags}:
        raise HubError(
            f"{plan.repo_id} has a tag {plan.tag!r} already; a published version does not change, "
            "choose another tag"
        )


def _refuse_other_data(api: HfApi, plan: Push, target: dict[str, Any]) -> None:
    """Refuse a branch that holds data which no build of ours put there."""
    there = api.list_repo_files(**target, revision=plan.branch)
    if MANIFEST not in there and any(path.startswith(_DATA) for path in there):
        raise HubError(f"{plan.repo_id} holds other data in {_DATA}; push to another repository")


@contextlib.contextmanager
def _explaining(api: HfApi, plan: Push) -> Iterator[None]:
    """Turn what the client raises into a `HubError` that says what to do."""
    from huggingface_hub import errors

    http_error: type[Exception] = errors.HTTPError  # type: ignore[attr-defined]
    try:
        yield
    except (http_error, OSError, ValueError, RuntimeError) as error:
        raise HubError(_explanation(error, api.endpoint, plan)) from error


def _explanation(error: BaseException, endpoint: str, plan: Push) -> str:
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    # An upload that fails is a RuntimeError around the answer of the Hub.
    if isinstance(error, RuntimeError) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, OfflineModeIsEnabled):
        return "HF_HUB_OFFLINE is set, and pushing needs the network; unset it"
    if not isinstance(error, HfHubHTTPError):
        return f"cannot push to {endpoint}: {str(error) or type(error).__name__}"
    status = error.response.status_code
    namespace = plan.repo_id.partition("/")[0]
    known = {
        401: "does not accept the token: log in with `hf auth login`, or set HF_TOKEN",
        403: f"does not let this token write to {namespace}: use one with write access to it",
        404: f"does not find {plan.repo_id}, or does not show it to this token",
    }
    said = " ".join((error.server_message or str(error)).split())
    return f"the Hub {known.get(status, 'could not do it')} ({status}: {said})"
