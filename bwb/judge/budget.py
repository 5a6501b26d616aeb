"""What a file of answers may cost: requests, tokens and dollars, all runs of it together.

A request is only sent if the limit holds even should its answer be as long as is allowed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass

from bwb.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a file of answers; None is no limit.

    Attributes:
        dollars: In US dollars.
        requests: How often the endpoint is asked, repeats and failures included.
        tokens: Tokens of prompts and answers.
        prompt_price: Dollars for a million tokens of prompts; None if not known.
        answer_price: Dollars for a million tokens of answers; None if not known.
    """

    dollars: float | None = None
    requests: int | None = None
    tokens: int | None = None
    prompt_price: float | None = None
    answer_price: float | None = None

    def __post_init__(self) -> None:
        """Check that they go together.

        Raises:
            UsageError: if one is not positive, or dollars are limited without prices.
        """
        for name in ("dollars", "requests", "tokens"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise UsageError(f"a limit of {value} {name}; expected more than 0")
        prices = (self.prompt_price, self.answer_price)
        if any(price is not None and not 0 <= price < float("inf") for price in prices):
            raise UsageError(f"prices {prices}; expected dollars for a million tokens")
        if self.dollars is not None and None in prices:
            raise UsageError("--budget needs --price-in and --price-out")

    def cost(self, prompt: int, answer: int) -> float | None:
        """Dollars for so many tokens; None if the prices are not known."""
        if self.prompt_price is None or self.answer_price is None:
            return None
        return (prompt * self.prompt_price + answer * self.answer_price) / 1e6


class Budget:
    """What was spent and what is under way. For several threads."""

    def __init__(self, limits: Limits, requests: int, prompt: int, answer: int) -> None:
        """Begin with what earlier runs have spent."""
        self.limits = limits
        self.requests = requests
        self.prompt = prompt
        self.answer = answer
        self._under_way: dict[int, tuple[int, int]] = {}
        self._next = 0
        self._lock = threading.Lock()

    def begin(self, prompt: int, answer: int) -> tuple[int | None, str | None]:
        """Ask leave for a request.

        Args:
            prompt: Tokens of its prompt, estimated.
            answer: Tokens that its answer may have.

        Returns:
            A number for `end`, or None and the limit that would be passed.
        """
        with self._lock:
            prompts = self.prompt + prompt + sum(p for p, _ in self._under_way.values())
            answers = self.answer + answer + sum(a for _, a in self._under_way.values())
            limits = self.limits
            over = None
            if limits.requests is not None and self.requests + 1 > limits.requests:
                over = f"{limits.requests:,} requests"
            elif limits.tokens is not None and prompts + answers > limits.tokens:
                over = f"{limits.tokens:,} tokens"
            elif (
                limits.dollars is not None and (limits.cost(prompts, answers) or 0) > limits.dollars
            ):
                over = f"${limits.dollars:,.2f}"
            if over is not None:
                return None, over
            self.requests += 1
            self._next += 1
            self._under_way[self._next] = (prompt, answer)
            return self._next, None

    def end(self, number: int, prompt: int, answer: int) -> None:
        """Put what a request really cost in place of the estimate."""
        with self._lock:
            del self._under_way[number]
            self.prompt += prompt
            self.answer += answer

    @property
    def busy(self) -> bool:
        """Whether a request is under way, whose end may leave room for another."""
        with self._lock:
            return bool(self._under_way)

    @property
    def dollars(self) -> float | None:
        """What was spent; None if the prices are not known."""
        with self._lock:
            return self.limits.cost(self.prompt, self.answer)
