"""The dataset described for machines: Croissant 1.1, a JSON-LD vocabulary.

A file set and a record set a configuration, fields and fields within them; every Parquet file
with its digest. Specification: https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bwb.publish.card import citation
from bwb.publish.rows import CONFIGS, RECORDS, columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bwb.corpus import Config, FileEntry
    from bwb.publish.card import About
    from bwb.publish.rows import Column

CROISSANT = "croissant.json"

_PARQUET = "application/x-parquet"
_TYPES = {
    "string": "sc:Text",
    "int64": "cr:Int64",
    "double": "cr:Float64",
    "bool": "sc:Boolean",
}

# The context of the specification; mlcroissant warns of any other.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(about: About, files: Sequence[FileEntry], template: str) -> dict[str, Any]:
    """The Croissant description of a dataset.

    Args:
        about: What the dataset says of itself.
        files: The Parquet files.
        template: Template of the card; its BibTeX is the citation.

    Returns:
        The JSON-LD object. What is not known is left out.
    """
    there = [config for config in CONFIGS if any(file.config == config for file in files)]
    body: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": about.name,
        "description": about.description,
        "inLanguage": list(about.languages),
        "citeAs": citation(template),
        "license": f"https://spdx.org/licenses/{about.license}" if about.license else None,
        "version": about.version,
        "datePublished": about.published,
        "distribution": [*map(_file_object, files), *map(_file_set, there)],
        "recordSet": [_record_set(config) for config in there],
    }
    return {key: value for key, value in body.items() if value is not None}


def _file_object(file: FileEntry) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": file.sha256,
    }


def _file_set(config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"files-{config}",
        "name": f"files-{config}",
        "description": f"The Parquet files of the configuration {config}.",
        "encodingFormat": _PARQUET,
        "includes": f"data/{config}/*.parquet",
    }


def _record_set(config: Config) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "description": (RECORDS[config].__doc__ or config).partition("\n")[0],
        "field": list(_fields(config, columns(config), config, ())),
    }


def _fields(
    config: Config, fields: Iterable[Column], parent: str, way: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """Fields with their sources.

    Args:
        config: The configuration.
        fields: Columns, or fields of a column.
        parent: Id of what holds them.
        way: Names of the columns that lead to them.
    """
    for column in fields:
        here = (*way, column.name)
        made: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{parent}/{column.name}",
            "name": column.name,
            "description": column.description,
        }
        if column.is_list:
            made |= {"isArray": True, "arrayShape": "-1"}
        if column.children:
            # A transform goes into a list, but not into the lists within it.
            deep = [c for c in column.children if column.is_list and c.is_list and c.children]
            if deep:
                names = ", ".join(child.name for child in deep)
                made["description"] += f" Its lists of structs are not described here: {names}."
            inner = (child for child in column.children if child not in deep)
            made["subField"] = list(_fields(config, inner, made["@id"], here))
        else:
            made["dataType"] = _TYPES[column.type.removeprefix("list of ")]
            made["source"] = {
                "fileSet": {"@id": f"files-{config}"},
                "extract": {"column": here[0]},
                "transform": [{"jsonPath": name} for name in here[1:]],
            }
        yield made
