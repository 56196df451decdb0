"""`fewest minimum`: the smallest number of features that separate the classes, with its proof."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from fewest._interrupts import ending_early
from fewest._wording import counted, cut, listed
from fewest.cli import _options as options
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli._rules import add_rule_options

if TYPE_CHECKING:
    from fewest.cli._job import Job, Stage
    from fewest.minimum import ErrorFront, MinimumResult, NearOptimalSets, PriceFront
    from fewest.report._data import Data
    from fewest.report.content import Content

    _Verifiable: TypeAlias = MinimumResult | NearOptimalSets | ErrorFront | PriceFront

__all__ = ["add_options", "run"]

_USUAL_EXTRA = 1.0
_UNKNOWN = (
    "no set of features was found that separates the classes without error, nor an exact proof "
    "that there is none."
)

_CONTRADICTED = "A second search contradicts this result: do not use it."

_DESCRIPTION = """\
Find the smallest number of features that separate the classes without error,
prove that no smaller set does, and check the proof in exact arithmetic. With
more than two classes, the features separate every two of them. Some samples may
be wrong (--max-errors), and --front shows the fewest training errors for each
number of features, or, with --feature-cost, what fewer errors cost."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    minimum = options.new_command(
        commands,
        "minimum",
        help="the smallest number of features that separate the classes, with a proof",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --solutions all --json minimum.json",
            "expression.csv --target diagnosis --max-errors 2",
            "expression.csv --target diagnosis --front 3 --plot front.png",
            "expression.csv --target diagnosis --max-errors 1 --include age --report page.html",
            "expression.csv --target diagnosis --all --plot sets.png",
            "expression.csv --target diagnosis --include age,sex --feature-cost prices.csv",
            "expression.csv --target celltype --per-class",
            "expression.npz --max-seconds 3600 --jobs -1",
        ),
        reads_table=True,
    )
    group = minimum.add_group("search")
    group.option(
        "--max-errors E",
        "how many training samples may be wrong",
        options.none_or_more,
        0,
    )
    group.option(
        "--front K",
        "instead: the fewest training errors of 0 to K features",
        options.at_least_one,
    )
    group.option(
        "--max-size K",
        "search sets of up to K features, or up to this price, completely (default: as many as it "
        "takes)",
        options.at_least_one,
    )
    group.option(
        "--max-seconds SECONDS",
        "end the search then, with the best set and the bound proven so far; inf for no limit",
        options.cost,
        300,
    )
    solutions = "how many of the smallest sets to return, or all"
    group.option("--solutions N", solutions, options.at_least_one_or_all, 1)
    group.option(
        "--all",
        "list all sets near the minimum in which every feature is needed, and which features can "
        "replace which",
    )
    options.add_per_class(
        group, "find the smallest set", "; --max-seconds is for all searches together"
    )
    near = (
        "with --all: by how many features, or how much in price, a set may exceed the minimum "
        f"(default: {_USUAL_EXTRA})"
    )
    group.option("--extra N", near, options.threshold)
    group.option(
        "--verify",
        "also repeat the search for better sets, from the proofs alone and without linear "
        "programs; takes about as long again",
    )
    options.add_groups(group, "so it is in the folds and permutations of --report")
    options.add_jobs(group, "threads; -1 for one per core", default=-1)
    add_rule_options(minimum)
    options.add_output(
        minimum,
        quiet="print the features of the best set only, one per line (with --per-class the class, "
        "a tab and the feature); no progress",
        plot="the sets of --all as a matrix, or the front of --front",
        verbose="how the search went, and how many proofs there are",
    )


def run(arguments: argparse.Namespace) -> None:
    """Read, search, check, report."""
    from fewest.cli._job import start_job
    from fewest.cli._per_class import TWO_CLASSES, search_each_class
    from fewest.cli._text import names_text

    _check_together(arguments)
    job = start_job(arguments, "plot")
    data = job.data
    rules = job.read_rules()
    if arguments.front is not None:
        _show_front(job, rules)
        return
    if arguments.per_class and not data.is_binary:
        search_each_class(job, rules)
        return
    with searching(job) as asked:
        result, near = _search(job, rules)
    if result.size is None:
        if asked and not result.certified:
            raise KeyboardInterrupt
        pairs = [f"{cut(one)} and {cut(other)}" for one, other in result.inseparable.tolist()]
        if arguments.max_errors:
            raise InseparableError(_refuse_errors(arguments.max_errors, result.certified))
        if rules:
            raise InseparableError(_refuse_rules(is_proven=result.certified))
        said = _refuse(pairs, data.is_binary) if pairs else _UNKNOWN
        raise InseparableError(f"{said} Allow errors:\n{job.suggest('select', '--C', '10')}")
    if arguments.per_class:
        job.note([TWO_CLASSES])
    later = stop_if(asked)
    if arguments.plot and near is not None:
        later.append(("plot", partial(_draw, job, near)))
    later += verify(job, (result if near is None else near, data))
    # --jobs are threads here; those of the page would be processes.
    data.n_jobs = 1

    def brief(content: Content) -> str:
        return names_text(content.trust.minima[0].sets[0].features)

    job.deliver(brief, result, near, later=later)


def _search(job: Job, rules: dict[str, Any]) -> tuple[MinimumResult, NearOptimalSets | None]:
    """The smallest set, and all sets near it if they are wanted."""
    from fewest.minimum import minimum_features, near_optimal_sets

    arguments, data = job.arguments, job.data
    wanted: dict[str, Any] = {
        "max_seconds": arguments.max_seconds,
        "n_jobs": arguments.jobs,
        "verbose": job.verbose,
        **rules,
    }
    if arguments.all:
        near = near_optimal_sets(data.X, data.y, extra=arguments.extra, **wanted)
        return near.minimum, near
    sizes = {
        "max_errors": arguments.max_errors,
        "max_size": arguments.max_size,
        "n_solutions": arguments.solutions,
    }
    return minimum_features(data.X, data.y, **sizes, **wanted), None


@contextmanager
def searching(job: Job) -> Iterator[list[float]]:
    """The search, which Ctrl-C ends as a time limit does; the list is empty if there was none."""
    with job.working("searching"), ending_early() as asked:
        yield asked


def stop_if(asked: list[float]) -> list[Stage]:
    """The stage that ends the command, once the result is printed, if Ctrl-C ended the search."""

    def stop() -> None:
        raise KeyboardInterrupt

    return [("search", stop)] if asked else []


def verify(job: Job, *results: tuple[_Verifiable, Data]) -> list[Stage]:
    """The stage that checks all of it if asked to; otherwise say what was not checked."""
    if job.arguments.verify:
        return [("verification", partial(_verify, job, results))]
    job.output.say_later(
        "Not checked a second time: that there is no better set. --verify does that, in "
        "another way."
    )
    return []


def _verify(job: Job, results: Sequence[tuple[_Verifiable, Data]]) -> None:
    """Say, after the result, what was checked; what does not verify is an error."""
    with job.working("verifying"):
        checks = [result.verify(data.X, data.y, search=True) for result, data in results]
    if not all(checks):
        job.note([_CONTRADICTED])
        raise CommandError(
            "the result does not verify: a second search contradicts it.\n"
            "Do not use it, and report this with the data, if you can."
        )
    job.output.say_later(f"Verified. {checks[-1]}")


def _draw(job: Job, near: NearOptimalSets) -> None:
    """The sets as a matrix, with the names of the table."""
    from fewest.plotting import plot_near_optimal

    named = replace(near, feature_names=tuple(job.data.feature_names))
    job.draw(
        lambda figure: plot_near_optimal(named, ax=figure.subplots()),
        figsize=(9.0, 6.4),
        layout="constrained",
    )


def _refuse_rules(*, is_proven: bool) -> str:
    """What to say if no set that follows the rules separates the classes."""
    if is_proven:
        start = "no set of features that follows the rules separates the classes without error"
        return f"{start} (proven).\nLeave out some of the rules, or allow errors with --max-errors."
    return (
        "no set of features was found that follows the rules and separates the classes without "
        "error, nor a proof that there is none.\nGive it more time with --max-seconds, or leave "
        "out some of the rules."
    )


def _check_together(arguments: argparse.Namespace) -> None:
    """Refuse options that exclude each other, or that need another one."""
    if arguments.extra is not None and not arguments.all:
        raise CommandError("--extra is for the sets of --all.\nGive both, or neither.")
    arguments.extra = _USUAL_EXTRA if arguments.extra is None else arguments.extra
    if arguments.plot and not arguments.all and arguments.front is None:
        raise CommandError("--plot draws the sets of --all.\nGive both, or neither; or --front 3.")
    if arguments.all and (arguments.front is not None or arguments.max_errors):
        raise CommandError(
            "--all lists sets that leave no error.\nLeave out --max-errors and --front."
        )
    if arguments.per_class and (arguments.all or arguments.front is not None):
        raise CommandError(
            "--per-class looks for the smallest set of each class.\nLeave out --all and --front, "
            "or name one class with --one-vs-rest."
        )
    if arguments.front is not None and (arguments.max_errors or arguments.max_size):
        raise CommandError(
            "--front looks at all numbers of errors and at up to K features.\n"
            "Leave out --max-errors and --max-size."
        )


def _show_front(job: Job, rules: dict[str, Any]) -> None:
    """Search, check, print, draw."""
    from fewest.cli._text import names_text
    from fewest.minimum import error_front

    arguments, data = job.arguments, job.data
    with searching(job) as asked:
        front = error_front(
            data.X,
            data.y,
            max_features=arguments.front,
            max_seconds=arguments.max_seconds,
            n_solutions=arguments.solutions,
            n_jobs=arguments.jobs,
            verbose=job.verbose,
            **rules,
        )
    later = stop_if(asked)
    if arguments.plot:
        from fewest.plotting import plot_error_front

        draw = partial(
            job.draw,
            lambda figure: plot_error_front(front, ax=figure.subplots()),
            figsize=(5.2, 3.8),
            layout="constrained",
        )
        later.append(("plot", draw))
    later += verify(job, (front, data))
    data.n_jobs = 1
    names = names_text(data.names(front.points[-1].subsets[0]))
    job.deliver(lambda _: names, front, later=later)


def _refuse_errors(most: int, is_proven: bool) -> str:
    """What to say if no set of features leaves so few errors."""
    if is_proven:
        start = f"every set of features leaves more than {counted(most, 'sample')} wrong (proven)."
    else:
        start = (
            f"no set of features was found that leaves at most {counted(most, 'sample')} wrong, "
            "nor a proof that there is none."
        )
    return f"{start}\nAllow more with --max-errors, or look at --front 3."


def _refuse(pairs: list[str], is_binary: bool) -> str:
    """What to say if no set of features separates these pairs of classes."""
    if is_binary:
        return (
            "no set of features separates the classes without error: both can be averaged to one "
            "point (checked in exact arithmetic)."
        )
    return (
        f"no set of features separates these classes without error: {listed(pairs)}. Each two can "
        "be averaged to one point (checked in exact arithmetic).\nMerge such classes, or leave "
        "their samples out."
    )
