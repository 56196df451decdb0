"""Every command with its options; what it does is in `run` of the module with its name."""

from __future__ import annotations

from fewest.cli import _options as options
from fewest.cli._brain_options import add_brain
from fewest.cli._options import Commands


def _add_select(commands: Commands) -> None:
    select = options.new_command(
        commands,
        "select",
        help="select features in your own data",
        description="Select the fewest features that tell the classes apart.",
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --report result.html",
            "expression.tsv.gz --target diagnosis --drop patient --drop age",
            "expression.parquet --target diagnosis --C inf --json result.json",
            "expression.npz --cv 10 --repeats 5 --jobs 4",
            "expression.csv --target diagnosis --method sfm-cv",
            "expression.csv --target diagnosis --method liknon --C 0.05",
            "expression.csv --target diagnosis --method psvm --epsilon 3",
            "similarity.csv --target family --method psvm --matrix --C 0.6 --epsilon 0.1",
            "expression.csv --target diagnosis --quiet > selected.txt",
            "expression.csv --target diagnosis --model machine.fewest",
        ),
        reads_table=True,
    )
    options.add_method(select, ("sfm", "sfm-cv", "weston", "liknon", "psvm"))
    validation = options.add_validation(select)
    validation.option("--repeats R", "repeat it with other folds", options.at_least_one, 1)
    output = options.add_output(select)
    saved = "also save the fitted machine to this file, for fewest predict and fewest.load"
    output.option("--model FILE", saved)


_PREDICT = """\
Predict new samples with a machine that fewest select --model (or fewest.save
in Python) has saved.

MODEL is safe to open, wherever it comes from: nothing in it is executed.
DATA is a table as for fewest select; the class need not be known. Columns are
matched by name, and only those that the model uses have to be there. A model
without names takes as many columns as it was fitted to, in the same order."""


def _add_predict(commands: Commands) -> None:
    predict = options.new_command(
        commands,
        "predict",
        help="predict new samples with a saved machine",
        description=_PREDICT,
        examples=(
            "machine.fewest new.csv",
            "machine.fewest new.csv --out predicted.csv",
            "machine.fewest new.xlsx --sheet March --transpose",
            "machine.fewest test.csv --target diagnosis --json -",
            "machine.fewest new.csv --quiet > classes.txt",
        ),
    )
    group = predict.add_group("data")
    group.add_argument("model", metavar="MODEL", help="the file with the machine")
    group.add_argument("data", metavar="DATA", help="the file with the samples")
    truth = "column (for .npz the array) with the true classes: says how many errors there are"
    group.option("--target COLUMN", truth)
    options.add_drop(group, "for models without names of features: leave this column out")
    options.add_layout(group)
    output = options.add_output(
        predict, quiet="print the predictions only, one per line", page=False
    )
    output.option("--out FILE", "also write a table (CSV), one row per sample")


_PATH = """\
Show what C does: the number of features, the training error and the
cross-validated error (features selected again in every fold) against C."""


def _add_path(commands: Commands) -> None:
    path = options.new_command(
        commands,
        "path",
        help="number of features and errors against C, as a table and a figure",
        description=_PATH,
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
    options.add_validation(path)
    options.add_output(path, quiet="print the table only; no progress bar", plot="the table")


_RANK = """\
Find all features that tell the classes apart: select the fewest, set them
aside, select again among the rest, and so on. The subsets are listed by size."""


def _add_rank(commands: Commands) -> None:
    rank = options.new_command(
        commands,
        "rank",
        help="disjoint subsets of features, found one after the other",
        description=_RANK,
        examples=(
            "expression.csv --target diagnosis --subsets 10",
            "expression.csv --target diagnosis --C 1 --max-training-error 0.1",
            "maps.npz --checkpoint kept --csv ranking.csv --json ranking.json",
        ),
        reads_table=True,
    )
    options.add_method(rank, ("sfm", "weston", "liknon"), hard=True)
    group = rank.add_group("repetition")
    group.option(
        "--subsets N",
        "most subsets to find (default: until the classes cannot be told apart any more)",
        options.at_least_one,
    )
    group.option(
        "--max-training-error SHARE",
        "end before the share of training samples on the wrong side exceeds this",
        options.share,
    )
    group.option("--min-features N", "end when fewer features are left", options.at_least_one, 1)
    options.add_checkpoint(group)
    options.add_jobs(group, "more than two classes: machines computed at the same time")
    output = options.add_output(
        rank, quiet="print the names of the features only, the smallest subset first; no bar"
    )
    output.option("--csv FILE", "also write a table, one row per feature")


_INFORMATIVE = """\
Estimate how many features carry information about the class: select features
again and again, and test how well a support vector machine still tells two
classes apart with the features that remain."""


def _add_informative(commands: Commands) -> None:
    informative = options.new_command(
        commands,
        "informative",
        help="the share of features that carry information",
        description=_INFORMATIVE,
        examples=(
            "maps.npz --groups participant --jobs 2",
            "expression.csv --target diagnosis --cv 10 --plot curves.png",
            "maps.npz --groups participant --checkpoint kept --json result.json",
        ),
        reads_table=True,
    )
    options.add_method(informative, ("sfm", "weston", "liknon"), hard=True)
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
        informative, quiet="print the estimate only; no progress bar", plot="the curves"
    )


_MINIMUM = """\
Find the smallest number of features that separate two classes without error,
prove that no smaller set does, and check the proof in exact arithmetic."""


def _add_minimum(commands: Commands) -> None:
    minimum = options.new_command(
        commands,
        "minimum",
        help="the smallest number of features that separate two classes, with a proof",
        description=_MINIMUM,
        examples=(
            "expression.csv --target diagnosis",
            "expression.csv --target diagnosis --solutions all --json minimum.json",
            "expression.npz --max-seconds 3600 --jobs -1",
        ),
        reads_table=True,
    )
    group = minimum.add_group("search")
    group.option(
        "--max-size K",
        "search sets of up to K features completely (default: as many as it takes)",
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
    options.add_jobs(group, "threads; -1 for one per core", default=-1)
    options.add_output(
        minimum, quiet="print the features of the best set only, one per line; no progress"
    )


_DIAGNOSE = """\
Say in plain words whether anything can be concluded from the data: would
classes assigned at random look the same? And what to beware of: chance,
concentration of distances, hubs, misleading leave-one-out errors."""


def _add_diagnose(commands: Commands) -> None:
    diagnose = options.new_command(
        commands,
        "diagnose",
        help="whether anything can be concluded from your data, in plain words",
        description=_DIAGNOSE,
        examples=(
            "expression.csv --target diagnosis",
            "expression.npz --permutations 999 --jobs 4 --json diagnosis.json",
        ),
        reads_table=True,
    )
    diagnose.add_group("test").option(
        "--permutations N",
        "random labellings to compare with; the smallest p-value is 1/(N+1)",
        options.at_least_one,
        99,
    )
    options.add_validation(diagnose, of_what="permutations")
    options.add_output(diagnose, quiet="print the first sentence only; no progress bar")


def _add_demo(commands: Commands) -> None:
    demo = options.new_command(
        commands,
        "demo",
        help="try it on generated data: 72 samples, 7,000 features, 3 of them informative",
        description="Run the main job on generated data in which the answer is known.",
        examples=("", "--report demo.html", "--seed 1 --json demo.json"),
    )
    options.add_seed(demo.add_group("data"), "another seed gives other data and other folds")
    options.add_output(demo)


_COMPLETION = """\
Print a script that lets a shell complete commands, options and file names
when Tab is pressed. It goes where the shell looks for such scripts."""


def _add_completion(commands: Commands) -> None:
    completion = options.new_command(
        commands,
        "completion",
        help="a script for your shell: Tab completes commands and options",
        description=_COMPLETION,
        examples=(
            "bash > ~/.local/share/bash-completion/completions/fewest",
            "zsh > ~/.zfunc/_fewest",
            "fish > ~/.config/fish/completions/fewest.fish",
        ),
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell")


ALL = (
    _add_select,
    _add_predict,
    _add_path,
    _add_rank,
    _add_informative,
    add_brain,
    _add_minimum,
    _add_diagnose,
    _add_demo,
    _add_completion,
)
