"""Pieces of HTML and SVG, with all text escaped.

Names come from models, which are untrusted: this module is the only place that puts text between
tags. There are no ids, so that two outputs on one page cannot disturb each other.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Iterable, Sequence

from .layout import Drawing, Point

# The width of a character of the monospace font at 12 px.
CHARACTER = 7.25
# Characters that turn the direction of text around: a name must not reorder what is beside it.
_TURNING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C}


def escape(text: object) -> str:
    """The text as it may stand in content and in attributes."""
    return html.escape("".join(map(_visible, str(text))), quote=True)


def _visible(character: str) -> str:
    code = ord(character)
    if code in _TURNING or 0xD800 <= code < 0xE000:
        return "\ufffd"
    if code < 32 or 127 <= code < 160:
        return " " if character in "\t\n" else "\ufffd"
    return character


def tag(name: str, *content: str, **attributes: object) -> str:
    """An element; `content` is HTML already, values of attributes are escaped here.

    Underscores of names stand for `-`, one at the end is left out, and None leaves the attribute
    out.
    """
    text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{text}>{''.join(content)}</{name}>"


def _short(value: object) -> object:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def clip(text: object, most: int) -> str:
    """The text, cut to a number of characters."""
    whole = str(text)
    return whole if len(whole) <= most else whole[: max(1, most - 1)] + "\u2026"


def width(text: str) -> float:
    """The width of a text in the monospace font, in pixels."""
    wide = sum(unicodedata.east_asian_width(each) in "WF" for each in text)
    return (len(text) + wide) * CHARACTER


def words(x: float, y: float, text: object, kind: str = "", most: int = 60, **more: object) -> str:
    """A line of SVG text; what is cut off is in its tooltip."""
    short = clip(text, most)
    title = tag("title", escape(text)) if short != str(text) else ""
    return tag("text", title + escape(short), x=x, y=y, class_=kind or None, **more)


def picture(width: float, height: float, content: Iterable[str], label: str, role: str = "img") -> str:
    """An SVG image in a box that scrolls if the image is too wide.

    The role `group` is for images with parts that can be chosen.
    """
    margin = 10
    full, high = width + 2 * margin, height + 2 * margin
    image = tag(
        "svg",
        *content,
        xmlns="http://www.w3.org/2000/svg",
        role=role,
        aria_label=label,
        width=round(full),
        height=round(high),
        viewBox=f"{-margin:.0f} {-margin:.0f} {full:.0f} {high:.0f}",
    )
    return tag("div", image, class_="ip-picture")


def curve(points: Sequence[Point], across: bool) -> str:
    """A path through points that leaves and reaches each of them along the layout's direction."""
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if across:
            middle = (x0 + x1) / 2
            parts.append(f"C{middle:.1f} {y0:.1f} {middle:.1f} {y1:.1f} {x1:.1f} {y1:.1f}")
        else:
            middle = (y0 + y1) / 2
            parts.append(f"C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}")
    return "".join(parts)


def arrow(points: Sequence[Point], across: bool, kind: str = "", *, both: bool = False) -> str:
    """An edge with its head, which is drawn and not a marker: markers need ids."""
    end, before = points[-1], points[-2]
    parts = [tag("path", d=curve(points, across), class_=f"ip-edge {kind}".strip())]
    parts.append(_head(end, before, across))
    if both:
        parts.append(_head(points[0], points[1], across))
    return "".join(parts)


def _head(end: Point, before: Point, across: bool) -> str:
    x, y = end
    forward = (x - before[0] if across else y - before[1]) >= 0
    back, side = (-8 if forward else 8), 4
    if across:
        corners = f"{x:.1f},{y:.1f} {x + back:.1f},{y - side:.1f} {x + back:.1f},{y + side:.1f}"
    else:
        corners = f"{x:.1f},{y:.1f} {x - side:.1f},{y + back:.1f} {x + side:.1f},{y + back:.1f}"
    return tag("polygon", points=corners, class_="ip-head")


def better(one: Drawing, other: Drawing) -> Drawing:
    """The drawing that fits better into a page or notebook."""

    def size(drawing: Drawing) -> float:
        # Wide drawings need a scroll bar of their own, tall ones do not.
        wide = drawing.width / 860 * (1 if drawing.width <= 900 else 2)
        return max(wide, drawing.height / 520)

    return one if size(one) <= size(other) else other


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table; the cells are HTML already."""
    top = tag("tr", *(tag("th", escape(cell)) for cell in head))
    body = (tag("tr", *(tag("td", cell) for cell in row)) for row in rows)
    return tag(
        "div",
        tag("table", tag("thead", top), tag("tbody", *body), class_=f"ip-table {kind}".strip()),
        class_="ip-scroll",
    )


def code(text: object, most: int = 200) -> str:
    """A name or formula in the text."""
    short = clip(text, most)
    title = text if short != str(text) else None
    return tag("code", escape(short), class_="ip-code", title=title)
