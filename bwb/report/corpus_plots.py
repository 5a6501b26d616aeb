"""The pictures of a corpus: figures whose captions are computed from what they show."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, Any

from bwb.report.plots import INK, PALETTE, make_plot, marker
from bwb.report.tables import percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from bwb.annotations.distributions import Distributions
    from bwb.annotations.statistics import Row
    from bwb.records import Lang
    from bwb.report.plots import Plot

    Tables = Mapping[str, Sequence[Row]]
    Values = Mapping[str, Mapping[Lang, float | None]]

LANGUAGES: dict[Lang, str] = {"zh": "Chinese", "en": "English"}
UNITS: dict[Lang, str] = {"zh": "characters", "en": "words"}
_LOOKS: dict[Lang, tuple[str, str, str]] = {
    "zh": (PALETTE[5], "////", marker(1)),
    "en": (PALETTE[0], "", marker(0)),
}
_SERIES = {
    "antecedent_distance": "sentences since the last",
    "spread": "sentences, first to last",
    "chain_size": "mentions in all",
}
# More books than this are too many for one figure.
MOST_BOOKS = 20
_LAST = 12


def genres(found: Distributions, *, files: bool) -> Plot | None:
    """Chapters by genre."""
    counts = Counter(chapter.genre or "not given" for chapter in found.chapters)
    if set(counts) == {"not given"}:
        return None
    ranked = counts.most_common()
    most, number = ranked[0]
    said = f"the most frequent is {most}, with {number:,} ({percent(number / counts.total(), 0)}%)"
    if len(ranked) > 1 and ranked[1][1] == number:
        said = f"none has more than {number:,}"
    genre = _plural(len(ranked), "genre")
    caption = f"The {_plural(counts.total(), 'chapter')} are of {genre}; {said}."

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        bars = axes.barh(
            range(len(ranked)), [n for _, n in ranked], color=PALETTE[2], ec=INK, lw=0.5
        )
        axes.bar_label(bars, padding=3, fontsize=8)
        _rows(axes, [name for name, _ in ranked])
        _whole(axes.xaxis)
        axes.set_xlabel("chapters")

    return make_plot(
        "genres", "Genres", caption, draw, height=0.6 + 0.24 * len(ranked), files=files
    )


def chapter_lengths(found: Distributions, *, files: bool) -> Plot:
    """Lengths of chapters, a panel a language."""
    values = {
        lang: [chapter.sides[lang].units for chapter in found.chapters if lang in chapter.sides]
        for lang in LANGUAGES
    }
    said = [
        f"{LANGUAGES[lang]} ones from {min(v):,} to {max(v):,} {UNITS[lang]} "
        f"(median {median(v):,.0f})"
        for lang, v in values.items()
        if v
    ]
    caption = f"Chapters differ in length: {', '.join(said)}."
    return make_plot(
        "chapter-lengths",
        "Lengths of chapters",
        caption,
        lambda figure: _histograms(figure, values, "chapters"),
        height=2.3,
        files=files,
    )


def sentence_lengths(found: Distributions, *, files: bool) -> Plot:
    """Lengths of sentences, a panel a language."""
    values = {lang: sorted(counts.elements()) for lang, counts in found.sentence_lengths.items()}
    said = [
        f"{median(v):,.0f} {UNITS[lang]} in {LANGUAGES[lang]} (the longest has {v[-1]:,})"
        for lang, v in sorted(values.items(), key=lambda row: row[0], reverse=True)
        if v
    ]
    caption = f"Half of the sentences have no more than {' and '.join(said)}"
    caption += "; the last bar holds the longest hundredth."
    return make_plot(
        "sentence-lengths",
        "Lengths of sentences",
        caption,
        lambda figure: _histograms(figure, values, "sentences", clip=0.99),
        height=2.3,
        files=files,
    )


def entity_types(tables: Tables, *, files: bool) -> Plot | None:
    """Which types entities are of."""
    values = _by_lang(tables["entities"], "kind", "share", {"NOM", "TERM", "all"})
    if not values:
        return None
    top, share, lang = max(
        (name, v, lang) for name, found in values.items() for lang, v in found.items()
        if v == max(v2 or 0 for row in values.values() for v2 in row.values())
    )  # fmt: skip
    caption = (
        f"{top} is the most frequent type: {percent(share, 0)}% of {LANGUAGES[lang]} mentions."
    )
    if never := [name for name, found in values.items() if not any(found.values())]:
        caption += f" There is no {' or '.join(never)}."
    return _grouped(
        "entity-types", "Types of entities", caption, values, "percent of mentions", files
    )


def repetition(tables: Tables, *, files: bool) -> Plot | None:
    """How often an entity is mentioned."""
    values = _by_lang(tables["entities"], "kind", "repetition", set())
    rows = [(v, name, lang) for name, row in values.items() for lang, v in row.items() if v]
    if not rows:
        return None
    value, name, lang = max(row for row in rows if row[1] != "all")
    whole = [f"{v:.1f} times in {LANGUAGES[lang]}" for v, name, lang in rows if name == "all"]
    caption = (
        f"In a chapter an entity is mentioned {' and '.join(whole)} on average, pronouns apart; "
        f"{name} most often ({value:.1f} in {LANGUAGES[lang]})."
    )
    label = "mentions of an entity in a chapter"
    title = "Repetition of entities"
    return _grouped("repetition", title, caption, values, label, files, scale=1.0)


def chains(series: Sequence[Row], tables: Tables, *, files: bool) -> Plot | None:
    """Figure 3 of the BWB paper: distances, spreads and sizes of chains."""
    if not series:
        return None
    stats = {(row["lang"], row["series"]): row for row in tables["chains"]}
    langs = [lang for lang in LANGUAGES if any(row["lang"] == lang for row in series)]
    said = []
    for lang in langs:
        size, spread = stats[lang, "chain_size"], stats[lang, "spread"]
        said.append(
            f"{size['mean']:.1f} mentions over {spread['mean']:.1f} sentences in {LANGUAGES[lang]} "
            f"(at most {size['max']:,} over {spread['max']:,})"
        )
    caption = f"With pronouns, a chain has on average {', '.join(said)}."

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3, sharey=True)
        for axes, (name, label) in zip(panels, _SERIES.items(), strict=True):
            for place, lang in enumerate(langs):
                counts: Counter[int] = Counter()
                for row in series:
                    if row["lang"] == lang and row["series"] == name:
                        counts[min(row["value"], _LAST)] += row["count"]
                total = counts.total()
                fill, lines, _ = _LOOKS[lang]
                xs = range(_LAST + 1)
                at = [x + 0.42 * (place - (len(langs) - 1) / 2) for x in xs]
                axes.bar(at, [counts[x] / total if total else 0 for x in xs], width=0.4, color=fill,
                         hatch=lines, ec=INK, lw=0.4, label=LANGUAGES[lang])  # fmt: skip
            axes.set_xticks([0, 3, 6, 9, _LAST], ["0", "3", "6", "9", f"{_LAST}+"])
            axes.set_xlabel(label, fontsize=7.5)
            axes.grid(visible=False, axis="x")
        _percent(panels[0], "y")
        panels[0].set_ylabel("percent")
        panels[-1].legend(loc="upper right")

    return make_plot("chains", "Chains of coreference", caption, draw, height=2.6, files=files)


def pronouns(tables: Tables, *, files: bool) -> Plot | None:
    """Classes of pronouns, and what the other language leaves out of them."""
    rows = [row for row in tables["pronouns"] if row["class"] != "all" and row["pronouns"]]
    if not rows:
        return None
    whole = {row["lang"]: row for row in tables["pronouns"] if row["class"] == "all"}
    said = [
        f"{percent(row['omitted_share'], 0)}% of the {row['pronouns']:,} {LANGUAGES[lang]} pronouns"
        for lang, row in whole.items()
        if row["omitted_share"] is not None
    ]
    caption = f"The other language leaves out {' and '.join(said)}."
    langs = [lang for lang in LANGUAGES if any(row["lang"] == lang for row in rows)]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, len(langs), squeeze=False)[0]
        for axes, lang in zip(panels, langs, strict=True):
            here = [row for row in rows if row["lang"] == lang]
            fill = _LOOKS[lang][0]
            kept = [row["pronouns"] - row["omitted"] for row in here]
            left = [row["omitted"] for row in here]
            ys = range(len(here))
            axes.barh(ys, kept, color=fill, ec=INK, lw=0.5, label="in both languages")
            axes.barh(ys, left, left=kept, color="none", hatch="////", ec=fill, lw=0.5,
                      label="left out by the other")  # fmt: skip
            _rows(axes, [row["class"] for row in here])
            axes.set_xlabel(f"{LANGUAGES[lang]} pronouns")
            _legend(axes, 1)

    return make_plot("pronouns", "Pronouns", caption, draw, height=3.0, files=files)


def by_book(
    found: Distributions, what: str, title: str, said: Callable[[str, float, str, float], str],
    *, files: bool,
) -> Plot | None:  # fmt: skip
    """A share of every chapter, a row a book.

    Args:
        found: The chapters.
        what: Field of `SideShape`: ``speech`` or ``omitted``.
        title: Title of the figure.
        said: Makes the caption of the book with the highest mean, that mean, and the lowest.
        files: Whether files are wanted.
    """
    points: dict[str, dict[Lang, list[float]]] = {}
    for chapter in found.chapters:
        for lang, side in chapter.sides.items():
            if (value := getattr(side, what)) is not None:
                points.setdefault(chapter.book, {}).setdefault(lang, []).append(value)
    if what == "omitted":
        # Of Chinese pronouns nothing is said to be omitted in English, in most corpora.
        points = {b: {"en": row["en"]} for b, row in points.items() if "en" in row}
    if not points:
        return None
    means = {
        book: _mean(v for row in langs.values() for v in row) for book, langs in points.items()
    }
    order = sorted(means, key=lambda book: -means[book])
    caption = said(order[0], means[order[0]], order[-1], means[order[-1]])
    if len(order) > MOST_BOOKS:
        half = MOST_BOOKS // 2
        caption += f" Shown are the {half} highest and the {half} lowest of {len(order):,} books."
        order = [*order[:half], *order[-half:]]
    langs = [lang for lang in LANGUAGES if any(lang in row for row in points.values())]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, lang in enumerate(langs):
            fill, _, sign = _LOOKS[lang]
            for row, book in enumerate(order):
                at = row + 0.3 * (place - (len(langs) - 1) / 2)
                here = points[book].get(lang, [])
                axes.plot(here, [at] * len(here), sign, color=fill, ms=4, alpha=0.6, mew=0)
                if here:
                    axes.plot([_mean(here)], [at], sign, color=fill, ms=7.5, mec=INK, mew=0.7)
            axes.plot([], [], sign, color=fill, ms=6, label=LANGUAGES[lang])
        _rows(axes, order)
        _percent(axes, "x")
        axes.set_xlim(0, 1)
        axes.set_xlabel("percent; small signs are chapters, large ones the mean of a book")
        _legend(axes, 2)

    return make_plot(what, title, caption, draw, height=0.9 + 0.28 * len(order), files=files)


def _histograms(
    figure: Figure, values: Mapping[Lang, Sequence[int]], what: str, clip: float = 1.0
) -> None:
    import numpy as np

    known = [lang for lang in LANGUAGES if values.get(lang)]
    for axes, lang in zip(figure.subplots(1, len(known), squeeze=False)[0], known, strict=True):
        fill, lines, _ = _LOOKS[lang]
        data = np.asarray(values[lang], dtype=float)
        top = float(np.quantile(data, clip))
        bins = np.linspace(0 if clip < 1 else data.min(), max(top, data.min() + 1), 21)
        axes.hist(np.minimum(data, top), bins=bins, color=fill, hatch=lines, ec=INK, lw=0.4)
        axes.axvline(float(np.median(data)), color=INK, lw=1.2, ls="--")
        axes.set_xlabel(f"{LANGUAGES[lang]} {UNITS[lang]}; dashed: median")
        axes.set_ylabel(what)
        _whole(axes.yaxis)
        axes.grid(visible=False, axis="x")


def _by_lang(rows: Sequence[Row], key: str, value: str, without: set[str]) -> dict[str, Any]:
    found: dict[str, dict[Lang, float | None]] = {}
    for row in rows:
        if row[key] not in without and any(r["mentions"] for r in rows if r["lang"] == row["lang"]):
            found.setdefault(row[key], {})[row["lang"]] = row[value]
    return found


def _grouped(
    name: str, title: str, caption: str, values: Values, label: str, files: bool, scale: float = 100
) -> Plot:
    """Horizontal bars in groups, a bar a language."""
    langs = [lang for lang in LANGUAGES if any(lang in row for row in values.values())]

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for place, lang in enumerate(langs):
            fill, lines, _ = _LOOKS[lang]
            at = [row + 0.38 * (place - (len(langs) - 1) / 2) for row in range(len(values))]
            wide = [scale * (row.get(lang) or 0.0) for row in values.values()]
            axes.barh(at, wide, height=0.36, color=fill, hatch=lines, ec=INK, lw=0.5,
                      label=LANGUAGES[lang])  # fmt: skip
        _rows(axes, list(values))
        axes.set_xlabel(label)
        _legend(axes, 2)

    return make_plot(name, title, caption, draw, height=0.9 + 0.32 * len(values), files=files)


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")


def _legend(axes: Axes, columns: int) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderaxespad=0.2)


def _whole(axis: Axis) -> None:
    """Ticks at whole numbers only."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))


def _percent(axes: Axes, axis: str) -> None:
    from matplotlib.ticker import PercentFormatter

    chosen = axes.xaxis if axis == "x" else axes.yaxis
    chosen.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=""))


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _plural(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
