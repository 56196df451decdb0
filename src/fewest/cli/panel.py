"""`fewest panel`: judge any panel of features."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fewest.cli import _options as options
from fewest.cli._errors import CommandError
from fewest.cli._methods import make_estimator, settle_method
from fewest.cli._rules import add_rule_options, read_rule_options

if TYPE_CHECKING:
    from fewest.cli._given_panel import GivenPanel
    from fewest.cli._job import Job
    from fewest.panels import PanelReport, PointsScore
    from fewest.report.content import PanelContent
    from fewest.tables import Table

__all__ = ["add_options", "run"]

_USUAL_POINTS = 5
_DESCRIPTION = """\
Judge a panel of features, wherever it comes from: its error class by class,
what each feature adds, what could replace it, how other panels of the same
size do, and how it carries over to a second file.

The folds judge a classifier on the given features, not the choice of these
features. If they were chosen on the same samples, the error is too small, and
it is marked so. With --choose the choice is repeated in every fold, too, and
that error is reported; --chosen-elsewhere says that there is no need to."""


def add_options(commands: options.Commands) -> None:
    """Describe the command and its options."""
    panel = options.new_command(
        commands,
        "panel",
        help="judge any panel of features, also on a second file",
        description=_DESCRIPTION,
        examples=(
            "expression.csv --target diagnosis --features CD33,ZYX,CST3",
            "expression.csv --target diagnosis --features CD33,ZYX --chosen-elsewhere",
            "expression.csv --target diagnosis --features CD33,ZYX --against second.csv",
            "expression.csv --target diagnosis --features-from names.txt --report panel.html",
            "expression.csv --target diagnosis --features-from result.json --choose",
            "expression.csv --target diagnosis --features CD33,ZYX --points 3 --report panel.html",
            "visits.csv --target diagnosis --features CD33,ZYX --groups patient --json panel.json",
        ),
        reads_table=True,
    )
    group = panel.add_group("panel")
    group.option("--features NAMES", "names of the features, with commas between them")
    group.option(
        "--features-from FILE",
        "the names from a file: one per line, or a result that fewest select --json has written",
    )
    group.option(
        "--chosen-elsewhere",
        "the panel was chosen without these samples (it comes from a paper, for instance), so its "
        "error is that of new samples; otherwise the error is marked as optimistic",
        action="store_true",
    )
    group.option(
        "--against FILE",
        "a second table, with the same target and the same layout: features are matched by name, "
        "and the classifier of the first table predicts its samples",
    )
    group.option(
        "--against-classes FILE[:SHEET][:COLUMN]",
        "a table with the classes of --against, as --classes is for DATA (default: that of "
        "--classes)",
    )
    group.option(
        "--against-groups COLUMN",
        "a column of --against that says which of its samples belong together (default: that of "
        "--groups, if it is there)",
    )
    group.option(
        "--points MAX",
        "also turn the panel into a score to add up by hand, of at most MAX points per feature "
        f"({_USUAL_POINTS} if it is left out), with a table from totals to the risk of the second "
        "class; two classes only",
        options.at_least_one,
        nargs="?",
        const=_USUAL_POINTS,
    )
    group = panel.add_group("comparisons")
    group.option(
        "--choose",
        "repeat the choice of the panel in every fold and on resamples: by the method that made "
        "the result of --features-from, else by the options below (without --C and "
        "--max-features: at most as many features as the panel has)",
    )
    group.option("--random N", "random panels of the same size", options.none_or_more, 100)
    group.option("--stand-ins N", "stand-ins of every feature", options.none_or_more, 3)
    group.option("--resamples N", "resamples for --choose", options.at_least_one, 50)
    group.option(
        "--permutations N",
        "permutations for the p-value of every feature",
        options.at_least_one,
        999,
    )
    group.option(
        "--max-seconds SECONDS",
        "leave out comparisons and permutations that are not done by then; the error and what "
        "each feature adds are always computed; inf for no limit",
        options.cost,
        300,
    )
    method = options.add_method(panel, ("sfm", "sfm-cv", "weston", "liknon"))
    options.add_panel(method)
    add_rule_options(panel)
    validation = options.add_validation(panel)
    validation.option("--repeats R", "repeat it with other folds", options.at_least_one, 5)
    options.add_output(
        panel,
        quiet="print the balanced error only, and whether it is optimistic; no progress bar",
        page="also make one page (.html) with a figure and all tables, or the same as numbers "
        "(.json)",
        plot="the errors with and without each feature, beside those of other panels",
    )


def run(arguments: argparse.Namespace) -> None:
    """Read, judge, report."""
    from fewest.cli._given_panel import read_panel
    from fewest.cli._job import start_job

    if arguments.cv == 0:
        raise CommandError("--cv 0: without folds nothing can be judged.\nName 2 folds or more.")
    for option in ("--against-classes", "--against-groups"):
        if vars(arguments)[option[2:].replace("-", "_")] is not None and arguments.against is None:
            raise CommandError(f"{option} needs a second table.\nName it with --against.")
    given = read_panel(arguments)
    job = start_job(arguments, "plot")
    given = given.check(job.data.feature_names)
    if arguments.points is not None and not job.data.is_binary:
        raise CommandError(
            f"--points tells two classes apart, but the data have {len(job.data.labels)}.\n"
            "Leave it out, or name one class with --one-vs-rest."
        )
    second = None if arguments.against is None else _read_second(job, given)
    estimator = _make_chooser(job, given) if arguments.choose else None
    if estimator is not None:
        job.say_method(estimator)
    asked = {"points": arguments.points, "against": second, "choice": estimator, "panels": True}
    asked |= {"plot": arguments.plot, "page": arguments.report}
    waiting = [part for part, value in asked.items() if value is not None]
    studies: list[Any] = []  # what is known of the panel is not computed twice
    own = _judge_alone(job, given, studies)
    with job.output.ending(waiting):
        _tell(job, own, second, None, waiting)
        points = None
        if arguments.points is not None:
            points = _make_points(job, given, estimator)
            waiting.remove("points")
            _tell(job, own, second, points, waiting)
        found = _judge(job, given, second, estimator, studies)
        waiting[:] = [part for part in waiting if part in ("plot", "page")]
        content = _tell(job, found, second, points, waiting)
        _draw_and_write_page(job, content, waiting)


def _read_second(job: Job, given: GivenPanel) -> tuple[Table, list[str]]:
    from fewest.cli._reading import read_second

    return read_second(job.arguments, given.names, job.percents)


def _make_chooser(job: Job, given: GivenPanel) -> Any:
    """The estimator that chooses again."""
    arguments, names = job.arguments, job.data.feature_names
    if given.options is not None:
        return make_estimator(given.options, read_rule_options(given.options, names))
    if arguments.C is None and arguments.method != "sfm-cv" and arguments.max_features is None:
        arguments.max_features = len(given.names)
    job.note(settle_method(arguments))
    return make_estimator(arguments, job.read_rules())


def _make_points(job: Job, given: GivenPanel, estimator: Any) -> PointsScore:
    from fewest._gaps import fill_all
    from fewest.panels import points_score
    from fewest.panels._folds import choose_on_all
    from fewest.significance import run_held_out

    arguments, data = job.arguments, job.data
    shared = {"groups": data.groups, "random_state": arguments.seed}
    with job.working("points"):
        held_out = None
        if estimator is not None and not arguments.chosen_elsewhere:
            chosen = choose_on_all(estimator, fill_all(data.raw), data.y, data.groups)
            # Errors of what a method chooses are not those of another panel.
            if set(data.names(chosen)) == set(given.names):
                settings = {**shared, "cv": arguments.cv, "n_jobs": arguments.jobs}
                held_out = run_held_out(estimator, data.raw, data.y, **settings)
        return points_score(
            data.raw,
            data.y,
            given.names,
            feature_names=data.feature_names,
            max_points=arguments.points,
            cv=arguments.cv,
            held_out=held_out,
            _is_choice=True,
            chosen_elsewhere=arguments.chosen_elsewhere,
            **shared,
        )


def _fill_second(job: Job, table: Table) -> Any:
    """X of the second table, its gaps filled in with medians of the first one."""
    if table.raw is None:
        return table.X
    from fewest._gaps import fill_gaps, find_medians

    places = [job.data.feature_names.index(name) for name in table.feature_names]
    return fill_gaps(table.raw, find_medians(job.data.raw[:, places]))


def _judge_alone(job: Job, given: GivenPanel, studies: list[Any]) -> PanelReport:
    """The panel and its features, without what takes longer; the same again in the whole result."""
    from fewest.panels import panel_report

    with job.working("judging"):
        return panel_report(
            job.data.raw,
            job.data.y,
            given.names,
            **_list_settings(job, studies),
            n_random=0,
            n_stand_ins=0,
            best=False,
        )


def _list_settings(job: Job, studies: list[Any]) -> dict[str, Any]:
    """What decides the errors of the panel itself."""
    arguments, data = job.arguments, job.data
    return {
        "chosen_elsewhere": arguments.chosen_elsewhere,
        "feature_names": data.feature_names,
        "groups": data.groups,
        "cv": arguments.cv,
        "n_repeats": arguments.repeats,
        "n_permutations": arguments.permutations,
        "random_state": arguments.seed,
        "n_jobs": arguments.jobs,
        "max_seconds": arguments.max_seconds,
        "verbose": job.verbose,
        "_studies": studies,
    }


def _judge(
    job: Job,
    given: GivenPanel,
    second: tuple[Table, list[str]] | None,
    estimator: Any,
    studies: list[Any],
) -> PanelReport:
    from fewest.panels import panel_report

    arguments, data, against, of_second = job.arguments, job.data, None, None
    if second is not None:
        table, others = second
        against = (_fill_second(job, table), table.y, table.feature_names, others)
        of_second = table.groups
    with job.working("comparing"):
        return panel_report(
            data.raw,
            data.y,
            given.names,
            **_list_settings(job, studies),
            estimator=estimator,
            against=against,
            against_groups=of_second,
            n_random=arguments.random,
            n_stand_ins=arguments.stand_ins,
            n_resamples=arguments.resamples,
        )


def _tell(
    job: Job,
    found: PanelReport,
    second: tuple[Table, list[str]] | None,
    points: PointsScore | None,
    waiting: Sequence[str],
) -> PanelContent:
    """Print what is new, and write the file, which names what is still to come."""
    from fewest.cli._job import list_options
    from fewest.cli._output import name_parts
    from fewest.cli._text import notes_text, time_text
    from fewest.panels._errors import bracketed
    from fewest.report._verdict import Verdict, judge_panel
    from fewest.report._verdict_summary import summarize_verdict
    from fewest.report.content import NOT_FINISHED, PanelContent

    arguments, is_new = job.arguments, job.output.is_new
    of_second = "" if second is None else second[0].origin
    notes = [*job.notes, *(f"In a fold: Warning: {text}." for text in found.notes)]
    if second is not None:
        notes += [f"{of_second}: {note}" for note in second[0].notes]
    data = job.data.summary(**job.about)
    verdict = judge_panel(found, data)
    awaited = [part for part in waiting if part in ("against", "choice", "panels")]
    if "against" in waiting or ("choice" in waiting and not arguments.chosen_elsewhere):
        said = f"Not tested against chance. Not finished yet: {name_parts(awaited)}"
        verdict = Verdict(None, said)
    missing = [f"{name_parts([part])}: {NOT_FINISHED}" for part in awaited]
    content = PanelContent(
        verdict=summarize_verdict(verdict),
        data=data,
        second=of_second or None,
        options=list_options(arguments),
        call=arguments.line,
        panel=replace(found, left_out=[*found.left_out, *missing]),
        points=points,
        seconds=dict(job.seconds),
        notes=notes,
    )
    # What is left out is said once, at the end.
    shown = replace(found, left_out=[]) if awaited else found
    blocks = [*str(shown).split("\n\n"), "" if points is None else str(points)]
    blocks += [] if awaited else [time_text(job.seconds)]
    blocks = [*filter(is_new, filter(None, blocks)), notes_text(list(filter(is_new, notes)))]
    brief = f"{found.errors.balanced_error:.4f}{bracketed(found.errors.caveat)}"
    text = "\n\n".join(filter(None, blocks))
    # Where the choice is repeated, that error is the result.
    job.output.tell(content, text, "" if "choice" in waiting else brief, verdict.text)
    return content


def _draw_and_write_page(job: Job, content: PanelContent, waiting: list[str]) -> None:
    """The files that are made of the whole result."""
    from fewest._run.json_text import to_json
    from fewest._wording import visible
    from fewest.cli._output import write
    from fewest.plotting import plot_panel_report
    from fewest.report import make_panel_page

    arguments, found = job.arguments, content.panel
    if arguments.plot:
        size = (6.6, 1.2 + 0.32 * (len(found.names) + 4))

        def draw(figure: Any) -> None:
            plot_panel_report(found, ax=figure.subplots())

        job.draw(draw, figsize=size, layout="constrained")
        job.output.say(job.output.later[-1])
        waiting.remove("plot")
    if arguments.report is not None:
        page = make_panel_page(
            found,
            origin=str(job.about["origin"]),
            second=content.second or "",
            command=arguments.line,
            notes=content.notes,
            points=content.points,
            links=arguments.links,
            data=content.data,
        )
        as_json = arguments.report.lower().endswith(".json")
        write(arguments.report, to_json(content) + "\n" if as_json else page.html)
        job.output.say(f"Report: {visible(arguments.report)}")
        waiting.clear()
