"""JSON documents in which something is missing, elsewhere, or of another kind."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD_VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2,
    10**30,
    1e308,
    0.5,
    "",
    "x",
    "../../../etc/passwd",
    "os.system",
    "SupportFeatureMachine",
    "Result",
    "a0.npy",
    "a1.npy",
    "<f8",
    "|O",
    "optimal",
    [],
    [[]],
    {},
    [2, 2],
    [10**12, 10**12],
    {"float": "nan"},
    {"float": "inf"},
    {"int": "-0x1" + 40 * "0"},
    {"tuple": []},
    {"dict": []},
    {"dict": [["a", 1], ["a", 2]]},
    {"dict": [[{"tuple": []}, 1]]},
    {"objects": ["a", None]},
    {"numpy": "int8", "value": 300},
    {"numpy": "object", "value": 1},
    {"status": "wonderful"},
    {"record": "Popen", "fields": {"args": "true"}},
    {"record": "WarmStart", "fields": {"features": None, "samples": 3}},
    {"estimator": "Liknon", "parameters": {}, "fitted": {}},
    {"estimator": "Pipeline", "parameters": {"steps": [], "memory": "/", "verbose": 0}},
    {"array": "a0.npy", "dtype": "<i8", "shape": [2]},
    {"array": "a1.npy", "dtype": "<f8", "shape": [1]},
    {"array": "a99.npy", "dtype": "<f8", "shape": [1]},
)


def places(node: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """All containers of a document, each with all keys."""
    for key, entry in node.items() if isinstance(node, dict) else enumerate(node):
        found.append((node, key))
        if isinstance(entry, (dict, list)):
            places(entry, found)
    return found


def change_document(rng: random.Random, document: Any) -> Any:
    """The document with one entry deleted, swapped, renamed or replaced."""
    container, key = rng.choice(places(document, []))
    way = rng.randrange(5)
    if way == 0:
        del container[key]
    elif way == 1:
        other, other_key = rng.choice(places(document, []))
        one, two = copy.deepcopy(container[key]), copy.deepcopy(other[other_key])
        container[key], other[other_key] = two, one
    elif way == 2 and isinstance(container, dict):
        container[rng.choice(("_tree", "predict", "__class__", "classes_", "x"))] = container.pop(
            key
        )
    else:
        container[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return document
