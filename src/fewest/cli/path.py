"""`fewest path`: number of features and errors against C."""

from __future__ import annotations

import argparse
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from fewest.cli import _options as options
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._rules import add_rule_options

if TYPE_CHECKING:
    from fewest._estimators.held_out import HeldOut
    from fewest.cli._job import Job
    from fewest.report.content import CostCurve, CostPoint

__all__ = ["add_options", "run"]

_EXPLANATION = (
    "Balanced errors on the samples that were fitted (training) and, where there are folds, in "
    "cross-validation."
)

_DESCRIPTION = """\
Show what C does: the number of features, the training error and the
cross-validated error (features selected again in every fold) against C."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    path = options.new_command(
        commands,
        "path",
        help="number of features and errors against C, as a table and a figure",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --plot path.png --json path.json",
            "expression.csv --target diagnosis --method liknon --values 50 --cv 10",
        ),
        reads_table=True,
    )
    group = options.add_method(path, ("sfm", "liknon"))
    group.option("--values N", "how many values of C", options.at_least_one, 20)
    group.option(
        "--grid",
        "values of C: evenly (in the logarithm) from the first to the last one at which the "
        "linear program's solution changes, or (liknon only) from the class differences of the "
        "features, as its authors do",
        default="breakpoints",
        choices=("breakpoints", "transvariation"),
    )
    add_rule_options(path)
    options.add_validation(path)
    options.add_output(path, quiet="print the table only; no progress bar", plot="the table")


def run(arguments: argparse.Namespace) -> None:
    """Read, fit along the path, cross-validate, report, draw."""
    from fewest.cli._job import start_job
    from fewest.cli._text import cost_table
    from fewest.report._drawings import plot_costs

    settle_method(arguments)
    job = start_job(arguments, "plot")
    job.rules = job.read_rules()
    estimator = make_estimator(arguments, job.rules)
    job.say_method(estimator, with_C=False)
    curve, held_outs = _follow(job, estimator)
    draw = partial(
        job.draw,
        lambda figure: plot_costs(curve, figure.subplots()),
        figsize=(6.4, 4.4),
        layout="constrained",
    )
    if arguments.report and curve.chosen is not None:
        job.leave_out(
            "permutation",
            "the same samples chose C, so a test with this C would be optimistic. The command "
            "fewest select chooses C again for every labelling",
        )
    job.deliver(
        lambda _: cost_table(curve),
        curve,
        estimator=estimator,
        later=[("plot", draw)] if arguments.plot else [],
        page=lambda _: _describe_page(job, estimator, curve, held_outs),
    )


def _follow(job: Job, estimator: Any) -> tuple[CostCurve, list[HeldOut]]:
    """The curve of all samples, and the cross-validation at every C, if there are folds."""
    import numpy as np

    from fewest.machines.transvariation import transvariation_C
    from fewest.report._costs import describe_cost, find_cost_grid, follow_costs
    from fewest.report.content import CostCurve

    arguments, data = job.arguments, job.data
    with job.working():
        if arguments.grid == "transvariation":
            settings = {"standardize": arguments.standardize, "largest": None}
            Cs = transvariation_C(data.X, data.y, arguments.values, **settings)
        else:
            Cs = find_cost_grid(estimator, data, arguments.values)
        everything = np.arange(len(data.y))
        settings = {"verbose": job.verbose, "what": "path"}
        wholes = list(follow_costs(estimator, Cs, data, [(everything, everything)], **settings))
    job.note(f"Warning: {text}." for whole in wholes for text in whole.warnings)
    held_outs = job.judge(
        lambda splits: list(follow_costs(estimator, Cs, data, splits, verbose=job.verbose))
    )
    points = [
        describe_cost(C, held_out, whole.folds[0], data)
        for C, whole, held_out in zip_longest(Cs.tolist(), wholes, held_outs)
    ]
    n_folds = len(held_outs[0].folds) if held_outs else None
    return CostCurve(points, _find_best(points), n_folds, _EXPLANATION), held_outs


def _find_best(points: list[CostPoint]) -> int | None:
    """The place of the smallest cross-validated error, of equal ones that of fewest features."""
    known = [
        (round(point.balanced_error.mean, 12), point.fold_n_features.mean, place)
        for place, point in enumerate(points)
        if point.balanced_error is not None and point.fold_n_features is not None
    ]
    return min(known)[-1] if known else None


def _describe_page(
    job: Job, estimator: Any, curve: CostCurve, held_outs: list[HeldOut]
) -> tuple[list[Any], list[str]]:
    """The results of the page of the machine of the best C, with the path; and its notes."""
    best = len(curve.points) - 1 if curve.chosen is None else curve.chosen
    machine = estimator.set_params(C=curve.points[best].C).fit(job.data.X, job.data.y)
    note = (
        "The machine is that of the largest C."
        if curve.chosen is None
        else "The machine is that of the C with the smallest cross-validated error. The same "
        "samples chose it, so its error is optimistic."
    )
    return [machine, curve, held_outs[best] if held_outs else None], [note]
