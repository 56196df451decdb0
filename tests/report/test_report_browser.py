"""The page in a browser: nothing loaded, nothing complained of, everything there and usable."""

import base64

import pytest

from fewest.cli import main

SECTIONS = ["asked", "answer", "trust", "alternatives", "heat-map", "costs", "informative"]

# One process makes what the tests share, instead of each.
pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """What `fewest demo --report demo.html` makes."""
    path = tmp_path_factory.mktemp("report") / "demo.html"
    assert main(["demo", "--quiet", "--report", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def hostile_page(hostile_report, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "hostile.html"
    hostile_report.save(path)
    return path


def shown_names(browser, table="#named"):
    return browser.run(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
        ".filter(row => row.offsetParent !== null).map(row => row.cells[0].textContent)",
        table,
    )


def column(browser, place, table="#named"):
    return browser.run(
        "return [...document.querySelectorAll(arguments[0] + ' tbody tr')]"
        ".map(row => Number(row.cells[arguments[1]].dataset.sort))",
        table,
        place,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_loads_nothing_and_complains_of_nothing(browser, page, width, scheme):
    browser.open(page, width=width, scheme=scheme)
    others, own = browser.requests
    assert own == [page.as_uri()]
    assert others == []
    assert browser.complaints == []
    assert browser.run("return document.documentElement.scrollWidth") <= width


def test_nothing_is_missing_but_what_was_not_run(browser, page):
    browser.open(page)
    missing = browser.run(
        "return [...document.querySelectorAll('.missing')].map(one => one.closest('section').id)"
    )
    assert missing == ["informative"]


def test_every_section_is_there_and_seen(browser, page):
    browser.open(page)
    for name in SECTIONS:
        height = browser.run(
            "return document.getElementById(arguments[0]).getBoundingClientRect().height", name
        )
        assert height > 50, name
        assert browser.run(
            "return !!document.querySelector(`nav a[href='#${arguments[0]}']`)", name
        )


def test_figures_have_a_size_and_a_name(browser, page):
    browser.open(page)
    figures = browser.run(
        "return [...document.querySelectorAll('svg')].map(svg => "
        "[svg.getBoundingClientRect().width, svg.getAttribute('aria-label')])"
    )
    assert len(figures) >= 8
    assert all(width > 100 and label for width, label in figures)


def test_keyboard_sorts_the_table(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.open(page)
    header = browser.run(
        "const all = [...document.querySelectorAll('#named thead th')];"
        "return all.findIndex(th => th.textContent.startsWith('Error alone'))"
    )
    browser.run(
        "document.querySelectorAll('#named thead th button')[arguments[0] - 1].focus()", header
    )
    driver = browser.driver
    driver.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.run("return document.activeElement.textContent").startswith("Error alone")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    sort = "return document.querySelectorAll('#named thead th')[arguments[0]].ariaSort"
    assert browser.run(sort, header) == "ascending"
    ascending = column(browser, header)
    assert ascending == sorted(ascending)
    assert len(set(ascending)) > 3
    driver.switch_to.active_element.send_keys(Keys.SPACE)
    assert browser.run(sort, header) == "descending"
    assert column(browser, header) == sorted(ascending, reverse=True)


def test_names_sort_as_people_count(browser, page):
    browser.open(page)
    browser.run("document.querySelector('#named thead th button').click()")
    names = shown_names(browser)
    assert names == sorted(names)
    assert len(names) > 20


def test_filter_keeps_rows_with_the_text(browser, page):
    browser.open(page)
    everything = shown_names(browser)
    field = browser.driver.find_element("css selector", "#alternatives .filter input")
    field.send_keys("SELECTED")
    kept = shown_names(browser)
    assert 0 < len(kept) < len(everything)
    status = browser.run("return document.querySelector('#alternatives [role=status]').textContent")
    assert status == f"{len(kept)} of {len(everything)} rows"
    field.send_keys("no such feature")
    assert shown_names(browser) == []
    field.clear()
    field.send_keys(" ")
    assert shown_names(browser) == everything


def test_tab_reaches_links_tables_and_fields(browser, page):
    from selenium.webdriver.common.keys import Keys

    browser.open(page)
    reached = set()
    for _ in range(60):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        reached.add(
            browser.run(
                "const e = document.activeElement; const style = getComputedStyle(e);"
                "return e.tagName + (style.outlineStyle === 'none' ? ' unseen' : '')"
            )
        )
    assert {"A", "BUTTON", "INPUT", "SUMMARY", "DIV"} <= reached
    # After the last one the body has its turn, which needs no outline.
    assert {one for one in reached if one.endswith("unseen")} <= {"BODY unseen"}


def contrast(browser, element):
    """Of text on the page's paper, in WCAG's sense."""
    return browser.run(
        """
        const light = text => {
          const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const element = document.querySelector(arguments[0]);
        const style = getComputedStyle(element);
        const ink = light(element instanceof SVGElement ? style.fill : style.color);
        const paper = light(getComputedStyle(document.body).backgroundColor);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
        """,
        element,
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_both_schemes(browser, page, scheme):
    browser.open(page, scheme=scheme)
    for element in ("body", "figcaption", "nav a", "summary", "svg text", ".fact h2"):
        assert contrast(browser, element) >= 4.5, element


def test_schemes_differ(browser, page):
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = browser.open(page, scheme="light").run(paper)
    assert browser.open(page, scheme="dark").run(paper) != light


def test_prints_on_white_without_the_navigation(browser, page):
    browser.open(page, scheme="dark")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.run("return getComputedStyle(document.body).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert browser.run("return getComputedStyle(document.querySelector('nav')).display") == "none"
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", {})
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")
    assert browser.run("return document.querySelector('details').open")


def test_hostile_names_are_text(browser, hostile_page):
    for width in (1280, 390):
        browser.open(hostile_page, width=width)
        others, _ = browser.requests
        assert others == []
        assert browser.complaints == []
        assert browser.run("return window.hacked") is None
        assert browser.run("return document.querySelectorAll('img, b, iframe').length") == 0
        assert browser.run("return document.scripts.length") == 1
        assert browser.run("return document.documentElement.scrollWidth") <= width
    names = browser.run(
        "return [...document.querySelectorAll('#answer bdi.name')].map(one => one.textContent)"
    )
    assert "<script>window.hacked = 1</script>" in names


def test_a_script_of_the_data_would_not_run(browser, page, tmp_path):
    """The policy is the second lock: even markup that got through stays dead."""
    forged = tmp_path / "forged.html"
    text = page.read_text()
    attack = "<script>window.hacked = 1</script><p id='styled' style='color: red'>x</p>"
    forged.write_text(text.replace("<main>", "<main>" + attack, 1))
    browser.open(forged)
    assert browser.run("return window.hacked") is None
    style = "return getComputedStyle(document.getElementById('styled')).color"
    assert browser.run(style) != "rgb(255, 0, 0)"
    assert any("Content Security Policy" in entry["message"] for entry in browser.complaints)
