"""Rules about features from the command line: names and small tables in, numbers out."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fewest.cli._app import main
from fewest.cli._errors import CommandError
from fewest.cli._options import Parser
from fewest.cli._rules import add_rule_options, read_rule_options

NAMES = ["age", "sex", "CD33", "Zyxin", "a,b"]


@pytest.fixture
def read(tmp_path):
    """The keyword arguments that options stand for; {f} is a file with the given text."""

    def call(*options, text=""):
        file = tmp_path / "rules.csv"
        file.write_text(text, encoding="utf-8")
        parser = Parser(prog="fewest")
        add_rule_options(parser)
        arguments = parser.parse_args([option.format(f=file) for option in options])
        return read_rule_options(arguments, NAMES)

    return call


def test_no_rules_are_no_arguments(read):
    assert read() == {}


def test_lists_of_names(read):
    given = read("--include", "age, sex", "--include", "a,b", "--exclude", "CD33", "--exclude=CD33")
    assert given == {"include": [0, 1, 4], "exclude": [2]}


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_prices(read, delimiter):
    text = "\ufeffgene,price\nCD33,2.5\n\nZyxin,10\nage,\n".replace(",", delimiter)
    assert read("--feature-cost", "{f}", text=text) == {"feature_cost": {2: 2.5, 3: 10.0}}


def test_a_column_of_a_larger_table(read):
    text = 'gene,batch,price,chip\nCD33,1,2.5,x\n"a,b",2,4,x\nsex,1,1,\n'
    assert read("--feature-cost", "{f}:price", text=text)["feature_cost"] == {2: 2.5, 4: 4, 1: 1}
    given = read("--feature-groups", "{f}:chip", "--one-per-group", text=text)
    assert given == {"feature_groups": {"x": [2, 4]}, "one_per_group": True}


def test_signs(read):
    text = "gene,sign\nCD33,up\nZyxin,-1\nage,0\nsex,+\n"
    assert read("--signs", "{f}", text=text) == {"signs": {2: 1, 3: -1, 0: 0, 1: 1}}


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        (["--include", "cd33"], "", "--include names 'cd33', .*\n.*mean 'CD33'"),
        (["--exclude", "age,nothing"], "", "--exclude names 'nothing', which is not a feature"),
        (["--feature-cost", "{f}"], "gene,price\nCD3,1\n", "names 'CD3', .*\nDid you mean 'CD33'"),
        (["--feature-cost", "{f}"], "CD33,1\n", "begins with 'CD33', which is a feature.\nIts"),
        (["--feature-cost", "{f}"], "gene,price\nCD33,dear\n", "price of 'CD33' is 'dear'"),
        (["--feature-cost", "{f}"], "gene,price\nCD33,1\nCD33,2\n", "names 'CD33' twice"),
        (["--feature-cost", "{f}"], "gene,price\nCD33\n", "has 2 cells, but a row has 1: CD33"),
        (["--feature-cost", "{f}"], "gene\nCD33\n", "is no table with two columns"),
        (["--feature-cost", "{f}"], "", "is no table with two columns"),
        (["--feature-cost", "{f}:cost"], "gene,costs\n", "no column 'cost'.\nDid you mean 'costs'"),
        (["--feature-cost", "nowhere.csv"], "", "there is no such file"),
        (["--signs", "{f}"], "gene,sign\nCD33,2\n", "that of 'CD33' is '2'.\nWrite 1"),
        (["--one-per-group"], "", "--one-per-group needs --feature-groups FILE"),
    ],
)
def test_what_is_refused(read, options, text, message):
    with pytest.raises(CommandError, match=message):
        read(*options, text=text)


def test_a_file_that_is_no_text(read, tmp_path):
    file = tmp_path / "binary.csv"
    file.write_bytes(b"gene,price\n\xff\xfe,1\n")
    with pytest.raises(CommandError, match="not a text file in UTF-8"):
        read("--signs", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        read("--signs", str(tmp_path))


class TestCommands:
    """Commands that fit machines keep the rules."""

    @pytest.fixture
    def table(self, tmp_path):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((60, 12))
        y = np.where(X[:, 0] + X[:, 1] + 0.2 * rng.standard_normal(60) > 0, "ill", "well")
        path = tmp_path / "table.csv"
        names = [f"g{j}" for j in range(12)]
        rows = [",".join([*map(str, row), label]) for row, label in zip(X, y, strict=True)]
        path.write_text("\n".join([",".join([*names, "dx"]), *rows]))
        return path

    def test_select(self, table, tmp_path):
        out = tmp_path / "r.json"
        line = ["select", str(table), "--target", "dx", "--cv", "3", "--json", str(out)]
        assert main([*line, "--include", "g5", "--exclude", "g0"]) == 0
        result = json.loads(out.read_text())
        assert "g5" in result["answer"]["selected"]
        assert "g0" not in result["answer"]["selected"]
        assert result["question"]["rules"][1] == "Never in: g0."

    @pytest.mark.parametrize("command", ["path", "rank", "informative"])
    def test_excluded_everywhere(self, command, table, capsys):
        more = {"rank": ["--C", "1", "--subsets", "2"], "path": ["--values", "3", "--cv", "0"]}
        few = ["--C", "1", "--permutations", "0", "--cv", "2"]
        line = [command, str(table), "--target", "dx", "--exclude", "g0,g1"]
        assert main([*line, *more.get(command, few)]) == 0
        shown = capsys.readouterr().out.replace("--drop g0 --drop g1", "")  # of a suggestion
        assert " g0 " not in shown
        assert main([*line[:-1], "g99", *more.get(command, few)]) == 2
        assert "--exclude names 'g99'" in capsys.readouterr().err

    def test_potential_support_vector_machine(self, table, tmp_path):
        out, prices = tmp_path / "r.json", tmp_path / "prices.csv"
        prices.write_text("gene,price\ng1,20\n")
        line = ["select", str(table), "--target", "dx", "--method", "psvm", "--cv", "3"]
        line += ["--json", str(out), "--include", "g5", "--exclude", "g0"]
        assert main([*line, "--feature-cost", str(prices)]) == 0
        result = json.loads(out.read_text())
        assert "g5" in result["answer"]["selected"]
        assert not {"g0", "g1"} & set(result["answer"]["selected"])
        assert result["question"]["rules"][:2] == [
            "Always in, at no cost: g5. The other features add to them.",
            "Never in: g0.",
        ]
        assert result["question"]["rules"][2].startswith("Features cost 1 to 20 each")

    def test_what_has_no_rules_says_so(self, table, tmp_path, capsys):
        signs = tmp_path / "signs.csv"
        signs.write_text("gene,sign\ng1,up\n")
        line = ["select", str(table), "--target", "dx", "--method", "psvm"]
        assert main([*line, "--signs", str(signs)]) == 2
        assert "--signs belongs to --method sfm or" in capsys.readouterr().err
        assert main([*line, "--matrix", "--include", "g1"]) == 2
        assert "do not go with --matrix" in capsys.readouterr().err

    def test_not_separable_under_rules(self, table, capsys):
        line = ["select", str(table), "--target", "dx", "--C", "inf"]
        assert main([*line, "--exclude", ",".join(f"g{j}" for j in range(10))]) == 3
        assert "under the rules about features" in capsys.readouterr().err

    @pytest.mark.parametrize("command", ["select", "rank", "minimum"])
    def test_features_are_named(self, table, tmp_path, capsys, command):
        """Estimators know their numbers only."""
        line = [command, str(table), "--target", "dx"]
        assert main([*line, "--include", "g1", "--exclude", "g1"]) == 2
        assert "feature g1: in include and in exclude" in capsys.readouterr().err
        prices = tmp_path / "prices.csv"
        prices.write_text("gene,price\ng1,-20\n")
        assert main([*line, "--feature-cost", str(prices)]) == 2
        assert "but it is -20 for feature g1" in capsys.readouterr().err
