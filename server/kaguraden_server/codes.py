"""Room codes: two syllables twice over and four signs, such as `KAGU-7Q2F`.

Short enough to be read aloud, without signs that look or sound alike, and one of more than two
thousand million, so that nobody finds an unlisted room by trying.
"""

from __future__ import annotations

import re
import secrets

__all__ = ["normal_code", "random_code"]

CONSONANTS = "kstnhmrgzdb"
VOWELS = "aiueo"
SIGNS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0 O 1 I L U
RUDE = frozenset({"BAKA", "BUSU", "DEBU", "GOMI", "KUSO", "NAZI", "SEKI", "SUKE", "KASU", "ZAKO"})
_JOINTS = re.compile(r"[\s_-]+")


def random_code() -> str:
    """Return a code that nobody can have guessed."""
    word = ""
    while not word or word in RUDE:
        word = "".join(secrets.choice(CONSONANTS) + secrets.choice(VOWELS) for _ in "12").upper()
    return word + "-" + "".join(secrets.choice(SIGNS) for _ in "1234")


def normal_code(typed: str) -> str:
    """Return a code as it is kept, however somebody typed it: `kagu 7q2f` is `KAGU-7Q2F`."""
    signs = _JOINTS.sub("", typed).upper()
    return f"{signs[:4]}-{signs[4:]}"
