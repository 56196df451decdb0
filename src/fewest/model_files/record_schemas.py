"""What the fields of results and certificates must be."""

from __future__ import annotations

from typing import Any

from fewest._solvers.result import Status
from fewest.model_files.errors import damaged
from fewest.model_files.specs import (
    Sizes,
    Spec,
    flag,
    floats,
    indices,
    instance,
    integer,
    many,
    maybe,
    number,
    whole,
)


def record(name: str) -> Spec:
    """A record of this class, its fields as listed below."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        instance(name)(value, where, sizes)
        for field, spec in FIELDS[name].items():
            spec(getattr(value, field), f"{where}.{field}", sizes)

    return check


def _chosen(value: Any, where: str, sizes: Sizes) -> None:
    whole(value, where, sizes)
    if value >= sizes.known.get("own values", 0):
        raise damaged(f"{where} lies behind the end of the path")


_STATUS = instance(Status)
FIELDS: dict[str, dict[str, Spec]] = {
    "WarmStart": {
        "features": indices(None, below="features"),
        "samples": indices(None, below="samples"),
    },
    "Result": {
        "slack": floats("samples"),
        "alpha": floats("samples"),
        "dual": floats("samples"),
        "features": indices("own selected", below="features"),
        "w": floats("own selected"),
        "b": number,
        "multiplier": number,
        "objective": number,
        "bound": number,
        "violation": number,
        "status": _STATUS,
        "rounds": whole,
        "seconds": number,
        "warm": record("WarmStart"),
        "vertex": maybe(indices(None, below="samples")),
    },
    "ZeroNormResult": {
        "features": indices("own selected", below="features"),
        "w": floats("own selected"),
        "b": number,
        "slack": floats("samples"),
        "rhs": number,
        "zero_norm_objective": number,
        "steps": many(tuple, record("Result"), at_least=1),
        "converged": flag,
    },
    "BoxLassoResult": {
        "alpha": floats("objects"),
        "residual": floats("samples"),
        "objective": number,
        "bound": number,
        "gap": number,
        "status": _STATUS,
        "n_iter": whole,
        "seconds": number,
    },
    "SupportFunction": {
        "mean": floats("support"),
        "inverse_scale": floats("support"),
        "weights": floats("machines", "support"),
        "intercept": floats("machines"),
    },
    "Discriminant": {
        "features": indices("own selected", below="features"),
        "weights": floats("own selected"),
        "intercept": number,
        "C": number,
        "monitoring_ber": number,
    },
    "MonitoredPath": {
        "fold": whole,
        "split": whole,
        "training": indices(None),
        "monitoring": indices(None),
        "Cs": floats("own values"),
        "n_features": indices("own values"),
        "ratios": floats("own values"),
        "monitoring_ber": floats("own values"),
        "chosen": _chosen,
        "discriminant": record("Discriminant"),
    },
    "Stability": {
        "frequency": floats("features"),
        "strength": floats("features"),
        "n_selected": indices(None),
    },
    "Step": {
        **dict.fromkeys(
            ("size", "n_sets", "n_tested", "n_survivors", "n_settled", "n_found"), whole
        ),
        "complete": flag,
        "seconds": number,
    },
    "Separation": {"columns": many(tuple, whole), "weights": many(tuple, integer)},
    "RuledOut": {
        "columns": many(tuple, whole),
        "samples": many(tuple, whole),
        "shares": many(tuple, integer),
    },
    "MinimumResult": {
        "size": maybe(whole),
        "lower_bound": whole,
        "certified": flag,
        "subsets": many(tuple, indices(None, below="features"), "own subsets"),
        "margins": floats("own subsets"),
        "n_found": whole,
        "complete": flag,
        "searched": many(tuple, record("Step")),
        "seconds": number,
        "n_features": whole,
        "separations": many(tuple, record("Separation")),
        "ruled_out": many(tuple, record("RuledOut")),
    },
}
