"""The page with many classes and long names: nothing is cut, and everything can be saved."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest._cells import protect_cell
from fewest.report import make_report

KINDS = ("monocyte", "dendritic", "platelet", "erythroid", "plasma", "B", "T", "NK", "CD4", "CD8")
CLASSES = [
    f"{kind} cells of the peripheral blood, sorted (batch {n})" for n, kind in enumerate(KINDS)
]
SMALLEST, N_FEATURES = 6, 16  # samples per class, features


def make_classes(n_classes):
    rng = np.random.RandomState(0)
    y = np.repeat(np.arange(n_classes), SMALLEST)
    X = rng.normal(size=(len(y), N_FEATURES))
    X[np.arange(len(y)), y] += 4.0
    names = [f"=ENSG{n:08d}_solute_carrier_family_{n}_member_A_variant" for n in range(N_FEATURES)]
    return X, np.array(CLASSES[:n_classes], dtype=object)[y], names


def write_page(folder, n_classes, parts, **settings):
    X, y, names = make_classes(n_classes)
    machine = SupportFeatureMachine(C=1.0, **settings).fit(X, y)
    report = make_report(
        machine,
        X,
        y,
        feature_names=names,
        parts=parts,
        n_subsets=2,
        cv=2,
        random_state=0,
        command="fewest select expression.csv --target diagnosis --report result.html",
        links="ncbi",
    )
    path = folder / f"{n_classes}.html"
    report.save(path)
    return path


@pytest.fixture(scope="module", params=[2, 7, "separate"])
def page(request, tmp_path_factory):
    """Two classes, seven that share a panel, and ten with features of their own."""
    folder = tmp_path_factory.mktemp("layout")
    if request.param == "separate":
        return write_page(folder, 10, ("validation", "alternatives"), multi_class="separate")
    return write_page(folder, request.param, ("validation",))


@pytest.fixture
def saved(browser):
    """What the page would save: the file that a click makes, as (name, text)."""

    def click(selector, place):
        return browser.driver.execute_async_script(
            """
            const [selector, place, done] = arguments;
            const made = URL.createObjectURL, click = HTMLAnchorElement.prototype.click;
            let blob;
            URL.createObjectURL = (given) => { blob = given; return made.call(URL, given); };
            HTMLAnchorElement.prototype.click = function () {
              blob.text().then((text) => done([this.download, text]));
            };
            document.querySelectorAll(selector)[place].click();
            URL.createObjectURL = made;
            HTMLAnchorElement.prototype.click = click;
            """,
            selector,
            place,
        )

    return click


@pytest.mark.parametrize("width", [1280, 390])
def test_what_is_wide_scrolls_by_itself_and_says_so(browser, page, width):
    browser.open(page, width=width)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    outside = browser.run(
        """
        const seen = (part) => part.getClientRects().length && !part.closest("nav, .skip, caption");
        const holder = (part) => part.closest(".wide-table, .wide-figure, pre");
        return [...document.querySelectorAll("main *, header *")]
          .filter((part) => seen(part) && !holder(part) && !part.closest("svg *"))
          .filter((part) => part.getBoundingClientRect().right > arguments[0] + 1)
          .map((part) => part.outerHTML.slice(0, 200));
        """,
        width,
    )
    assert outside == []
    # The observer that shows the hints reports with the next frame.
    unsaid = browser.driver.execute_async_script(
        """
        const done = arguments[0];
        const wide = (part) => part.scrollWidth > part.clientWidth + 1;
        requestAnimationFrame(() => requestAnimationFrame(() => done(
          [...document.querySelectorAll(".wide-table, .wide-figure")]
            .filter((part) => wide(part) === part.previousElementSibling.hidden)
            .map((part) => part.outerHTML.slice(0, 200)))));
        """
    )
    assert unsaid == []


@pytest.mark.parametrize("width", [1280, 390])
def test_names_are_shown_in_full(browser, page, width):
    browser.open(page, width=width)
    cut = browser.run(
        """
        return [...document.querySelectorAll("bdi")]
          .filter((name) => name.getClientRects().length)
          .filter((name) => name.scrollWidth > name.clientWidth + 1 && name.clientWidth > 0
            || getComputedStyle(name).textOverflow === "ellipsis"
            || getComputedStyle(name).webkitLineClamp !== "none")
          .map((name) => name.textContent);
        """
    )
    assert cut == []
    shown = browser.run(
        "return [...document.querySelectorAll('bdi.label')].map(one => one.textContent)"
    )
    n_classes = browser.run("return document.querySelectorAll('.matrix tbody tr').length")
    assert set(CLASSES[:n_classes]) == set(shown)


def test_no_line_begins_with_a_comma_and_no_option_is_broken(browser, page):
    browser.open(page, width=390)
    first = browser.run(
        """
        const range = document.createRange(), found = [];
        const main = document.querySelector("main");
        const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const text = walker.currentNode, parent = text.parentNode;
          const before = text.previousSibling ?? parent.previousSibling;
          if (!text.data.startsWith(",") || !before || !parent.getClientRects().length) continue;
          range.setStart(text, 0); range.setEnd(text, 1);
          const comma = range.getBoundingClientRect();
          range.selectNodeContents(before);
          const lines = [...range.getClientRects()];
          if (comma.top > lines.at(-1).bottom - 2) found.push(text.parentNode.textContent);
        }
        return found;
        """
    )
    assert first == []
    broken = browser.run(
        "return [...document.querySelectorAll('.word')].filter(one => one.textContent"
        ".startsWith('--') && one.getClientRects().length > 1).map(one => one.textContent)"
    )
    assert broken == []
    assert "--target" in browser.run("return document.querySelector('pre').textContent")


def test_every_class_has_its_weights(browser, page):
    browser.open(page)
    n_classes = browser.run("return document.querySelectorAll('.matrix tbody tr').length")
    is_panel = browser.run("return !!document.querySelector('[id^=panel-0]')")
    drawn = browser.run("return document.querySelectorAll('svg [id^=weights-][id$=axes_1]').length")
    if n_classes > 2:
        assert drawn == (0 if is_panel else n_classes)


def test_the_legend_of_the_curves_is_above_them(browser, page):
    browser.open(page)
    places = browser.run(
        """
        const box = (name) => document.getElementById(name).getBoundingClientRect();
        return [box("roc-legend_1").bottom, box("roc-patch_2").top];
        """
    )
    assert places[0] <= places[1] + 1


def test_every_table_can_be_saved_as_it_is(browser, page, saved):
    browser.open(page)
    tables = browser.run(
        """
        return [...document.querySelectorAll("table")].map((table) => [...table.rows].map((row) =>
          [...row.cells].map((cell) => [cell.dataset.csv ?? null, cell.dataset.sort ?? null,
            cell.textContent.replace(/\\s+/g, " ").trim(), !!cell.querySelector(".role")])));
        """
    )
    buttons = ".save button[aria-label^='Save the table']"
    n_buttons = browser.run("return document.querySelectorAll(arguments[0]).length", buttons)
    assert n_buttons == len(tables) >= 2
    for place, table in enumerate(tables):
        name, text = saved(buttons, place)
        assert name.startswith("fewest-")
        assert name.endswith(".csv")
        rows = list(csv.reader(io.StringIO(text)))
        assert [len(row) for row in rows] == [len(row) for row in table]
        for row, cells in zip(rows, table, strict=True):
            for found, (given, exact, shown, has_parts) in zip(row, cells, strict=True):
                if given is not None:
                    assert found == protect_cell(given)
                elif exact is not None and found == exact:
                    assert is_rounded(float(exact), shown)
                elif not has_parts:
                    assert found in (protect_cell(shown), as_number(shown))


def as_number(shown):
    """What a spreadsheet would compute with."""
    plain = shown.replace("\N{MINUS SIGN}", "-").replace(",", "")
    if plain == "–":
        return ""
    share = re.fullmatch(r"(-?[\d.]+) %", plain)
    return f"{float(share.group(1)) / 100:.12g}" if share else plain


def is_rounded(exact, shown):
    """Whether the shown number is the exact one, in fewer digits."""
    number = as_number(shown)
    return abs(float(number) - exact) <= 6e-3 * max(1.0, abs(exact))


def test_names_that_look_like_formulas_are_text_in_the_files(browser, page, saved):
    browser.open(page)
    _, text = saved(".save button[aria-label='Save the table as CSV: Selected features']", 0)
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) > 1
    assert all(row[0].startswith("'=ENSG") for row in rows[1:])


def test_the_script_protects_cells_as_the_package_does(browser, page):
    browser.open(page)
    texts = ["=1+1", "+a", "-a", "@x", "-1.5", "+3e-4", "-inf", "'=x", "''+1", "a=b", "-1_0", "-"]
    texts += ["-1__0", "-.5", "-5.", "+.", "-1e", "1", "", "'a", "-NaN", "-0x10"]
    found = browser.run("return arguments[0].map(protectCell)", texts)
    assert found == [protect_cell(text) for text in texts]


def test_every_figure_can_be_saved(browser, page, saved):
    browser.open(page, scheme="dark")
    buttons = ".save button[aria-label^='Save the figure']"
    n_figures = browser.run("return document.querySelectorAll('svg').length")
    assert (
        browser.run("return document.querySelectorAll(arguments[0]).length", buttons) == n_figures
    )
    assert n_figures > 3
    for place in range(n_figures):
        name, text = saved(buttons, place)
        assert name.startswith("fewest-")
        assert name.endswith(".svg")
        root = ElementTree.fromstring(text.encode())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert float(root.get("width")) > 100
        assert float(root.get("height")) > 30
        assert "currentColor" not in text
        ids = {part.get("id") for part in root.iter()}
        links = [part.get("href") for part in root.iter() if part.get("href", "").startswith("#")]
        assert {link[1:] for link in links} <= ids
        texts = browser.run(
            "return [...document.querySelectorAll('svg')[arguments[0]].querySelectorAll('text')]"
            ".map(one => one.textContent)",
            place,
        )
        found = root.iter("{http://www.w3.org/2000/svg}text")
        assert ["".join(one.itertext()) for one in found] == texts
    assert browser.complaints == []


def test_names_of_features_lead_to_pages_about_them(browser, page):
    browser.open(page)
    links = browser.run(
        "return [...document.querySelectorAll('a.about')]"
        ".map(one => [one.textContent, one.getAttribute('href'), one.rel])"
    )
    assert links
    for name, address, rel in links:
        assert address == "https://www.ncbi.nlm.nih.gov/gene/?term=" + name.replace("=", "%3D")
        assert rel == "noopener noreferrer"
    assert browser.requests[0] == []


def test_the_paragraph_can_be_copied(browser, page):
    browser.open(page)
    browser.run(
        "document.addEventListener("
        "'copy', () => { window.copied = String(window.getSelection()); })"
    )
    # A key of the user: pages may not copy without one.
    browser.run("document.querySelector('.to-copy + .save button').focus()")
    browser.driver.switch_to.active_element.send_keys("\ue007")
    copied = browser.run("return window.copied")
    assert "Support Feature Machine [1, 2]" in copied
    assert "Neural Computation" in copied


def test_wide_tables_fit_on_paper(browser, page):
    browser.open(page, width=740)
    browser.run("window.dispatchEvent(new Event('beforeprint'))")
    widths = browser.run(
        "return [...document.querySelectorAll('.wide-table table')]"
        ".map(table => table.getBoundingClientRect().width)"
    )
    browser.run("window.dispatchEvent(new Event('afterprint'))")
    assert max(widths) <= 700
    assert browser.run("return document.body.className") == ""
