"""Decoding against the model itself: what is written, how probable it was, and what the best would have been."""

from itertools import product

import pytest
import torch
from torch import Tensor

from transformer import ModelConfig
from transformer.encoder_decoder import BEGIN, END, PADDING, EncoderDecoder, padded
from transformer.translation.decoding import beam_search, greedy, greedy_ids, penalty, teacher_forcing

V = 7
CONFIG = ModelConfig(vocab_size=V, context_length=9, d_model=12, num_heads=3, num_blocks=2, d_ff=20, norm_first=False)
SOURCES = [[3, 5, 5, 6], [4, 6], [6, 3, 5, 4, 3, 3, 5, 6]]


def undecided(seed: int) -> EncoderDecoder:
    """A model to which many translations are about as probable."""
    model = EncoderDecoder(CONFIG, seed=seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)) * 0.1)
    return model


@pytest.fixture(params=range(2))
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    return undecided(request.param)


def forced(model: EncoderDecoder, source: Tensor, ids: tuple[int, ...]) -> list[float]:
    """The log-probability of each token, all in one pass of `forward`."""
    inputs = torch.tensor([[BEGIN, *ids[:-1]]])
    found = model(source, inputs).log_softmax(-1)[0]
    return [found[position, id].item() for position, id in enumerate(ids)]


def test_greedy_always_writes_the_most_probable_token(model: EncoderDecoder) -> None:
    source = padded(SOURCES)
    for step in greedy(model, source):
        expected = model(source, step.written)[:, -1].softmax(-1)
        torch.testing.assert_close(step.probabilities, expected, atol=1e-5, rtol=0)
        best = expected.index_fill(-1, torch.tensor([PADDING, BEGIN]), 0.0).argmax(-1)
        ended = (step.written == END).any(-1)
        assert torch.equal(step.chosen, torch.where(ended, PADDING, best))


def test_a_step_shows_what_the_decoder_looked_at(model: EncoderDecoder) -> None:
    source = padded(SOURCES)
    for step in greedy(model, source):
        trace = model.trace(source, step.written).decoder
        for weights, block in zip(step.cross_weights, trace.blocks, strict=True):
            torch.testing.assert_close(weights, block.cross_attention.weights[:, :, -1])
            assert (weights[1, :, 2:] == 0).all()


def test_a_sentence_is_translated_the_same_in_any_company(model: EncoderDecoder) -> None:
    alone = [greedy_ids(model, padded([source]))[0] for source in SOURCES]
    assert greedy_ids(model, padded(SOURCES)) == alone


def test_the_encoder_runs_once(model: EncoderDecoder) -> None:
    runs: list[int] = []
    handle = model.encoder_blocks[0].register_forward_hook(lambda *_: runs.append(1))
    list(greedy(model, padded(SOURCES)))
    list(beam_search(model, padded(SOURCES[:1]), width=3))
    handle.remove()
    assert len(runs) == 2


@pytest.mark.parametrize("source", SOURCES)
def test_a_beam_of_one_is_greedy(model: EncoderDecoder, source: list[int]) -> None:
    *_, (best,) = beam_search(model, padded([source]), width=1)
    (ids,) = greedy_ids(model, padded([source]))
    assert [id for id in best.ids if id != END] == ids


@pytest.mark.parametrize("width", [1, 2, 5, 40])
@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_a_hypothesis_is_as_probable_as_when_it_is_given(
    model: EncoderDecoder, width: int, length_penalty: float
) -> None:
    source = padded(SOURCES[:1])
    for beam in beam_search(model, source, width, length_penalty):
        assert [one.score for one in beam] == sorted((one.score for one in beam), reverse=True)
        assert len({one.ids for one in beam}) == len(beam) <= width
        for one in beam[:5]:
            given = forced(model, source, one.ids)
            assert list(one.log_probabilities) == pytest.approx(given, abs=1e-4)
            assert one.log_probability == pytest.approx(sum(given), abs=1e-4)
            assert one.score == pytest.approx(sum(given) / penalty(len(one.ids), length_penalty), abs=1e-4)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_a_beam_that_drops_nothing_finds_the_best_of_all(model: EncoderDecoder, length_penalty: float) -> None:
    source, words, longest = padded(SOURCES[1:2]), range(3, V), 3
    texts = [text for length in range(longest + 1) for text in product(words, repeat=length)]
    sequences = [(*text, END) for text in texts if len(text) < longest] + [t for t in texts if len(t) == longest]
    scores = {ids: sum(forced(model, source, ids)) / penalty(len(ids), length_penalty) for ids in sequences}
    *_, beam = beam_search(model, source, 500, length_penalty, max_length=longest)
    assert beam[0].ids == max(scores, key=lambda ids: scores[ids])
    assert {one.ids for one in beam} == set(scores)


def test_what_is_finished_ends_and_nobody_writes_padding_or_a_beginning(model: EncoderDecoder) -> None:
    *_, beam = beam_search(model, padded(SOURCES[:1]), width=6)
    for one in beam:
        assert one.finished == (one.ids[-1] == END) and END not in one.ids[:-1]
        assert not {PADDING, BEGIN} & set(one.ids)
        assert one.finished or len(one.ids) == CONFIG.context_length


def test_nothing_is_written_beyond_the_context_or_the_wanted_length(model: EncoderDecoder) -> None:
    with torch.no_grad():
        model.output.weight[END] = -model.output.weight.sum(0)
    for wanted, most in ((None, 9), (4, 4), (50, 9)):
        assert len(list(greedy(model, padded(SOURCES[:1]), wanted))) <= most
        assert len(list(beam_search(model, padded(SOURCES[:1]), 2, max_length=wanted))) <= most


@pytest.mark.parametrize("source", [torch.zeros(1, 3, dtype=torch.long), torch.tensor([[5]])])
def test_a_source_of_nothing_or_one_token_is_translated_too(model: EncoderDecoder, source: Tensor) -> None:
    assert all(torch.isfinite(step.probabilities).all() for step in greedy(model, source))
    *_, beam = beam_search(model, source)
    assert all(one.score > -torch.inf for one in beam)


def test_teacher_forcing_reads_the_target_and_is_asked_for_what_follows(model: EncoderDecoder) -> None:
    source, target = padded(SOURCES[:2]), padded([[4, 3, 6], [5]])
    forcing = teacher_forcing(model, source, target)
    assert forcing.trace.decoder.tokens.tolist() == [[BEGIN, 4, 3, 6], [BEGIN, 5, PADDING, PADDING]]
    assert forcing.targets.tolist() == [[4, 3, 6, END], [5, END, PADDING, PADDING]]
    assert forcing.of_targets[0].tolist() == pytest.approx(forced(model, source[:1], (4, 3, 6, END)), abs=1e-4)
    assert forcing.of_targets[1, :2].tolist() == pytest.approx(forced(model, source[1:, :2], (5, END)), abs=1e-4)
    assert forcing.of_targets[1, 2:].tolist() == [0, 0]


def test_the_penalty_is_that_of_wu() -> None:
    assert penalty(1, 0.6) == 1 and penalty(30, 0) == 1
    assert penalty(13, 0.6) == pytest.approx(3**0.6)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"width": 0}, r"^width is 0; it must be at least 1$"),
        ({"length_penalty": -1.0}, r"^length_penalty is -1\.0; it must be at least 0$"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_sentence(arguments: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        next(beam_search(undecided(0), padded(SOURCES[:1]), **arguments))  # type: ignore[arg-type]


def test_beam_search_takes_one_sentence() -> None:
    with pytest.raises(ValueError, match=r"^beam search takes one sentence at a time, not 3$"):
        next(beam_search(undecided(0), padded(SOURCES)))
