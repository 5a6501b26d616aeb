"""The dataset card: README.md, rendered from DATASET_CARD.md.

The template is a card itself. Comments in it are places to fill: ``<!-- title -->``,
``<!-- description -->``, ``<!-- counts -->``, ``<!-- license -->``, ``<!-- fields CONFIG -->``.
What stands between ``<!-- sample -->`` and ``<!-- /sample -->`` is for the sample corpus alone,
what stands between ``<!-- other -->`` and ``<!-- /other -->`` for all others. The YAML at its
head is the sample's; the cards of others have one of their own.
"""

from __future__ import annotations

import dataclasses
import datetime
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bwb.annotations.corpus_folder import read_config
from bwb.assets import asset, sample
from bwb.corpus import Config
from bwb.errors import InputError, UsageError
from bwb.publish.rows import CONFIGS, Column, columns, config_schema
from bwb.records import LANGS, SPLITS, Lang, Split

if TYPE_CHECKING:
    from collections.abc import Iterator

    from huggingface_hub import DatasetCardData

SAMPLE = "bwb-sample"
# The day the sample was published; CITATION.cff names it too.
SAMPLE_PUBLISHED = "2026-11-21"

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_SECTION = re.compile(r"<!-- (sample|other) -->\n(.*?)<!-- /\1 -->\n", re.DOTALL)
_COMMENT = re.compile(r"<!--(.*?)-->\n?", re.DOTALL)
_BIBTEX = re.compile(r"```bibtex\n(.*?)```", re.DOTALL)

# https://huggingface.co/docs/hub/datasets-cards: size_categories
_SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
    (10**8, "10M<n<100M"),
)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a split of a configuration is: rows, bytes in memory, bytes of its files."""

    rows: int
    memory: int
    files: int

    def __add__(self, other: Size) -> Size:
        """The size of both."""
        return Size(self.rows + other.rows, self.memory + other.memory, self.files + other.files)


Sizes = dict[Config, dict[Split, Size]]


@dataclass(frozen=True, slots=True)
class About:
    """What a dataset says of itself.

    Attributes:
        name: Name.
        description: One sentence or a few.
        version: ``major.minor.patch``; None if it has none.
        license: SPDX identifier of the licence; None if not known.
        published: Date of publication, ISO 8601; None if it is not published.
        languages: Languages of the sides there are.
    """

    name: str
    description: str = "Chapters in Chinese and English."
    version: str | None = None
    license: str | None = None
    published: str | None = None
    languages: tuple[Lang, ...] = LANGS

    @classmethod
    def of(cls, name: str, **said: str | None) -> About:
        """Check what is said, and complete it for the sample from its `corpus.toml`.

        Raises:
            UsageError: if the name is empty, or version or date have another form.
        """
        given: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
        if name == SAMPLE:
            config = read_config(sample())
            own = {
                "description": config.description,
                "version": config.version,
                "license": config.license,
                "published": SAMPLE_PUBLISHED,
            }
            given = own | given
        about = cls(name, **given)
        if not name.strip():
            raise UsageError("the dataset needs a name")
        if about.version is not None and not _VERSION.fullmatch(about.version):
            raise UsageError(f"version {about.version!r}: expected major.minor.patch, as 1.0.0")
        if about.published is not None:
            try:
                datetime.date.fromisoformat(about.published)
            except ValueError:
                raise UsageError(f"date {about.published!r}: expected year-month-day") from None
        return about

    @property
    def is_sample(self) -> bool:
        """Whether this is the sample corpus."""
        return self.name == SAMPLE


def card_template() -> str:
    """The text of DATASET_CARD.md."""
    return asset("DATASET_CARD.md").read_text(encoding="utf-8")


def citation(template: str) -> str | None:
    """The BibTeX entries in a card; None if it has none."""
    found = _BIBTEX.search(template)
    return found.group(1).strip() if found else None


def render_card(template: str, about: About, sizes: Sizes) -> str:
    """Fill in a template.

    Args:
        template: Text of the template.
        about: What the dataset says of itself.
        sizes: Size of each configuration and split that has rows.

    Returns:
        Text of README.md: YAML that the Hub and `datasets` read, then Markdown.

    Raises:
        InputError: if the template's YAML is not a mapping.
    """
    from huggingface_hub import DatasetCard, DatasetCardData

    try:
        card = DatasetCard(template)
    except ValueError as error:
        raise InputError(f"template of the dataset card: {error}") from None
    head: dict[str, Any] = card.data.to_dict()  # type: ignore[no-untyped-call]
    data = DatasetCardData(**_head(head, about, sizes))
    _add_configs(data, sizes)
    body = _body(card.text, about, sizes)
    return f"---\n{data.to_yaml()}\n---\n{body}"


def _head(template: dict[str, Any], about: About, sizes: Sizes) -> dict[str, Any]:
    """The YAML without what `datasets` reads of it."""
    head: dict[str, Any] = {"language": list(about.languages)}
    head["license"] = about.license.lower() if about.license else "unknown"
    head["pretty_name"] = about.name
    if about.is_sample:
        head |= {key: value for key, value in template.items() if key not in head}
        head["pretty_name"] = template.get("pretty_name", about.name)
    elif len(about.languages) > 1:
        head |= {"task_categories": ["translation"], "multilinguality": ["translation"]}
    head["size_categories"] = [_size_category(sizes)]
    return head


def _size_category(sizes: Sizes) -> str:
    counted = sizes.get("pairs") or sizes["documents"]
    rows = sum(size.rows for size in counted.values())
    return next((name for limit, name in _SIZES if rows < limit), "100M<n<1B")


def _add_configs(data: DatasetCardData, sizes: Sizes) -> None:
    """Add `configs` and `dataset_info`, which `datasets` reads: files, features, sizes."""
    from datasets import DatasetInfo, Features
    from datasets.info import DatasetInfosDict
    from datasets.splits import SplitDict, SplitInfo
    from datasets.utils.metadata import MetadataConfigs

    default = "annotated" if "annotated" in sizes else "documents"
    configs, infos = {}, {}
    for config, splits in sizes.items():
        files = [{"split": split, "path": f"data/{config}/{split}-*"} for split in splits]
        configs[config] = {"data_files": files} | ({"default": True} if config == default else {})
        total = sum(splits.values(), Size(0, 0, 0))
        split_infos = SplitDict()
        for split, size in splits.items():
            split_infos.add(SplitInfo(split, num_bytes=size.memory, num_examples=size.rows))
        infos[config] = DatasetInfo(
            config_name=config,
            features=Features.from_arrow_schema(config_schema(config)),
            splits=split_infos,
            download_size=total.files,
            dataset_size=total.memory,
        )
    MetadataConfigs(configs).to_dataset_card_data(data)
    DatasetInfosDict(infos).to_dataset_card_data(data)


def _body(template: str, about: About, sizes: Sizes) -> str:
    keep = "sample" if about.is_sample else "other"
    text = _SECTION.sub(lambda found: found[2] if found[1] == keep else "", template)
    filled = {
        "title": f"# {about.name}",
        "description": about.description,
        "counts": counts_table(sizes),
        "license": f"`{about.license}`." if about.license else "Not stated by who built it.",
        **{f"fields {config}": fields_table(config) for config in CONFIGS},
    }

    def fill(found: re.Match[str]) -> str:
        place = filled.get(found[1].strip())
        return "" if place is None else f"{place}\n"

    text = _COMMENT.sub(fill, text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def counts_table(sizes: Sizes) -> str:
    """Rows of each configuration and split, as Markdown."""
    there = [split for split in SPLITS if any(split in splits for splits in sizes.values())]
    lines = ["| configuration | " + " | ".join(there) + " |", "|---|" + "---:|" * len(there)]
    for config, splits in sizes.items():
        counts = (f"{splits[split].rows:,}" if split in splits else "–" for split in there)
        lines.append(f"| `{config}` | " + " | ".join(counts) + " |")
    return "\n".join(lines)


@cache
def fields_table(config: Config) -> str:
    """The fields of a configuration, as Markdown; their meaning is the records' docstrings."""
    lines = ["| field | type | what it is |", "|---|---|---|"]
    seen: dict[tuple[Any, ...], str] = {}
    for column in _flat(columns(config), seen):
        text = re.sub(r"``(.+?)``", r"`\1`", column.description).replace("|", "\\|")
        lines.append(f"| `{column.path}` | {column.type} | {text} |")
    return "\n".join(lines)


def _flat(fields: tuple[Column, ...], seen: dict[tuple[Any, ...], str]) -> Iterator[Column]:
    """All columns in order; a struct like one above it refers to that one."""
    for column in fields:
        shape = tuple(_shape(child) for child in column.children)
        if shape in seen:
            yield dataclasses.replace(column, type=f"{column.type}, as `{seen[shape]}`")
            continue
        yield column
        if shape:
            seen[shape] = column.path
            yield from _flat(column.children, seen)


def _shape(column: Column) -> tuple[Any, ...]:
    return (column.name, column.type, tuple(_shape(child) for child in column.children))
