"""A join link as a QR code, in the characters of a terminal."""

from __future__ import annotations

__all__ = ["qr_lines"]

BORDER = 2  # modules; the standard asks for four, which take more lines
_HALVES = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}


def qr_lines(text: str, columns: int, *, colour: bool) -> list[str]:
    """Return a QR code line by line; nothing if it is wider than so many columns.

    Args:
        text: What it says.
        columns: How wide the terminal is.
        colour: For a terminal that shows colours and half blocks: black on white, whatever its own
            colours are. Otherwise in ASCII, for light signs on a dark ground.
    """
    import segno  # only hosts want it

    rows: list[tuple[int, ...]] = [
        tuple(row) for row in segno.make_qr(text, error="l").matrix_iter(border=BORDER)
    ]
    if len(rows) * (1 if colour else 2) > columns:
        return []
    if not colour:
        return ["".join("  " if dark else "##" for dark in row) for row in rows]
    if len(rows) % 2:
        rows.append((0,) * len(rows[0]))
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return [
        "\x1b[30;107m" + "".join(_HALVES[pair] for pair in zip(*both, strict=True)) + "\x1b[0m"
        for both in pairs
    ]
