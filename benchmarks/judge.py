"""Reading stored answers of a judge: answers a second, against json-repair on every answer.

Answers are of the three published kinds; one in twelve is broken, as about one in twelve of the
published answers is, in equal parts: a code fence, quotation marks that are not escaped, pairs in
a list, an answer that is cut off. Of each kind of damage it is printed how many lists have the
length they were made with. Times are of the processor.

    python benchmarks/judge.py [--answers N]
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import json_repair

from bwb.judge.layout import reading_rules
from bwb.judge.reading import read_answer
from bwb.judge.replay import replay
from bwb.judge.scores import judge_answer

PLACES = reading_rules().published
WORDS = (
    "The",
    "translation",
    "calls",
    "'the ferry'",
    "a boat",
    "here,",
    "so",
    "that",
    "灯",
    "snow",
)


def sentence(chance: random.Random) -> str:
    """Some words."""
    return " ".join(chance.choices(WORDS, k=chance.randint(8, 25)))


def answer(chance: random.Random) -> tuple[str, float, str]:
    """An answer about accuracy, its number of mistakes, and what is broken about it."""
    items = [sentence(chance) for _ in range(chance.randint(1, 8))]
    lines = ",\n      ".join(json.dumps(item, ensure_ascii=False) for item in items)
    text = '{\n  "Accuracy": {\n    "Mistakes": [\n      ' + lines + "\n    ]\n  }\n}"
    damage = "none"
    if chance.random() < 1 / 12:
        damage = chance.choice(("fence", "quotes", "pairs", "cut"))
        if damage == "fence":
            text = f"```json\n{text}\n```"
        elif damage == "quotes":
            text = text.replace("a boat", '"a boat"', 3).replace("'the ferry'", '"the ferry"')
        elif damage == "pairs":
            text = text.replace('      "', '      "Omission": "')
        else:
            text = text[: -chance.randint(14, 20)]
    return text, len(items), damage


def library(text: str) -> float | None:
    """The score by json-repair alone."""
    value: Any = json_repair.loads(text, skip_json_loads=True)
    return judge_answer(value, PLACES[1:2])[0].score if isinstance(value, dict) else None


def ours(text: str) -> float | None:
    """The score by the reader."""
    reading = read_answer(text, PLACES)
    return None if reading.value is None else judge_answer(reading.value, PLACES[1:2])[0].score


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=20_000)
    args = parser.parse_args()
    chance = random.Random(1)
    made = [answer(chance) for _ in range(args.answers)]
    ours(made[0][0])
    right: dict[str, Counter[str]] = {}
    for name, read in (("bwb", ours), ("json-repair", library)):
        start = time.process_time()
        scores = [read(text) for text, _, _ in made]
        seconds = time.process_time() - start
        print(f"{name:<24} {len(made) / seconds:10,.0f} answers/s")
        right[name] = Counter(
            damage for (_, count, damage), got in zip(made, scores, strict=True) if got == count
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "answers.jsonl")
        rows = (
            {"translation2": "t", "reference": "r", "gpt_response": text} for text, _, _ in made
        )
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        start = time.process_time()
        replay([file]).summaries()
        seconds = time.process_time() - start
        print(f"{'bwb, file to scores':<24} {len(made) / seconds:10,.0f} answers/s")
    for damage, number in sorted(Counter(damage for _, _, damage in made).items()):
        shares = ", ".join(f"{name} {of[damage] / number:.1%}" for name, of in right.items())
        print(f"{damage:<8} {number:6,} answers, right number of mistakes: {shares}")


if __name__ == "__main__":
    main()
