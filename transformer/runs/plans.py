"""What a run is going to be: data, sizes and settings, as JSON that a person can read and change."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, Self, get_args

from transformer.checkpoint import family_of
from transformer.classification.task import SentenceData
from transformer.config import ModelConfig, TrainingConfig
from transformer.data import CORPORA, corpus_text
from transformer.tasks import LanguageModelling, Task
from transformer.tokenizer import CharacterTokenizer, Tokenizer, get_tokenizer
from transformer.translation.task import PairData
from transformer.user_text import DataError
from transformer.vocabulary import CompactTokenizer

TokenizerKind = Literal["compact", "characters", "cl100k_base", "r50k_base"]
Base = Literal["cl100k_base", "r50k_base"]


class Data(Protocol):
    """A frozen dataclass of JSON values that says what a run learns from."""

    family: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def task(self, context_length: int, own: str = "", tokenizer: Tokenizer | None = None) -> Task[Any]:
        """The task. `own` is what the learner brought, if anything; a stored `tokenizer` saves making it again.

        Raises:
            DataError: there is nothing to learn from.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class TextData:
    """A text, and how it is cut into tokens.

    Attributes:
        corpora: names in `CORPORA`; none stands for the learner's own text.
        tokenizer: `compact` is `base` cut down to the tokens of the text.
        base: the encoding that `compact` takes its tokens from.
        max_rows: most rows of the compact vocabulary; None for as many as there are tokens.
    """

    family: ClassVar[str] = "gpt"

    corpora: tuple[str, ...] = ("persuasion",)
    tokenizer: TokenizerKind = "compact"
    base: Base = "cl100k_base"
    max_rows: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "corpora", tuple(self.corpora))
        for name in self.corpora:
            if name not in CORPORA:
                raise ValueError(f"there is no corpus {name!r}; there are {', '.join(CORPORA)}")
        for name, kinds in (("tokenizer", TokenizerKind), ("base", Base)):
            if getattr(self, name) not in get_args(kinds):
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be one of {', '.join(get_args(kinds))}")
        if self.max_rows is not None and self.max_rows < 256:
            raise ValueError(f"max_rows is {self.max_rows}; it must be at least 256, one row for each byte")

    def texts(self, own: str = "") -> tuple[str, ...]:
        """The texts, each with an end of its own to hold out. Raises DataError `empty` if there is none."""
        texts = tuple(map(corpus_text, self.corpora)) or (own,)
        if not all(text.strip() for text in texts):
            raise DataError("empty")
        return texts

    def make_tokenizer(self, own: str = "") -> Tokenizer:
        """The tokenizer of these texts."""
        if self.tokenizer == "compact":
            return CompactTokenizer.from_corpus("\n\n".join(self.texts(own)), self.base, self.max_rows)
        if self.tokenizer == "characters":
            return CharacterTokenizer("\n\n".join(self.texts(own)))
        return get_tokenizer(self.tokenizer)

    def task(self, context_length: int, own: str = "", tokenizer: Tokenizer | None = None) -> LanguageModelling:
        """The next token of these texts. Raises DataError: `empty`, `too_short`."""
        return LanguageModelling.of(tokenizer or self.make_tokenizer(own), context_length, *self.texts(own))


DATA: dict[str, type[Any]] = {"gpt": TextData, "encoder_decoder": PairData, "classifier": SentenceData}
"""For each family of models, the kind of `Data` that it learns from."""


def of_own(data: Data) -> Data:
    """The same settings for data that the learner brings."""
    match data:
        case TextData():
            return replace(data, corpora=())
        case PairData():
            return replace(data, target="own")
        case SentenceData():
            return replace(data, language="own")
    raise TypeError(f"{data} is of no known kind")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run is: everything that decides its curve, and what people call it.

    Attributes:
        name: for people; need not be the only one of its kind.
        created: when, in UTC, as in ISO 8601.
        parent: the id of the run that this one continues, if any.
    """

    name: str
    data: Data
    model: ModelConfig
    training: TrainingConfig
    created: str = ""
    parent: str = ""

    def to_json(self) -> dict[str, Any]:
        """Data for `json`, from which `from_json` makes this plan again."""
        return {
            "name": self.name,
            "created": self.created,
            "parent": self.parent,
            "family": self.data.family,
            "data": asdict(self.data),
            "model": asdict(self.model),
            "training": asdict(self.training),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Self:
        """Undoes `to_json`. Raises ValueError with one sentence if this is no plan, or one that cannot be."""
        try:
            return cls(
                name=str(found["name"]),
                data=DATA[found["family"]](**found["data"]),
                model=family_of(found["family"]).config(**found["model"]),
                training=TrainingConfig(**found["training"]),
                created=str(found["created"]),
                parent=str(found["parent"]),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"this is no plan of a run: {error}") from error
