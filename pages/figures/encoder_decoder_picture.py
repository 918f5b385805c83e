"""The paper's figure 1 with live shapes, as HTML, read downwards: the encoder, at its right the decoder, memory between them.

Pure HTML, every text escaped. It needs `STYLE` on the page.
"""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from transformer import ModelConfig

STYLE: Final = Path(__file__).with_suffix(".css")
NORM, FEED_FORWARD = "norm", "feed_forward"
BYPASS: Final = '<i class="bypass"></i>'
"""The way of the residual stream, around a sublayer."""
ASKS: Final = '<em class="query">Q</em>'


class Stack(NamedTuple):
    """Stages in the order of computation, by name; those from `first` to `last` are one of the N blocks."""

    stages: Sequence[str]
    first: int
    last: int


def stacks(config: ModelConfig) -> tuple[Stack, Stack]:
    """The encoder and the decoder, LayerNorm where this model has it."""
    encoder, decoder = ("encoder_attention",), ("decoder_attention", "cross_attention")
    return _stack(encoder, ("memory",), config.norm_first), _stack(decoder, ("linear", "softmax"), config.norm_first)


def _stack(attentions: Sequence[str], after: Sequence[str], norm_first: bool) -> Stack:
    sublayers = *attentions, FEED_FORWARD
    pairs = [(NORM, f"{name}_added") if norm_first else (name, "add_norm") for name in sublayers]
    block = [stage for pair in pairs for stage in pair]
    before = ["tokens", "embedding"]
    last = [NORM] if norm_first else []
    return Stack([*before, *block, *last, *after], len(before), len(before) + len(block) - 1)


def encoder_decoder_picture(
    config: ModelConfig,
    tokens: tuple[Sequence[str], Sequence[str]],
    shapes: tuple[Mapping[str, str], Mapping[str, str]],
    names: Mapping[str, str],
    lit: Collection[str],
) -> str:
    """tokens, shapes: of the encoder and of the decoder; shapes by stage, "" for all others. names: of stages, "encoder", "decoder", "blocks".

    lit: stages that stand out.
    """
    both = stacks(config)
    cross = "cross_attention_added" if config.norm_first else "cross_attention"
    memory = both[0].stages.index("memory")
    tops = 1, 1 + memory - both[1].stages.index(cross)  # the memory goes straight across
    columns = "".join(
        _column(stack, side, top, words, shape, names, lit)
        for stack, side, top, words, shape in zip(both, ("encoder", "decoder"), tops, tokens, shapes, strict=True)
    )
    rows = max(top + len(stack.stages) for top, stack in zip(tops, both, strict=True))
    arrow = f'<div class="carry" style="grid-row: {tops[0] + 1 + memory}">{_flows(names)}</div>'
    return f'<div class="encoder-decoder" style="--rows: {rows}">{columns}{arrow}</div>'


def _flows(names: Mapping[str, str]) -> str:
    carried = '<em class="key">K</em>, <em class="value">V</em>'
    return f"<span>{carried}</span><b></b><span>{escape(names['carried'])}</span>"


def _column(
    stack: Stack,
    side: str,
    top: int,
    words: Sequence[str],
    shapes: Mapping[str, str],
    names: Mapping[str, str],
    lit: Collection[str],
) -> str:
    first = top + 1  # below the title
    blocks = f"grid-row: {first + stack.first} / {first + stack.last + 1}"
    panel = f'<div class="panel {side}" style="{blocks}"><span>{escape(names["blocks"])}</span></div>'
    title = f'<h4 class="{side}" style="grid-row: {top}">{escape(names[side])}</h4>'
    edges = {stack.first: "first", stack.last + 1: "next"}  # where an arrow crosses the block's frame
    stages = "".join(
        _stage(name, f"{side} {edges.get(place, '')}", first + place, words, shapes, names, lit)
        for place, name in enumerate(stack.stages)
    )
    return panel + title + stages


def _stage(
    name: str,
    side: str,
    row: int,
    words: Sequence[str],
    shapes: Mapping[str, str],
    names: Mapping[str, str],
    lit: Collection[str],
) -> str:
    bare = name.removesuffix("_added")
    if name == "tokens":
        inside = f"<code>{escape(' '.join(words))}</code>"
    else:
        sign = f" <small>{escape(names['added'])}</small>" if name != bare else ""
        inside = f"<b>{escape(names[bare])}{sign}</b><span>{escape(shapes.get(bare, shapes['']))}</span>"
        inside += BYPASS * (name == "add_norm" or name != bare) + ASKS * (bare == "cross_attention")
    kinds = " ".join(["stage", *side.split(), bare, *["lit"] * (bare in lit)])
    return f'<div class="{kinds}" style="grid-row: {row}">{inside}</div>'
