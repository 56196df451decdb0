"""Small data, a report of it, and a browser to look at it."""

import json
import shutil

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.report import make_report

HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 2">',
    "x" * 500,
    "\N{DNA DOUBLE HELIX} \N{FAMILY}\N{ZERO WIDTH JOINER}\N{MICROSCOPE}",
    "\u05d2\u05df \u0627\u0644\u062c\u064a\u0646",
    "turned \u202e around",
    "a\nb\x00c\x1b[31m",
    "$\\frac{1}{2}$ {{ 7 * 7 }} {% raw %}",
    "</title></style></script><b>bold</b>",
]


def two_classes(n=40, d=30):
    X, y = make_gaussian(n=n, d=d, k=2, mu=1.2, random_state=0)
    return X, np.where(y > 0, "ill", "well")


def reasons(report):
    """Why parts are missing, by part."""
    return {entry.part: entry.reason for entry in report.content.left_out}


@pytest.fixture(scope="session")
def data():
    return two_classes()


@pytest.fixture(scope="session")
def soft(data):
    return SupportFeatureMachine().fit(*data)


@pytest.fixture(scope="session")
def report(data):
    """All parts, in little time."""
    X, y = data
    names = [f"gene {column}" for column in range(X.shape[1])]
    machine = SupportFeatureMachine(C=np.inf).fit(X, y)
    return make_report(
        machine,
        X,
        y,
        feature_names=names,
        n_permutations=19,
        command="fewest select x.csv",
        random_state=0,
    )


@pytest.fixture(scope="session")
def hostile_report():
    """Names, labels, title, origin, command and notes that would like to be more than text."""
    X, y = two_classes(d=len(HOSTILE))
    # The first names belong to the features that are selected.
    labels = np.where(y == "ill", HOSTILE[0], HOSTILE[1])
    machine = SupportFeatureMachine().fit(X, labels)
    return make_report(
        machine,
        X,
        labels,
        feature_names=HOSTILE,
        title=HOSTILE[8],
        origin=HOSTILE[1],
        target=HOSTILE[0],
        command=HOSTILE[0],
        notes=HOSTILE,
        n_permutations=19,
    )


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Debian's Chromium without a screen; the test is skipped where there is none."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("chromium and chromedriver are not installed")
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield Browser(started)
    started.quit()


class Browser:
    """A page opened from a file, and what the browser noticed meanwhile."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, *, width=1280, scheme="light"):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(path.as_uri())
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    @property
    def complaints(self):
        return self.driver.get_log("browser")

    @property
    def requests(self):
        """Addresses that the page asked for, but for itself and data in it."""
        events = [json.loads(entry["message"])["message"] for entry in self.performance]
        asked = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked[1:] if not url.startswith("data:")], asked[:1]

    @property
    def performance(self):
        return self.driver.get_log("performance")
