"""The token embedding page: rows looked up are rows of the table, and a one-hot product gives the same."""

import re
from html import escape
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from pages.figures import neighbours, projection
from pages.ui import cache
from tests.pages.conftest import Open
from tests.pages.reading import array, chart, component, drawn, proof

REPEATED = "the cat sat on the mat because the mat was the best"
UNEVEN: dict[str, Any] = {"weights": "random", "d_model": 24, "heads": 3, "batch": 2, "context": 11, "row": 2}
PICKED = 5
CHOICES = pytest.mark.parametrize(
    "choices", [{**UNEVEN, "query": PICKED}, {"query": PICKED}], ids=["random", "trained"]
)
VIEWS = ["lookup", "product", "neighbours", "map"]


@CHOICES
def test_the_rows_gathered_are_the_rows_of_the_ids(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("token_embedding", **choices)
    lesson = app.session_state["_lesson"]
    table, ids = lesson.model.token_embedding.weight.detach(), lesson.tokens[lesson.row]
    shown, gathered = drawn(app, "lookup")
    assert torch.equal(gathered, lesson.embedding.token_embeddings[lesson.row])
    assert torch.equal(gathered, table[ids])
    first = component(app, "lookup")["matrices"][0]["offset"][0]
    assert torch.equal(shown, table[first : first + len(shown)])
    picked = int(ids[PICKED])
    assert torch.equal(shown[picked - first], gathered[PICKED])
    assert component(app, "lookup")["readout"]["index"] == ids.tolist()


@CHOICES
def test_a_one_hot_product_is_a_look_up(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("token_embedding", token_embedding_view="product", **choices)
    lesson = app.session_state["_lesson"]
    one_hot, rows, gathered = drawn(app, "one_hot")
    distinct = lesson.tokens[lesson.row].unique()
    assert torch.equal(one_hot @ rows, gathered)
    assert torch.equal(gathered, F.embedding(lesson.tokens[lesson.row], lesson.model.token_embedding.weight))
    assert torch.equal(rows, lesson.model.token_embedding.weight[distinct])
    assert torch.equal(one_hot.sum(1), torch.ones(lesson.length))
    assert set(one_hot.unique().tolist()) <= {0.0, 1.0}


def test_equal_tokens_take_equal_rows(open_page: Open) -> None:
    app = open_page("token_embedding", text=REPEATED)
    labels = component(app, "lookup")["matrices"][1]["rows"]
    _, gathered = drawn(app, "lookup")
    places = [place for place, label in enumerate(labels) if label == "·the"]
    assert len(places) == 3
    for place in places:
        assert torch.equal(gathered[place], gathered[places[0]])


def test_both_pictures_of_the_look_up_have_one_colour_range(open_page: Open) -> None:
    app = open_page("token_embedding")
    limits = {matrix["limit"] for matrix in component(app, "lookup")["matrices"]}
    assert limits == {max(float(matrix.abs().max()) for matrix in drawn(app, "lookup"))}


def test_the_table_can_be_paged_and_opens_at_a_newly_picked_token(open_page: Open) -> None:
    app = open_page("token_embedding", query=2, **UNEVEN)
    pager = next(widget for widget in app.number_input if str(widget.key).startswith("token_embedding_from"))
    pager.set_value(1000).run()
    matrix = component(app, "lookup")["matrices"][0]
    table = app.session_state["_lesson"].model.token_embedding.weight
    assert matrix["offset"] == [1000, 0]
    assert torch.equal(drawn(app, "lookup")[0], table[1000 : 1000 + matrix["shape"][0]])
    app.session_state["choices"]["query"] = 5
    app.run()
    matrix = component(app, "lookup")["matrices"][0]
    assert int(app.session_state["_lesson"].tokens[1, 5]) - matrix["offset"][0] in range(matrix["shape"][0])


@CHOICES
def test_neighbours_are_ordered_by_the_cosine_of_torch(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("token_embedding", token_embedding_view="neighbours", **choices)
    lesson = app.session_state["_lesson"]
    token = int(lesson.tokens[lesson.row, PICKED])
    untrained = cache.model(cache.Source(lesson.config, lesson.seed, False))
    models = [untrained, lesson.model] if lesson.source.trained else [lesson.model]
    figure = chart(app, "neighbours")
    assert len(figure["data"]) == len(models)
    for number, (model, bars) in enumerate(zip(models, figure["data"], strict=True), start=1):
        table = model.token_embedding.weight.detach()
        cosines = F.cosine_similarity(table, table[token], dim=1)
        cosines[token] = -2
        best = cosines.topk(12)
        torch.testing.assert_close(array(bars["x"]), best.values)
        axis = figure["layout"]["yaxis" if number == 1 else f"yaxis{number}"]
        names = [re.sub("</?span[^>]*>", "", name) for name in axis["ticktext"]]  # some letters are set larger
        assert names == [escape(lesson.label(row), quote=False) for row in best.indices.tolist()]


def test_the_cosine_is_worked_out_from_its_parts() -> None:
    table = torch.randn(17, 5, generator=torch.Generator().manual_seed(3))
    product, one, other, cosine = neighbours.cosine_parts(table, 2, 11)
    assert cosine == pytest.approx(product / (one * other))
    assert cosine == pytest.approx(float(F.cosine_similarity(table[2], table[11], dim=0)))


@pytest.mark.parametrize("query", range(0, 12, 3))
def test_a_calculator_gets_the_cosine_from_the_numbers_it_is_worked_out_from(open_page: Open, query: int) -> None:
    app = open_page("token_embedding", token_embedding_view="neighbours", query=query)
    (worked,) = [element.value for element in app.markdown if r"\times" in element.value]
    numbers = re.findall(r"(?<![A-Za-z])-?\d[\d.e-]*", worked.replace("−", "-"))
    product, one, other, cosine = map(float, numbers)
    assert f"{product / (one * other):.4g}" == f"{cosine:.4g}"


def test_a_row_of_zeros_has_no_neighbours_but_breaks_nothing() -> None:
    table = torch.randn(17, 5, generator=torch.Generator().manual_seed(3))
    table[4] = 0
    assert torch.isfinite(neighbours.nearest(table, 4, 12).cosines).all()


@CHOICES
def test_the_map_shows_the_principal_components_of_frequent_rows(open_page: Open, choices: dict[str, Any]) -> None:
    app = open_page("token_embedding", token_embedding_view="map", **choices)
    lesson = app.session_state["_lesson"]
    distinct = lesson.tokens[lesson.row].unique()
    corpus = cache.corpus_ids(lesson.vocabulary, lesson.corpus)
    rows = projection.with_frequent(distinct, corpus, lesson.config.vocab_size, 300)
    points = projection.project(lesson.model.token_embedding.weight.detach()[rows]).points
    others, own, ring, _ = chart(app, "embedding_map")["data"][-4:]
    for way, letter in enumerate("xy"):
        torch.testing.assert_close(torch.cat([array(own[letter]), array(others[letter])]), points[:, way])
        picked = int(lesson.tokens[lesson.row, PICKED])
        place = int((distinct == picked).nonzero())
        torch.testing.assert_close(array(ring[letter]), points[place : place + 1, way])
    assert own["text"] == [escape(lesson.label(row), quote=False) for row in distinct.tolist()]


def test_a_projection_keeps_the_most_variance_and_its_sign() -> None:
    rows = torch.randn(17, 5, generator=torch.Generator().manual_seed(3)) * torch.tensor([1.0, 5, 1, 3, 1])
    points, axes = projection.project(rows)
    _, _, directions = torch.pca_lowrank(rows, q=5, niter=20)
    centred = rows - rows.mean(0)
    torch.testing.assert_close(points.abs(), (centred @ directions[:, :2]).abs(), atol=1e-3, rtol=1e-3)
    torch.testing.assert_close(axes.explained, points.var(0) / rows.var(0).sum())
    assert (points.gather(0, points.abs().argmax(0, keepdim=True)) > 0).all()
    assert torch.equal(projection.project(rows.clone()).points, points)


def test_labels_on_the_map_neither_touch_nor_leave_it() -> None:
    points = torch.rand(200, 2, generator=torch.Generator().manual_seed(3))
    labels = [f"word {number}" if number % 3 else "词元" * 4 for number in range(200)]
    width, height = 400.0, 350.0
    shown = projection.legible(points, labels, (width, height), first=7, most=60)
    low, high = projection.frame(points)
    places = (points - low) / (high - low) * torch.tensor([width, height])
    assert [label.point for label in shown[:2]] == [7, 0]
    assert 20 < len(shown) <= 60
    for at, label in enumerate(shown):
        x, y = places[label.point].tolist()
        assert label.width == pytest.approx(projection.LETTER * (len(labels[label.point]) if label.point % 3 else 16))
        assert label.left >= 0
        assert label.left + label.width <= width
        assert 0 < y < height - projection.LINE
        assert label.left - 1e-3 <= x <= label.left + label.width + 1e-3
        for other in shown[:at]:
            across = abs(label.left + label.width / 2 - other.left - other.width / 2) - (label.width + other.width) / 2
            assert across >= projection.SPACE or abs(y - places[other.point][1]) >= projection.LINE


def test_markup_in_a_token_is_drawn_as_text(open_page: Open) -> None:
    choices = {"text": 'a "<b>" &', "weights": "random", "vocab": "characters"}
    names = chart(open_page("token_embedding", token_embedding_view="map", **choices), "embedding_map")["data"][1][
        "text"
    ]
    assert {"&lt;", "&gt;", "&amp;", '"'} <= set(names)  # plotly reads < as a tag, and knows no &quot;


@CHOICES
@pytest.mark.parametrize("view", VIEWS)
def test_what_is_proven_is_what_is_drawn(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    kernels = {"neighbours": "F.cosine_similarity", "map": "F.linear in float64"}
    told = proof(open_page("token_embedding", token_embedding_view=view, **choices))
    assert told.startswith("✓")
    assert kernels.get(view, "F.one_hot(ids) @ E") in told


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "choices",
    [
        {"text": "a", "vocab": "characters", "batch": 1, "d_model": 8, "heads": 1},
        {"text": "word after " * 100, "context": 128, "batch": 8, "row": 8, "d_model": 512, "heads": 16, "blocks": 1},
        {"text": "我喜欢猫 🐱 ∩", "corpus": "zh_classics", "vocab": "compact"},
    ],
    ids=["one token", "largest", "parts of characters"],
)
def test_extremes_draw_and_the_proof_holds(open_page: Open, view: str, choices: dict[str, Any]) -> None:
    app = open_page("token_embedding", token_embedding_view=view, weights="random", query=99, dim=999, **choices)
    assert proof(app).startswith("✓")
    sent = [*app.get("bidi_component"), *app.get("plotly_chart")]
    assert sum(element.proto.ByteSize() for element in sent) < 2_000_000
