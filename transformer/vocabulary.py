"""A byte pair encoding cut down to one corpus, and tokenizers stored beside the weights that were trained with them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import tiktoken

from transformer.bilingual import BilingualTokenizer
from transformer.tokenizer import (
    BytePairTokenizer,
    CharacterTokenizer,
    Tokenizer,
    byte_pair_merges,
    get_tokenizer,
    single_bytes,
)
from transformer.words import WordTokenizer


class CompactTokenizer(BytePairTokenizer):
    """A byte pair encoding with only those tokens of another that one corpus needs, numbered anew in the same order."""

    def __init__(self, base: BytePairTokenizer, base_ids: Iterable[int]) -> None:
        """`base_ids` are the tokens to keep. Raises ValueError unless the 256 single bytes are among them."""
        self._base_ids = tuple(sorted(set(base_ids)))
        ranks = {base.token_bytes(id): row for row, id in enumerate(self._base_ids)}
        if not ranks.keys() >= set(single_bytes(bytes(range(256)))):
            raise ValueError("a compact vocabulary must hold the 256 single bytes, or not every text has tokens")
        super().__init__(tiktoken.Encoding("compact", pat_str=base.pattern, mergeable_ranks=ranks, special_tokens={}))
        self.base = base.name

    @classmethod
    def from_corpus(cls, text: str, base: str = "cl100k_base", max_rows: int | None = None) -> "CompactTokenizer":
        """The vocabulary that cuts `text` into the same pieces as `base`, or nearly so with at most `max_rows` rows.

        Raises ValueError if `max_rows` is under 256.
        """
        tokenizer = get_tokenizer(base)
        return cls(tokenizer, needed_ids(Counter(tokenizer.encode(text).ids), tokenizer.ranks, max_rows))

    def base_ids(self, ids: Iterable[int]) -> tuple[int, ...]:
        """The ids that these rows have in the whole encoding."""
        return tuple(self._base_ids[id] for id in ids)

    def to_json(self) -> dict[str, Any]:
        """The base's name and the base id of every row."""
        return {"name": self.name, "base": self.base, "base_ids": list(self._base_ids)}


def needed_ids(counts: Mapping[int, int], ranks: Mapping[bytes, int], max_rows: int | None) -> list[int]:
    """The ids that a corpus needs, in order: single bytes, its tokens, and the merges on the way to them.

    With these alone the corpus falls into the same tokens as before, because every merge that leads to them is still
    there and none that could come in between was added. `counts` says how often each id occurs; where `max_rows` is
    too few, the rarest are left out and their words split. Raises ValueError if there is no room for the bytes.
    """
    if max_rows is not None and max_rows < 256:
        raise ValueError(f"a vocabulary has at least 256 rows, one for each byte; {max_rows} are too few")
    spelling = {id: raw for raw, id in ranks.items()}
    kept = {ranks[bytes([byte])] for byte in range(256)}
    for id in sorted(counts, key=lambda id: (-counts[id], id)):
        needed = {merge.rank for merge in byte_pair_merges(spelling[id], ranks)} - kept
        if max_rows is not None and len(kept) + len(needed) > max_rows:
            break
        kept |= needed
    return sorted(kept)


def tokenizer_from_json(data: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer whose `to_json` gave `data`. Raises ValueError if there is none of that name."""
    match data["name"]:
        case "characters":
            return CharacterTokenizer(data["characters"])
        case "compact":
            return CompactTokenizer(get_tokenizer(data["base"]), data["base_ids"])
        case "words":
            return WordTokenizer(data["words"])
        case "bilingual":
            return BilingualTokenizer(data["words"])
        case name:
            return get_tokenizer(name)
