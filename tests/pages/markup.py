"""Reads back the pictures that pages draw as HTML."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from streamlit.testing.v1 import AppTest

VOID = {"wbr", "br", "img"}


@dataclass
class Element:
    """A tag with its classes, the text inside, and the elements inside."""

    classes: tuple[str, ...] = ()
    attributes: dict[str, str | None] = field(default_factory=dict)
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def all(self, name: str) -> list["Element"]:
        """Every element below with this class, in the order of the page."""
        below = [found for child in self.children for found in child.all(name)]
        return [self, *below] if name in self.classes else below

    def one(self, name: str) -> "Element":
        """The first of them."""
        return self.all(name)[0]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        element = Element(tuple((attributes.get("class") or tag).split()), attributes)
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


def parse(html: str) -> Element:
    """The elements of a piece of HTML; unbalanced tags are an error."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, "a tag was left open or closed twice"
    return reader.open[0]


def picture(app: AppTest) -> Element:
    """The picture of tokens on a page."""
    (drawn,) = (element.proto.body for element in app.get("html") if 'class="tokens"' in element.proto.body)
    return parse(drawn)
