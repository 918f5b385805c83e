"""Text → pieces → ids: how a sentence becomes rows of a table (byte pair encoding, Sennrich et al. 2016)."""

from functools import cache

import streamlit as st
import torch

from pages.figures import merge_stairs, token_strip
from pages.matrix.clicks import clickable
from pages.ui import state, text
from pages.ui.cache import tokenizer as tokenizer_of
from pages.ui.parts import Page, Proof
from transformer import get_tokenizer
from transformer.tokenizer import BytePairTokenizer, CharacterTokenizer, Merge, byte_pair_merges, spell

BYTE_PAIRS = "cl100k_base", "r50k_base"
LONGEST_WORD = 40  # bytes: the picture has a column for each

page = Page(__file__)
lesson, words = page.lesson, page.words
tokenizer, sentence = lesson.tokenizer, lesson.sentence
walked = sentence.first(lesson.length)
merging = tokenizer if isinstance(tokenizer, BytePairTokenizer) else get_tokenizer("cl100k_base")


def shown(raw: bytes) -> str:
    """Bytes as text with its white space visible, in hexadecimal where they are no text."""
    return text.token(spell(raw))


def both_numbers(row: int) -> str:
    """A row of the merging vocabulary and, where its rows were picked from another encoding, the id there."""
    return str(row) if merging.base == merging.name else f"{row} ({merging.base_ids([row])[0]})"


@cache
def last_merge(raw: bytes) -> Merge | None:
    """The merge that made a token of two parts; None for a single byte."""
    return next(reversed(list(byte_pair_merges(raw, merging.ranks))), None)


def chip(place: int) -> token_strip.Chip:
    """A token of the sentence with what its card tells."""
    row, raw = sentence.ids[place], sentence.bytes[place]
    base = None if tokenizer.base == tokenizer.name else tokenizer.base_ids([row])[0]
    facts = [(words.place, str(place)), (words.row, f"{row:,}")]
    if base is not None:
        facts.append((words.base.format(name=tokenizer.base), f"{base:,}"))
    if tokenizer is merging and (last := last_merge(raw)):
        facts.append((words.joined, " + ".join(map(shown, last.before))))
    facts.append((words.bytes, raw.hex(" ").upper()))
    return token_strip.Chip(lesson.label(row), row, base, facts)


def draw_pieces() -> None:
    """The sentence in its pieces; those that only together make a character stand under one bracket."""
    chips = [chip(place) for place in range(min(len(sentence), token_strip.MOST))]
    groups = [(group, shown(b"".join(sentence.bytes[group.start : group.stop]))) for group in sentence.groups]
    legend = token_strip.Legend(words.row, words.base.format(name=tokenizer.base), words.read)
    strip = token_strip.strip(chips, groups, lesson.picked("query", lesson.length), lesson.length, legend)
    clickable(strip, key="pieces", on_pick=lambda part: state.put("query", part["place"]))


def encoded(code: str, name: str) -> token_strip.Encoded:
    """The sentence under one vocabulary."""
    other = tokenizer_of(code, lesson.corpus)
    tokens = other.encode(sentence.text)
    about, each = f"{other.vocab_size:,}", text.number(len(sentence.text) / len(tokens), 3)
    pieces = [text.token(piece) for piece in tokens.pieces]
    own = code == lesson.vocabulary
    return token_strip.Encoded(name, words.rows.format(n=about), pieces, words.per_token.format(n=each), own)


def draw_encodings() -> None:
    """The sentence under every vocabulary that can be chosen, one below the other."""
    names = page.frame.codes.table()
    compact = (lesson.vocabulary, words.trained) if lesson.source.trained else ("compact", names["compact"])
    merged = [encoded(code, name) for code, name in (compact, *((code, names[code]) for code in BYTE_PAIRS))]
    if all(row.pieces == merged[0].pieces for row in merged):
        st.markdown(words.agree)
    st.html(token_strip.encodings([*merged, encoded("characters", words.characters)]))


def draw_merges() -> None:
    """Every merge of one word, in order."""
    choices = list(dict.fromkeys(merging.words(sentence.text)))
    word = st.selectbox(
        words.word,
        choices,
        max(range(len(choices)), key=lambda place: len(choices[place])),
        format_func=text.token,
        key=f"{page.name}_word",
        label_visibility="collapsed",
        width=220,
    )
    word = word.encode()[:LONGEST_WORD].decode(errors="ignore")
    note, absent = (words.why, words.absent) if merging is tokenizer else (words.borrowed, words.no_token)
    heading = words.id if merging.base == merging.name else words.ids.format(name=merging.base)
    steps = merging.merges(word)
    st.html(
        merge_stairs.stairs(
            word.encode(),
            steps,
            merging.ranks,
            spell=shown,
            number=both_numbers,
            headings=(words.pairs, heading),
            notes=(note, absent),
        )
    )


def proof() -> Proof:
    """The ids anew, by the library's own merging in place of tiktoken's; for characters, the bytes of the text."""
    if tokenizer is not merging:
        joined, typed = b"".join(sentence.bytes), state.get("text").encode("utf-8", "surrogatepass")
        return Proof(torch.tensor(list(joined)), torch.tensor(list(typed)), "str.encode")
    merged = [(raw, last_merge(raw)) for raw in walked.bytes]
    ids = [last.rank if last else merging.ranks[raw] for raw, last in merged]
    return Proof(torch.tensor(walked.ids), torch.tensor(ids), "byte_pair_merges")


page.opening(
    words.sizes.format(characters=len(sentence.text), bytes=sum(map(len, sentence.bytes))),
    (words.tokens if len(sentence) == lesson.length else words.walked).format(n=len(sentence), walked=lesson.length),
)
st.html(token_strip.STYLE)
VIEWS = {"pieces": draw_pieces, "encodings": draw_encodings, "merges": draw_merges}
VIEWS[page.view(*VIEWS)]()
page.details(
    byte_pair_merges if merging is tokenizer else CharacterTokenizer,
    walked,
    [],
    proof(),
    rows=f"{tokenizer.vocab_size:,}",
    last=f"{tokenizer.vocab_size - 1:,}",
)
