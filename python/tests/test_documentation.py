"""The listings of docs/python.md run, one after the other."""

import re

import pytest
from conftest import TOP

import trainyard as ty


def test_listings_run():
    pytest.importorskip("sklearn")
    text = (TOP / "docs/python.md").read_text(encoding="utf-8")
    listings = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(listings) >= 5
    names = {}
    for listing in listings:
        exec(compile(listing, "docs/python.md", "exec"), names)
    assert set(names["mine"].labels) == {"ring", "local-sgd"}
    own, theirs = ty.compare(["mine:torus", "gossip:torus"], workers=9, steps=20, lr=1)
    assert own.model_hash == theirs.model_hash


def test_what_is_exported_is_there_and_documented():
    for name in ty.__all__:
        assert getattr(ty, name).__doc__, name
