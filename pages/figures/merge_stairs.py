"""How byte pair encoding joined a word, as HTML: a line for each merge, a column for each byte."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from itertools import pairwise

from pages.figures.token_strip import card, picture
from transformer.tokenizer import Merge, single_bytes

MOST_PAIRS = 10
NO_TOKEN = "–"


def stairs(
    word: bytes,
    merges: Sequence[Merge],
    ranks: Mapping[bytes, int],
    *,
    spell: Callable[[bytes], str],
    number: Callable[[int], str],
    headings: tuple[str, str],
    notes: tuple[str, str],
) -> str:
    """Every merge on the way from single bytes to tokens; pointing at a step shows which pairs it chose from.

    spell: how bytes are written. number: how an id is written. headings: what stands over the pairs and over their ids.
    notes: why the lit pair was chosen, and what it means that a pair has no id.
    """
    head = f'<div class="step heading"><small class="rank">{escape(headings[1])}</small></div>' if merges else ""
    lines = [
        f'<div class="step thing{" picked" * (step == 0)}" tabindex="0">'
        f'{_parts(merge.before, spell, merge.position)}<span class="rank">{escape(number(merge.rank))}</span>'
        f"{_choice(merge, ranks, spell, number, headings, notes)}</div>"
        for step, merge in enumerate(merges)
    ]
    whole = merges[-1].after if merges else single_bytes(word)
    last = f'<div class="step">{_parts(whole, spell)}</div>'
    size = f"--columns:{len(word)};--rows:{len(merges) + 2}"
    return picture(f'<div class="stairs" style="{size}">{head}{"".join(lines)}{last}</div>', explained=True)


def _parts(parts: Sequence[bytes], spell: Callable[[bytes], str], lit: int = -2) -> str:
    return "".join(
        _part(part, spell(part), {lit: " left", lit + 1: " right"}.get(at, "")) for at, part in enumerate(parts)
    )


def _part(part: bytes, shown: str, side: str) -> str:
    """One part over as many columns as it has bytes; hexadecimal ones lose their brackets, for lack of room."""
    is_hex = len(shown) > 1 and shown.startswith("⟨")
    text = shown.strip("⟨⟩") if is_hex else shown
    return f'<span class="piece{side}{" hex" * is_hex}" style="grid-column:span {len(part)}">{escape(text)}</span>'


def _choice(
    merge: Merge,
    ranks: Mapping[bytes, int],
    spell: Callable[[bytes], str],
    number: Callable[[int], str],
    headings: tuple[str, str],
    notes: tuple[str, str],
) -> str:
    """The pairs of neighbours, those that form a token first, the lowest id on top: that one is merged."""
    pairs = sorted({(ranks.get(a + b, len(ranks)), a, b) for a, b in pairwise(merge.before)})
    facts = [
        (f"{spell(a)} + {spell(b)}", number(rank) if rank < len(ranks) else NO_TOKEN)
        for rank, a, b in pairs[:MOST_PAIRS]
    ]
    more = [("…", "")] if len(pairs) > MOST_PAIRS else []
    note = " ".join(notes if any(fact == NO_TOKEN for _, fact in facts) else notes[:1])
    return card(spell(merge.after[merge.position]), [headings, *facts, *more], lit=1, note=note)
