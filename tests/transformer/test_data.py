"""What is learned from and what is judged by never meet, and every window follows from a seed."""

from itertools import islice

import pytest
import torch

from transformer.data import CORPORA, Batches, corpus_text, corpus_windows, evaluation_windows, split, windows

N, B, T = 101, 3, 7
IDS = torch.arange(1000, 1000 + N)


def test_targets_are_inputs_one_token_later() -> None:
    inputs, targets = windows(IDS, torch.tensor([4, 0, 93]), T)
    assert inputs.tolist() == [list(range(1000 + start, 1000 + start + T)) for start in (4, 0, 93)]
    assert torch.equal(targets, inputs + 1)


def test_the_last_tenth_of_each_text_is_held_out() -> None:
    train, validation = split(torch.arange(50), torch.arange(100, 130))
    assert train.tolist() == [*range(45), *range(100, 127)]
    assert validation.tolist() == [*range(45, 50), *range(127, 130)]


def test_no_evaluation_window_overlaps_training_text_or_another_window() -> None:
    train, validation = split(IDS, held_out=0.3)
    learned = {int(id) for batch in islice(Batches(train, B, T, seed=2), 200) for id in batch.targets.flatten()}
    inputs, targets = evaluation_windows(validation, T)
    assert learned == set(train[1:].tolist())
    assert not learned & {*inputs.flatten().tolist(), *targets.flatten().tolist()}
    assert inputs.flatten().tolist() == validation[: inputs.numel()].tolist()
    assert len(validation) - T <= targets.numel() < len(validation)


def test_a_few_evaluation_windows_are_spread_over_the_text() -> None:
    starts = evaluation_windows(IDS, T, count=5).inputs[:, 0] - 1000
    assert starts.tolist() == [0, 2 * T, 5 * T, 8 * T, 11 * T]
    assert torch.equal(evaluation_windows(IDS, T, count=99).inputs, evaluation_windows(IDS, T).inputs)


def test_batches_reach_the_first_and_the_last_token() -> None:
    batches = Batches(torch.arange(T + 2), B, T, seed=0)
    assert {int(inputs[0, 0]) for inputs, _ in islice(batches, 50)} == {0, 1}


def test_batches_go_on_exactly_where_they_stopped() -> None:
    batches = Batches(IDS, B, T, seed=5)
    for _ in range(4):
        next(batches)
    resumed = Batches(IDS, B, T, seed=5, drawn=batches.drawn)
    for _ in range(3):
        assert torch.equal(next(batches).inputs, next(resumed).inputs)


def test_the_seed_decides_the_batches() -> None:
    assert torch.equal(next(Batches(IDS, B, T, seed=5)).inputs, next(Batches(IDS, B, T, seed=5)).inputs)
    assert not torch.equal(next(Batches(IDS, B, T, seed=5)).inputs, next(Batches(IDS, B, T, seed=6)).inputs)


def test_more_rows_leave_the_first_rows_of_a_lesson_as_they_are() -> None:
    assert torch.equal(corpus_windows(IDS, 7, T, seed=1)[:3], corpus_windows(IDS, 3, T, seed=1))
    assert corpus_windows(IDS, 0, T, seed=1).shape == (0, T)


@pytest.mark.parametrize("cut", [lambda ids: Batches(ids, B, T), lambda ids: evaluation_windows(ids, T)])
def test_a_text_too_short_for_a_window_is_refused(cut: object) -> None:
    with pytest.raises(ValueError, match="a text of 7 tokens holds no window of 7 and its next token"):
        cut(IDS[:T])  # type: ignore[operator]


def test_every_corpus_is_there_and_in_its_language() -> None:
    for name, corpus in CORPORA.items():
        chinese = sum("一" <= character <= "鿿" for character in corpus_text(name)) > 10_000
        assert chinese == (corpus.language == "zh")


def test_several_corpora_follow_each_other() -> None:
    both = corpus_text("persuasion", "zh_classics")
    assert both.startswith(corpus_text("persuasion")) and both.endswith(corpus_text("zh_classics"))


def test_paragraphs_are_one_line_each_and_verses_keep_theirs() -> None:
    opening = (
        "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want"
    )
    assert f"\n\n{opening} of a wife.\n\n" in corpus_text("pride_and_prejudice")
    assert '"Many a flower is born to blush unseen,\n' in corpus_text("northanger_abbey")
    assert "朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？”\n" in corpus_text("zh_classics")


def test_an_unknown_corpus_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ValueError, match="there is no corpus 'emma'; there are persuasion, "):
        corpus_text("emma")
