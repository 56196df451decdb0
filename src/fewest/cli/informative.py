"""`fewest informative`: the share of features that carry information."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING

from fewest._wording import visible
from fewest.cli import _options as options
from fewest.cli._errors import CommandError
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._rules import add_rule_options

if TYPE_CHECKING:
    from fewest.cli._job import Stage
    from fewest.report.content import Content

__all__ = ["add_options", "run"]

_DESCRIPTION = """\
Estimate how many features carry information about the class: select features
again and again, and test how well a support vector machine still tells the
classes apart with the features that remain."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    informative = options.new_command(
        commands,
        "informative",
        help="the share of features that carry information",
        description=_DESCRIPTION,
        examples=(
            "maps.npz --groups participant --jobs 2",
            "expression.csv --target diagnosis --cv 10 --plot curves.png",
            "maps.npz --groups participant --checkpoint kept --json result.json",
            "expression.csv --target celltype --per-class --jobs 2",
        ),
        reads_table=True,
    )
    options.add_method(informative, ("sfm", "weston", "liknon"), hard=True)
    add_rule_options(informative)
    group = informative.add_group("probes")
    group.option(
        "--every N",
        "repetitions from one probe of the remaining features to the next",
        options.at_least_one,
        10,
    )
    group.option(
        "--permutations N",
        "permutations of the labels that show what chance does; 0 for none",
        options.none_or_more,
        100,
    )
    options.add_per_class(group, "estimate the share")
    group = informative.add_group("cross-validation")
    group.option(
        "--groups COLUMN",
        "column (for .npz the array) with the participant, or whatever samples belong together "
        "in: one is left out at a time",
    )
    group.option("--cv K", "this many folds instead (default without groups: 5)", options.folds)
    options.add_seed(group, "decides permutations")
    options.add_jobs(group)
    options.add_checkpoint(group)
    options.add_output(
        informative,
        quiet="print the estimate without chance only (nan if nothing is better than chance; with "
        "--per-class the class, a tab and its estimate); no progress bar",
        plot="the curves",
        has_test=True,
    )


def _choose_estimate(content: Content) -> float:
    """The estimate without chance; not a number where nothing is better than chance."""
    from fewest.report._verdict import judge_content

    assert content.informative is not None
    if judge_content(content).is_better is False or not content.informative.estimates:
        return float("nan")
    return content.informative.estimates[0].share


def run(arguments: argparse.Namespace) -> None:
    """Read, select and probe in every fold, report, draw."""
    from fewest.cli._job import start_job
    from fewest.cli._per_class import (
        TWO_CLASSES,
        choose_share,
        estimate,
        estimate_each_class,
        is_whole,
    )
    from fewest.plotting import plot_informative
    from fewest.report._informative import find_t_map

    settle_method(arguments, hard=True)
    if arguments.cv == 0:
        raise CommandError(
            "--cv 0: without folds nothing can be tested.\nName 2 folds or more, or --groups."
        )
    job = start_job(arguments, "plot")
    job.rules = job.read_rules()
    data, estimator = job.data, make_estimator(arguments, job.rules)
    job.say_method(estimator)
    with job.working(where="in a fold, "):
        found = estimate(job, estimator, data, arguments.checkpoint)
    later: list[Stage] = []
    if arguments.plot:
        t_map = find_t_map(data)
        draw = partial(job.draw, lambda figure: plot_informative(found, t_map, figure=figure))
        later.append(("plot", draw))
    if arguments.per_class and data.is_binary:
        job.note([TWO_CLASSES])
    elif arguments.per_class and is_whole(found):
        later.append(("per_class", partial(estimate_each_class, job, estimator)))

    def brief(content: Content) -> str:
        if content.per_class is None:
            is_awaited = content.why_not("per_class") is not None
            return "" if is_awaited else f"{_choose_estimate(content):.4f}"
        shares = ((one.label, choose_share(one)) for one in content.per_class.classes)
        return "\n".join(f"{visible(label)}\t{share:.4f}" for label, share in shares)

    job.deliver(brief, found, estimator=estimator, later=later)
    if not is_whole(found):
        raise KeyboardInterrupt  # the exit code says so, after all is written
