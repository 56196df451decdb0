"""What a text advises to type can be typed: every suggestion of a command or an option is run.

Texts are found in the source. A new one that advises an option fails here until it has a case.
"""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from functools import cache
from pathlib import Path

import numpy as np
import pandas
import pytest

import fewest
from fewest.cli._parser import build_parser

SOURCE = Path(fewest.__file__).parent
_NAMES = "select|minimum|informative|rank|path|panel|predict|brain|diagnose"
_MENTIONS = re.compile(rf"\bfewest (?:{_NAMES})\b|(?<![\w-])--[a-zA-Z][\w-]*")
_ADVISES = re.compile(
    r"\b(see|add|name|give|leave|allow|try|raise|lower|use|take|to test it|if they are|save|fit it|"
    r"in python|does that|goes on|shows it|chooses|or|with|which)\b",
    re.IGNORECASE,
)
# What declares options, or shows how to use them: examples and help are parsed below.
_DECLARING = {"option", "add_argument", "new_command", "add_output", "add_groups", "add_per_class"}


def read_text(node):
    """A string of the source; `{}` stands for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        return "".join(parts)
    return ""


def find_skipped(tree):
    """Docstrings, descriptions of commands, declared options, and the parts of longer strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr):
                yield first.value
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in _DECLARING:
                yield from ast.walk(node)
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").isupper():
            if getattr(node.targets[0], "id", "") in {"_DESCRIPTION", "_EXAMPLES", "EXIT_CODES"}:
                yield from ast.walk(node)
        elif isinstance(node, ast.JoinedStr):
            yield from node.values


@cache
def list_suggestions(source=SOURCE):
    """(file, text) for every text of the package that advises a command or an option."""
    found = []
    for path in sorted(source.rglob("*.py")):
        tree = ast.parse(path.read_text())
        skipped = set(find_skipped(tree))
        for node in ast.walk(tree):
            text = "" if node in skipped else read_text(node)
            if " " in text and _MENTIONS.search(text) and _ADVISES.search(text):
                found.append((path.relative_to(source).as_posix(), text))
    for path in sorted(source.rglob("assets/*.html")):
        for line in path.read_text().splitlines():
            if _MENTIONS.search(line):
                found.append((path.relative_to(source).as_posix(), line))
    return found


# Files, and what goes wrong with them


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with tables of all kinds; commands name them as a user in it does."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(36) % 2
    X = rng.standard_normal((36, 4))
    X[:, 0] += 9 * y
    table = pandas.DataFrame(X, columns=["g0", "g1", "g2", "g3"])
    table["outcome"] = np.where(y, "ill", "well")
    table.to_csv("good.csv", index=False)
    table.assign(g0=X[:, 1]).to_csv("noise.csv", index=False)
    table.assign(outcome=np.where(y, "a", list("bbcc") * 9)).to_csv("three.csv", index=False)
    visits = table.assign(patient=[f"P{at // 3:02d}" for at in range(36)])
    visits.to_csv("visits.csv", index=False)
    single = ["third", *table["outcome"][1:]]
    table.assign(outcome=single).to_csv("single.csv", index=False)
    owned = ["third"] * 3 + ["ill", "ill", "ill", "well", "well", "well"] * 6
    visits.assign(outcome=owned[:36]).to_csv("owned.csv", index=False)
    table.assign(age=[np.nan, *range(50, 85)]).to_csv("gaps.csv", index=False)
    with pandas.ExcelWriter("book.xlsx") as book:
        pandas.DataFrame({"about": ["nothing"]}).to_excel(book, sheet_name="read me", index=False)
        visits.to_excel(book, sheet_name="all visits", index=False)
    odd = table.assign(**{"my notes": "text"})
    odd.loc[4, ["g0", "g1"]] = np.nan
    odd.loc[::6, "outcome"] = "third"
    odd.loc[1::6, "outcome"] = "ILL"
    odd.to_csv("odd.csv", index=False)
    visits.assign(age=50 + np.arange(36) // 2 % 5).to_csv("--dashes.csv", index=False)
    values = table.drop(columns="outcome").assign(who=[f"s{at:02d}" for at in range(36)])
    values.to_csv("values.csv", index=False)
    pandas.DataFrame({"id": values["who"], "outcome": table["outcome"]}).to_csv("about.csv")
    turned = values.set_index("who").T.rename_axis("gene").reset_index()
    turned.insert(1, "symbol", ["A", "B", "C", "C"])
    turned.to_csv("turned.csv", index=False)
    table.head(26).assign(outcome=["a", "b"] * 12 + ["c"] * 2).to_csv("tiny.csv", index=False)
    table.rename(columns={"g1": "g0"}).to_csv("twice.csv", index=False)
    table.assign(g9=range(36)).to_csv("counter.csv", index=False)
    values.drop(columns="who").assign(g9=1.5).to_csv("wide.csv", index=False)
    machine = fewest.SupportFeatureMachine().fit(table[["g0", "g1"]], table["outcome"])
    fewest.save(machine, "model.fewest")
    fewest.save(fewest.SupportFeatureMachine().fit(X, y), "nameless.fewest")
    return tmp_path


GOOD = "select good.csv --target outcome --C 2 --cv 3"
# (a piece of the text, what makes it appear, how the advice is followed). Where a whole command is
# advised, the text itself is followed: None.
CASES = [
    # whole commands
    ("To test it: {}", "select good.csv --target outcome --C 2 --cv 0 --quiet", None),
    (
        "To test it without classes of a single {} ({})",
        "select single.csv --target outcome --C 2 --quiet",
        None,
    ),
    (
        "To test it without classes of a single {} ({})",
        "select owned.csv --target outcome --groups patient --C 2 --quiet",
        None,
    ),
    ("name the model first.", "predict good.csv model.fewest --missing drop-samples", None),
    ("Allow errors:\n{}", "minimum noise.csv --target outcome", None),
    # options of reading
    ("--target COLUMN", "select good.csv", "select good.csv --target outcome"),
    (
        "--drop COLUMN",
        "select odd.csv --target outcome --missing median --C 2 --cv 0",
        "select odd.csv --target outcome --missing median --C 2 --cv 0 --drop 'my notes'",
    ),
    (
        "--keep COLUMN",
        "select counter.csv --target outcome --keep nothing",
        "select counter.csv --target outcome --keep g9 --C 2 --cv 0",
    ),
    (
        "--groups COLUMN",
        "select visits.csv --target outcome --groups nobody",
        "select visits.csv --target outcome --groups patient --C 2 --cv 3",
    ),
    (
        "See {}.",
        "select visits.csv --target outcome",
        "select visits.csv --target outcome --groups patient --C 2 --cv 3",
    ),
    (
        "--transpose",
        "select turned.csv --target g0",
        "select turned.csv --classes about.csv:outcome --transpose --names gene --C 2 --cv 0",
    ),
    (
        "--missing drop-samples (for gaps in features also drop-features or median)",
        "select odd.csv --target outcome --drop 'my notes'",
        "select odd.csv --target outcome --drop 'my notes' --missing {drop-samples|drop-features|"
        "median} --C 2 --cv 0",
    ),
    (
        "--missing drop-samples (for gaps in features",
        "select gaps.csv --target outcome --covariates age",
        "select gaps.csv --target outcome --covariates age --missing drop-samples --C 2 --cv 3",
    ),
    (
        "--sheet NAME",
        "select book.xlsx --target outcome --groups patient",
        "select book.xlsx --target outcome --groups patient --sheet 'all visits' --C 2 --cv 3",
    ),
    ("--layer NAME", "select good.csv --target outcome --layer counts", GOOD),
    (
        "--classes FILE:COLUMN",
        "select values.csv --classes about.csv:sheet:outcome:more",
        "select values.csv --classes about.csv:outcome --C 2 --cv 0",
    ),
    (
        "--ids COLUMN",
        "select good.csv --classes about.csv:outcome",
        "select values.csv --classes about.csv:outcome --ids who --C 2 --cv 0",
    ),
    (
        "--names COLUMN",
        "select turned.csv --classes about.csv:outcome --names nothing",
        "select turned.csv --classes about.csv:outcome --names symbol --duplicates mean --C 2 "
        "--cv 0",
    ),
    (
        "--covariates A,B",
        "select good.csv --target outcome --covariates age",
        "select good.csv --target outcome --covariates g3 --C 2 --cv 3",
    ),
    (
        "--duplicates",
        "select twice.csv --target outcome",
        "select twice.csv --target outcome --duplicates {mean|max|first|suffix} --C 2 --cv 0",
    ),
    (
        "fold their case (--fold-case)",
        "select odd.csv --target outcome --drop 'my notes' --missing median --C 2 --cv 0",
        "select odd.csv --target outcome --drop 'my notes' --missing median --C 2 --cv 0 "
        "--fold-case",
    ),
    (
        "--only A B",
        "select three.csv --target outcome --only a",
        "select three.csv --target outcome --only a b --C 2 --cv 0",
    ),
    (
        "--one-vs-rest LABEL",
        "select three.csv --target outcome --one-vs-rest d",
        "select three.csv --target outcome --one-vs-rest a --C 2 --cv 0",
    ),
    (
        "--against-classes FILE:COLUMN",
        "panel good.csv --target outcome --features g0 --against "
        "values.csv --against-classes about.csv:a:b:c",
        "panel good.csv --target outcome --features g0 --repeats 1 --permutations 5 --against "
        "values.csv --against-classes about.csv:outcome",
    ),
    (
        "--missing drop-samples or median",
        "predict model.fewest odd.csv",
        "predict model.fewest odd.csv --missing drop-samples",
    ),
    (
        "See --groups {}.",
        "select visits.csv --target outcome --drop patient",
        "select visits.csv --target outcome --drop patient --groups patient --C 2 --cv 3",
    ),
    (
        "See --against-groups {}.",
        "panel good.csv --target outcome --features g0 --against visits.csv",
        "panel good.csv --target outcome --features g0 --repeats 1 --permutations 5 "
        "--against visits.csv --against-groups patient",
    ),
    (
        "Leave it out if the columns are objects",
        "select good.csv --target outcome --method psvm --matrix",
        "select good.csv --target outcome --method psvm --cv 3",
    ),
    (
        "Leave out other columns with --drop COLUMN",
        "predict nameless.fewest wide.csv",
        "predict nameless.fewest wide.csv --drop g9",
    ),
    (
        "Fit it again with fewest select --model",
        "predict model.fewest odd.csv --missing median",
        "select good.csv --target outcome --C 2 --cv 0 --model again.fewest",
    ),
    (
        "Name a file that fewest select --model",
        "predict nothing.fewest good.csv",
        "select good.csv --target outcome --C 2 --cv 0 --model again.fewest",
    ),
    # options of commands
    (
        "Leave out --cv 0, or {}.",
        "select good.csv --target outcome --cv 0 --compare liknon",
        f"{GOOD} --compare liknon",
    ),
    (
        "Leave out --cv 0, or the covariates.",
        "select good.csv --target outcome --cv 0 --covariates g3",
        "select good.csv --target outcome --C 2 --covariates g3",
    ),
    (
        "does not go with --matrix, where",
        "select good.csv --target outcome --method psvm --matrix --compare sfm",
        "select good.csv --target outcome --method psvm --compare sfm --cv 3",
    ),
    (
        "Rules about features do not go with --matrix",
        "select good.csv --target outcome --method psvm --matrix --include g0",
        f"{GOOD} --include g0",
    ),
    (
        "Leave --multi-class separate out.",
        "select three.csv --target outcome --max-features 2 --multi-class separate",
        "select three.csv --target outcome --max-features 2 --cv 0",
    ),
    (
        "use --method weston --C inf",
        f"{GOOD} --method liknon --C inf",
        "select good.csv --target outcome --method {weston|sfm} --C inf --cv 0",
    ),
    (
        "fewest minimum --max-errors allows some",
        "select good.csv --target outcome --certify --C 3",
        "minimum noise.csv --target outcome --max-errors 20",
    ),
    (
        "Leave out --max-features.",
        "select good.csv --target outcome --certify --max-features 1",
        "select good.csv --target outcome --certify --cv 0",
    ),
    (
        "belongs to --method {}",
        f"{GOOD} --method liknon --constraint mean_margin",
        f"{GOOD} --method sfm --constraint mean_margin",
    ),
    ("Give one of them.", f"{GOOD} --quiet --verbose", f"{GOOD} --quiet"),
    (
        "finite cost, for example --C {}",
        "select noise.csv --target outcome --C inf --cv 0",
        "select noise.csv --target outcome --C 10 --cv 0",
    ),
    (
        "Try other values of --C.",
        "select tiny.csv --target outcome --cv 0",
        "select tiny.csv --target outcome --cv 0 --C 5",
    ),
    (
        "or look at --front 3",
        "minimum noise.csv --target outcome --max-errors 1",
        "minimum noise.csv --target outcome --front 3",
    ),
    (
        "--verify does that",
        "minimum good.csv --target outcome",
        "minimum good.csv --target outcome --verify",
    ),
    (
        "or allow errors with --max-errors.",
        "minimum noise.csv --target outcome --include g1",
        "minimum noise.csv --target outcome --include g1 --max-errors 25",
    ),
    (
        "Give both, or neither; or --front 3.",
        "minimum good.csv --target outcome --plot p.png",
        "minimum good.csv --target outcome --front 3 --plot p.png",
    ),
    (
        "Leave out --max-errors and --front.",
        "minimum good.csv --target outcome --all --front 2",
        "minimum good.csv --target outcome --all",
    ),
    (
        "or name one class with --one-vs-rest.",
        "minimum three.csv --target outcome --per-class --all",
        "minimum three.csv --target outcome --one-vs-rest a --all",
    ),
    (
        "Leave out --max-errors and --max-size.",
        "minimum good.csv --target outcome --front 2 --max-errors 1",
        "minimum good.csv --target outcome --front 2",
    ),
    (
        "Name 2 folds or more, or --groups.",
        "informative good.csv --target outcome --cv 0",
        "informative good.csv --target outcome --cv 2 --permutations 5",
    ),
    (
        "Name it with --against.",
        "panel good.csv --target outcome --features g0 --against-classes about.csv:outcome",
        "panel good.csv --target outcome --features g0 --against good.csv "
        "--repeats 1 --permutations 5",
    ),
    (
        "Name the features with --features A,B,C",
        "panel good.csv --target outcome",
        "panel good.csv --target outcome --features g0 --repeats 1 --permutations 5",
    ),
    (
        "see --verbose, or --out FILE.",
        "predict model.fewest good.csv",
        "predict model.fewest good.csv --verbose --out predicted.csv",
    ),
    (
        "no permutations. To test it: --permutations 100",
        "informative good.csv --target outcome --permutations 0",
        "informative good.csv --target outcome --permutations 100 --cv 2",
    ),
    (": see --covariates", GOOD, "select good.csv --target outcome --C 2 --cv 3 --covariates g3"),
    (
        "To test it: --against with other",
        "panel good.csv --target outcome --features g0 --repeats 1 --permutations 5",
        None,
    ),
    ("--one-per-group needs --feature-groups FILE", f"{GOOD} --one-per-group", GOOD),
    (
        "or --repeats.",
        "select good.csv --target outcome --cv 0 --repeats 3",
        f"{GOOD} --repeats 3",
    ),
    (
        "--covariates names no column",
        "select good.csv --target outcome --covariates ,",
        "select good.csv --target outcome --C 2 --cv 3 --covariates g3",
    ),
    (
        "is for the page.\nAdd --report",
        f"{GOOD} --report-seconds 3",
        f"{GOOD} --report-seconds 3 --report page.html",
    ),
    (
        "--extra is for the sets of --all",
        "minimum good.csv --target outcome --extra 1",
        "minimum good.csv --target outcome --extra 1 --all",
    ),
    (
        "name the column of ids (--ids)",
        "predict model.fewest visits.csv",
        "predict model.fewest visits.csv --ids patient",
    ),
]

# Mentions of an option or a command that are no advice to type it, or whose command takes long or
# needs brain images: what they name has to exist.
MENTIONED = (
    *("unrecognized arguments", "{}\nSee: {} --help", "as in --target phenotypes.tsv:case"),
    *("or add --overwrite", "--overwrite replaces only", "Add --groups or --groups-column"),
    *("with --no-report", "Add --labels FILE", "Choose one.", "Add --confounds FILE"),
    *("Add the file with --groups FILE", "Give one per 4-D image", "Add --t-r SECONDS"),
    *("are given by --labels FILE", "(--permute)", "(--lag)", "The labels are: {}."),
    *("--solutions all", "(see --solutions)", "prints with --debug", "use --jobs 1", "See --debug"),
    *("a --checkpoint folder holds", "Raise --max-seconds", "Lower --epsilon", "see --json"),
    *("Add --atlas", "see --csv and --json"),
    *("Name a result that fewest select --json", "--C is ignored"),
    *("with fewest select --model for instance", "which `fewest select` does", "--signs: that of"),
    *("are for models of brain images", "chooses C again", "fewest brain with its page"),
    *("a table of these samples that fits in memory", "or --method sfm-cv", "asks for so many"),
    *("fewest path shows it", "see fewest rank", "see fewest panel", "fewest minimum goes on"),
    *("--make-bed", "and this file for --classes", "fewest informative</code> does"),
    *("Flatten it, or see --debug", "the price of {} is {}", "for fewest predict and fewest.load"),
    *(
        "Leave --chosen-elsewhere out; --choose",
        "Leave them out, or --no-report",
        "add --groups with the run, or the participant",
    ),
    *("separates the conditions without error", " Raise --C.", "or lower --C"),
    *("Give it more time with --max-seconds", "allow errors: --C 1"),
    *("with --all: by how many", "nothing can be judged", "read in blocks (see --blocks)"),
    *("with <code>--covariates</code>", "with a range", "Now your own data", "--t-r)."),
    *("--max-seconds is for all searches", "in the folds and permutations of --report"),
    *("larger training error than --max-training-error", "sfm with --C, --max-features", "--csv"),
)


def is_case(text):
    return any(key in text for key, _, _ in CASES)


@pytest.mark.parametrize("file", sorted({file for file, _ in list_suggestions()}))
def test_every_suggestion_has_a_case(file):
    texts = [text for where, text in list_suggestions() if where == file]
    new = [one for one in texts if not is_case(one) and not any(key in one for key in MENTIONED)]
    assert not new, "run them in CASES: " + "\n".join(new)


def test_a_new_suggestion_is_found(tmp_path):
    source = '"""See --help."""\nx = f"{y}: see --covaryates, or leave it."\n'
    (tmp_path / "new.py").write_text(source)
    assert list_suggestions(tmp_path) == [("new.py", "{}: see --covaryates, or leave it.")]


def test_no_case_is_left_over():
    trees = [ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")]
    texts = [read_text(node) for tree in trees for node in ast.walk(tree)]
    assert [key for key, _, _ in CASES if not any(key in one for one in texts)] == []


def list_parsers():
    actions = build_parser()._actions
    [commands] = [one for one in actions if isinstance(one, argparse._SubParsersAction)]
    return commands.choices


def test_all_options_that_are_named_exist():
    parsers = list_parsers()
    known = {option for one in parsers.values() for option in one._option_string_actions}
    for file, text in list_suggestions():
        command = Path(file).stem
        own = parsers[command]._option_string_actions if command in parsers else known
        for option in re.findall(r"(?<![\w-])--[a-zA-Z][\w-]*", text):
            others = re.search(rf"fewest ({_NAMES})[^.;]*{option}|plink", text)
            assert option in own or others, f"{file}: {option}"


@pytest.mark.parametrize("command", [*_NAMES.split("|"), "demo"])
def test_examples_of_the_help_can_be_typed(command):
    parser = list_parsers()[command]
    lines = parser.epilog.replace("\\\n", " ").splitlines()
    examples = [line.strip() for line in lines if line.strip().startswith("fewest ")]
    assert examples
    for example in examples:
        _, name, *arguments = shlex.split(example.partition(" > ")[0])
        _, unknown = parser.parse_known_args(arguments)
        assert (name, unknown) == (command, []), example
        assert "--drop patient" not in example


def expand(command):
    """Of `{a|b}` every choice."""
    found = re.search(r"\{([\w-]+(?:\|[\w-]+)+)\}", command)
    if found is None:
        return [command]
    return [command.replace(found.group(), one) for one in found.group(1).split("|")]


def follow(run, command):
    ran = run(*shlex.split(command.removeprefix("fewest ")))
    assert ran.code == 0, f"{command}\n{ran.err}"
    return ran


def find_commands(text):
    """Whole commands in a text, as they stand there."""
    tables = r"(?:good|noise|visits|odd|values|single|owned)\.csv"
    files = rf"{tables}|\./--dashes\.csv|book\.xlsx|model\.fewest"
    return re.findall(rf"fewest (?:{_NAMES}) (?:{files})[^\n]*", text)


@pytest.mark.parametrize(("key", "cause", "cure"), CASES)
@pytest.mark.usefixtures("here")
def test_a_suggestion_runs(run, key, cause, cure):
    ran = run(*shlex.split(cause))
    said = ran.out + ran.err
    # In the order in which the text has them, whatever is filled in between.
    parts = [re.escape(part) for part in key.split("{}")]
    assert re.search(".*?".join(parts), said, re.DOTALL), said
    cures = expand(cure) if cure else find_commands(said)
    assert cures
    for one in cures:
        follow(run, one)


READING = {
    "groups and drop": "select visits.csv --target outcome --groups patient --drop g3 "
    "--drop 'g1,g2'",
    "sheet": "select book.xlsx --sheet 'all visits' --target outcome --groups patient",
    "missing": "select odd.csv --target outcome --drop 'my notes' --missing median --fold-case",
    "drop-samples": "select odd.csv --target outcome --drop all-text --missing drop-samples "
    "--only ill well",
    "one-vs-rest": "select three.csv --target outcome --one-vs-rest a --keep g0",
    "classes": "select values.csv --classes about.csv:outcome --ids who",
    "names": "select turned.csv --classes about.csv:outcome --names symbol --duplicates mean",
    "duplicates": "select twice.csv --target outcome --duplicates suffix",
    "covariates": "select ./--dashes.csv --target outcome --covariates age,g3 --groups patient",
    "excluded": "select good.csv --target outcome --exclude g0,g2 --exclude g3",
    "ids that repeat": "select visits.csv --target outcome --drop patient",
}


def read_data(out):
    """What a run says of its samples."""
    return [line for line in out.splitlines() if line.startswith(("Data", "Classes", "Note  "))]


@pytest.mark.parametrize("name", READING)
@pytest.mark.usefixtures("here")
def test_a_suggested_command_reads_the_same_samples_and_features(run, name):
    call = READING[name] + " --C 2"
    ran = run(*shlex.split(call), "--cv", 3 if "covariates" in call else 0)
    assert ran.code == 0, ran.err
    [command] = re.findall(r"fewest diagnose [^\n]*", ran.out)
    again = follow(run, f"{command} --permutations 3")
    if name == "excluded":  # which commands without such a rule leave out
        assert "Left out  g0, g2, g3" in again.out
        return
    assert read_data(again.out) == read_data(ran.out)
    if "'my notes'" in call:
        assert "'my notes'" in command


@pytest.mark.parametrize("name", ["groups and drop", "missing", "classes"])
@pytest.mark.usefixtures("here")
def test_minimum_carries_its_options_over(run, name):
    """Noise alone: the suggestion is another command, with errors allowed."""
    call = shlex.split(READING[name].replace("select", "minimum", 1).replace("--drop g3 ", ""))
    ran = run(*call, "--drop", "g0*")
    assert ran.code == 3, ran.err
    [command] = re.findall(r"fewest select [^\n]*--C 10", ran.err)
    again = follow(run, f"{command} --cv 0")
    assert read_data(again.out)[:2] == read_data(ran.out)[:2]


def test_separate_selections_are_kept_where_a_class_is_tiny(tmp_path, run):
    """The note says that C was not chosen; what was asked for stays as it is."""
    rng = np.random.default_rng(0)
    y = np.array(["a"] * 12 + ["b"] * 12 + ["c"] * 3)
    table = pandas.DataFrame(rng.standard_normal((27, 5)), columns=list("pqrst"))
    table.assign(outcome=y).to_csv(tmp_path / "tiny.csv", index=False)
    call = ("select", tmp_path / "tiny.csv", "--target", "outcome", "--cv", 0)
    for choice in ("separate", "joint"):
        saved = ("--multi-class", choice, "--model", tmp_path / f"{choice}.fewest")
        assert "C was not chosen from the data" in run(*call, *saved).out
        assert fewest.load(tmp_path / f"{choice}.fewest").multi_class == choice
