"""Memory that `fit` needs in addition to X, and the time of `import fewest`; each in a new process.

The peak is read from /proc, so this runs on Linux only.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median

from benchmarks.timing import row

_FIT = """
import numpy as np
from fewest import SupportFeatureMachine

def peak():  # getrusage would report the peak of the parent process, if that was larger
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024

rng = np.random.default_rng(0)
X = np.empty((200, 200_000), dtype="{dtype}", order="{order}")
for j in range(0, X.shape[1], 1000):  # in parts, so that making X does not set the peak
    X[:, j : j + 1000] = rng.standard_normal((200, 1000))
y = np.arange(200) % 2
before = peak()
SupportFeatureMachine(C={C}).fit(X, y)
print((peak() - before) / X.nbytes)
"""

_IMPORT = """
from time import perf_counter
started = perf_counter()
{statement}
print(perf_counter() - started)
"""


def printed_number(code: str) -> float:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def memory() -> None:
    for dtype in ("float64", "float32"):
        for order in "CF":
            for C in ("np.inf", "1.0"):
                share = printed_number(_FIT.format(dtype=dtype, order=order, C=C))
                row(
                    f"peak memory above X, {dtype}, {order} order, C = {C}",
                    f"{share:.1%} of X",
                    "at most 25 %",
                )


def import_time() -> None:
    unit = "import sklearn.svm"
    statements = ("import fewest", "from fewest import SupportFeatureMachine")
    seconds: dict[str, list[float]] = {statement: [] for statement in (unit, *statements)}
    for _ in range(7):
        for statement, values in seconds.items():
            values.append(printed_number(_IMPORT.format(statement=statement)))
    for statement in statements:
        ratio = median(seconds[statement]) / median(seconds[unit])
        row(f"{statement} / {unit}", f"{ratio:.2f}", "below 2")


def main() -> None:
    print("Footprint at 200 x 200,000")
    memory()
    import_time()


if __name__ == "__main__":
    main()
