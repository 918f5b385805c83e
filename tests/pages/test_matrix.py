"""What the clickable matrix sends to the browser is what it was given."""

import math
import re
from typing import Any

import pytest
import torch

from pages.figures import palette
from pages.figures.theme import color as color_of
from pages.matrix import Matrix, Readout
from pages.matrix.matrix import script
from pages.matrix.scene import WORDS, check_product, describe, explain
from tests.pages.reading import decode

NAN = float("nan")


def words(kind: Any) -> dict[str, str]:
    return dict.fromkeys(WORDS[kind], "a word")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_numbers_arrive_bit_for_bit_as_float32(dtype: torch.dtype) -> None:
    values = (torch.randn(5, 12, generator=torch.Generator().manual_seed(0)) * 9).to(dtype)
    sent = describe(Matrix(values.T, "Kᵀ"))
    assert sent["shape"] == (12, 5)
    assert torch.equal(decode(sent["values"], sent["shape"]), values.T.to(torch.float32))


def test_masked_cells_stay_masked_and_gradients_do_not_matter() -> None:
    values = torch.tensor([[1.0, NAN, -torch.inf], [0.0, -2.0, NAN]], requires_grad=True)
    sent = decode(describe(Matrix(values, "M"))["values"], [2, 3])
    assert torch.equal(sent.isnan(), values.isnan())
    assert sent[0, 2] == -torch.inf


def test_the_colour_range_is_the_arrays_own() -> None:
    values = torch.tensor([[0.5, -3.25, NAN], [2.0, -torch.inf, 1.0]])
    assert Matrix(values, "S").color_limit == 3.25
    assert Matrix(values, "S", limit=7).color_limit == 7
    assert Matrix(torch.rand(2, 3), "A", scale="weight").color_limit == 1
    assert Matrix(torch.full((2, 2), NAN), "M").color_limit == 1
    assert Matrix(torch.zeros(2, 2), "0").color_limit == 1


def test_offsets_labels_and_bands_are_sent() -> None:
    labels = ("the", "cat", "the")
    bands = (("head0", 2), ("head1", 2))
    sent = describe(Matrix(torch.ones(3, 4), "V", rows=labels, row_offset=2, column_offset=8, bands=bands))
    assert sent["rows"] == ["the", "cat", "the"]
    assert sent["offset"] == [2, 8]
    assert sent["bands"] == [("head0", 2), ("head1", 2)]
    assert sent["whole"] is None
    assert describe(Matrix(torch.ones(3, 4), "V", whole=(3, 17)))["whole"] == (3, 17)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"rows": ["one"]}, "Q has 5 rows but 1 labels"),
        ({"columns": ["one", "two"]}, "Q has 4 columns but 2 labels"),
        ({"bands": [("head0", 3)]}, "add up to its 4 columns"),
        ({"row_bands": [("head0", 3)]}, "add up to its 5 rows"),
        ({"role": "mauve"}, "'mauve'"),
        ({"bands": [("head16", 4)]}, "'head16'"),
        ({"limit": 0.0}, "above zero"),
        ({"limit": math.nan}, "above zero"),
        ({"whole": (5, 3)}, "cannot be a part"),
    ],
)
def test_a_matrix_says_what_is_wrong_with_it(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Matrix(torch.ones(5, 4), "Q", **options)


@pytest.mark.parametrize("shape", [(5,), (2, 5, 4), (0, 4)])
def test_a_matrix_has_two_axes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="two axes"):
        Matrix(torch.ones(shape), "Q")


@pytest.mark.parametrize(("top", "result"), [((3, 12), (5, 12)), ((4, 12), (12, 5))])
def test_a_product_has_the_shapes_of_a_product(top: tuple[int, int], result: tuple[int, int]) -> None:
    operands = Matrix(torch.ones(5, 4), "Q"), Matrix(torch.ones(top), "Kᵀ")
    with pytest.raises(
        ValueError, match=r"^Q \(5, 4\) · Kᵀ .* cannot be S .*: a product is \(R, K\)·\(K, C\) = \(R, C\)\.$"
    ):
        check_product(*operands, Matrix(torch.ones(result), "S"), None)


def test_a_bias_is_as_wide_as_its_product() -> None:
    shapes = (Matrix(torch.ones(5, 4), "X"), Matrix(torch.ones(4, 12), "W"), Matrix(torch.ones(5, 12), "Q"))
    check_product(*shapes, torch.ones(12))
    with pytest.raises(ValueError, match="bias"):
        check_product(*shapes, torch.ones(5))


def test_a_readout_names_the_words_it_misses() -> None:
    with pytest.raises(ValueError, match="'dot' also needs the words more, total"):
        Readout("dot", {"title": "{row} asks, {column} answers"})
    with pytest.raises(ValueError, match="divisor"):
        Readout("divide", words("divide"))
    with pytest.raises(ValueError, match="operands"):
        explain(Readout("sum", words("sum"), operands=(0, 3)), 3)


def test_a_layer_norms_epsilon_reaches_the_browser() -> None:
    assert explain(Readout("norm", words("norm"), epsilon=1e-5), 4)["epsilon"] == 1e-5
    with pytest.raises(ValueError, match="'norm' also needs the words mean, normalised, total, variance"):
        Readout("norm", {"title": "dim {column}"})


def test_a_readout_explains_the_last_matrix_by_all_before_it() -> None:
    sent = explain(Readout("sum", words("sum")), 3)
    assert (sent["operands"], sent["result"]) == ([0, 1], 2)


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_ramps_start_at_the_background_and_never_turn_back(theme: palette.Theme) -> None:
    diverging, sequential = palette.DIVERGING[theme], palette.SEQUENTIAL[theme]
    zero = len(diverging) // 2
    assert diverging[zero] == sequential[0] == palette.BACKGROUNDS[theme]
    for arm in (diverging[zero::-1], diverging[zero:], sequential):
        steps = [luminance(color) for color in arm]
        assert steps == sorted(steps, reverse=theme == "light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_role_has_a_colour_of_its_own_that_stands_out(theme: palette.Theme) -> None:
    colors = [color_of(role, theme) for role in palette.ROLES]
    assert len(set(colors)) == len(colors)
    ground = luminance(palette.BACKGROUNDS[theme])
    for color in colors:
        low, high = sorted((ground, luminance(color)))
        assert (high + 0.05) / (low + 0.05) > 2.8, color


def oklab(color: str) -> torch.Tensor:
    """Lightness, green–red and blue–yellow (Ottosson 2020): equal distances look about equally far."""
    channels = torch.tensor([int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = torch.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    cones = torch.tensor([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]) @ linear
    opposed = torch.tensor([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
    return opposed @ cones.pow(1 / 3)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_head_is_mistaken_for_a_name_or_for_another_head(theme: palette.Theme) -> None:
    heads = [oklab(color_of(role, theme)) for role in palette.ROLES if role.startswith("head")]
    others = [oklab(color_of(role, theme)) for role in palette.ROLES if not role.startswith("head")]
    for place, head in enumerate(heads):
        nearest = min(float(torch.dist(head, one)) for one in (*others, *heads[:place]))
        assert nearest > (0.1 if place < 6 else 0.07)


def test_the_script_draws_with_the_palette_of_the_figures() -> None:
    text = script()
    assert len(re.findall(r"^function draw\(", text, re.MULTILINE)) == 1
    assert palette.ROLES["query"][0] in text.splitlines()[0]
