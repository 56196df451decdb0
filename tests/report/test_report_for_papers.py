"""The paragraph on methods, and the addresses of pages about features."""

import re
from dataclasses import replace

import pytest

from fewest import SupportFeatureMachine, SupportFeatureMachineCV
from fewest.cli import main
from fewest.report import make_report
from fewest.report._links import PRESETS, find_address, read_links
from fewest.report._methods import describe_methods


def test_the_paragraph_says_what_was_done(report):
    content = report.content
    text, references = describe_methods(content).text, describe_methods(content).references
    found, data = content.trust.validation, content.data
    assert f"{data.n_features} features of {data.n_samples} samples" in text
    assert "C = inf, which allows no training error" in text
    assert f"{found.n_folds}-fold cross-validation" in text
    assert f"{found.n_errors} of {found.n_judged} held-out samples" in text
    assert f"{content.trust.permutation.n_permutations} permutations" in text
    assert f"fewest {content.versions['fewest']}" in text
    assert f"seed was {content.question.seed}" in text
    cited = {int(n) for group in re.findall(r"\[([\d, ]+)\]", text) for n in group.split(",")}
    assert cited == set(range(1, len(references) + 1))
    assert any("Klement" in one and "2013" in one for one in references)


def test_what_was_not_done_is_not_said(report):
    bare = replace(report.content, trust=type(report.content.trust)())
    text = describe_methods(bare).text
    for word in ("permutation", "held-out", "Nogueira", "proven", "cross-validation"):
        assert word not in text


def test_a_chosen_cost_is_said_to_be_chosen(data):
    X, y = data
    machine = SupportFeatureMachineCV(cv=3, n_Cs=2, random_state=0).fit(X, y)
    text = describe_methods(make_report(machine, X, y, parts=()).content).text
    assert f"C = {machine.C_:.4g}" in text
    assert re.search(r"; C (and .* )?(was|were) chosen by 3-fold cross-validation", text)
    fixed = SupportFeatureMachine(C=1.0).fit(X, y)
    assert "chosen" not in describe_methods(make_report(fixed, X, y, parts=()).content).text


def test_the_number_of_permutations_is_that_of_the_run(report):
    found = replace(report.content.trust.permutation, n_permutations=7)
    trust = replace(report.content.trust, permutation=found)
    text = describe_methods(replace(report.content, trust=trust)).text
    assert "(k + 1) / (7 + 1)" in text


def test_names_of_statistics_are_whole(report):
    text = describe_methods(report.content).text
    for one in report.content.trust.permutation.comparisons:
        assert f"p = {one.p_value:.2g} for {one.name}" in text


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_addresses_of_the_web(preset):
    address = find_address(read_links(preset), "TP53")
    assert address.startswith("https://")
    assert address.endswith("TP53")


@pytest.mark.parametrize(
    "pattern",
    [
        "javascript:alert('{name}')",
        "data:text/html,{name}",
        "//host/{name}",
        "file:///{name}",
        "https://{name}",
        "https://{name}.org/",
        "https:///{name}",
        "https://host/",
        "https://host/{name} x",
        'https://host/"{name}',
        "https://host/{name}<b>",
        "https://host/{other}{name}",
        "https://[host/{name}",
        "genes",
        "",
    ],
)
def test_other_patterns_are_refused(pattern, data, soft):
    with pytest.raises(ValueError, match="links must be one of ncbi, ensembl, uniprot"):
        make_report(soft, *data, parts=(), links=pattern)


def test_names_are_encoded():
    pattern = read_links("https://host/{name}?q={name}#x")
    assert find_address(pattern, 'a/b&c="é\ud800') == (
        "https://host/a%2Fb%26c%3D%22%C3%A9%3F?q=a%2Fb%26c%3D%22%C3%A9%3F#x"
    )


def test_the_command_refuses_such_a_pattern_before_it_reads(capsys):
    assert main(["select", "no.csv", "--target", "y", "--links", "javascript:{name}"]) == 2
    assert "--links" in capsys.readouterr().err


def test_links_are_in_the_page_and_in_the_file(data, soft):
    report = make_report(soft, *data, parts=(), links="https://host/{name}")
    (name, *_) = report.content.answer.selected
    assert f'href="https://host/{name.replace(" ", "%20")}"' in report.html
    assert report.content.links == "https://host/{name}"
    assert "https://host" not in make_report(soft, *data, parts=()).html
