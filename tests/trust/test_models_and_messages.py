"""Small things: models that load but do not answer, odd messages, what kills leave behind."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import warnings
import zipfile

import numpy as np
import pytest

import fewest
from fuzzing.mutations.archives import archive_of, members
from tests.platforms import needs
from tests.tables.samples import two_classes, write_csv


def save_changed(estimator, path, change):
    """Save a model in which `change` has another array for some attribute, or None."""
    fewest.save(estimator, path)
    parts = dict(members(path.read_bytes()))
    document = json.loads(parts["model.json"])
    changed = 0
    for name, node in list_arrays(document):
        array = np.load(io.BytesIO(parts[node["array"]]))
        new = change(name, array)
        if new is not None:
            stream = io.BytesIO()
            np.save(stream, new)
            parts[node["array"]] = stream.getvalue()
            node.update(dtype=new.dtype.str, shape=list(new.shape))
            changed += 1
    assert changed
    parts["model.json"] = json.dumps(document).encode()
    path.write_bytes(archive_of(parts.items()))


def list_arrays(node, name=""):
    """Every array of a document, by the attribute that holds it."""
    if isinstance(node, dict) and "array" in node:
        yield name, node
    elif isinstance(node, (dict, list)):
        for key, entry in node.items() if isinstance(node, dict) else enumerate(node):
            yield from list_arrays(entry, key if isinstance(key, str) else name)


def check_loads_and_answers_or_is_refused(path, X):
    """A model that cannot answer must not load."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fewest.load(path)
    except fewest.ModelFileError:
        return
    assert np.isfinite(model.decision_function(X)).all()
    assert set(model.predict(X)) <= set(model.classes_)


@pytest.mark.parametrize(
    ("machine", "attribute"),
    [
        (fewest.SupportFeatureMachine(), "coef_"),
        (fewest.SoftDoubleMinOver(kernel="rbf"), "_signed"),
        (fewest.PotentialSVC(epsilon=0.5), "intercept_"),
    ],
    ids=["support feature machine", "kernel machine", "potential machine"],
)
def test_models_that_load_but_do_not_answer(tmp_path, machine, attribute):
    X, y = two_classes()
    path = tmp_path / "model.fewest"
    save_changed(
        machine.fit(X, y), path, lambda name, array: array * np.nan if name == attribute else None
    )
    check_loads_and_answers_or_is_refused(path, X)


def test_very_large_values_give_no_warning_with_a_source_path(tmp_path):
    X, y = two_classes()
    X[:2, 3] = -1.7e308, 1.7e308
    table = write_csv(tmp_path / "table.csv", X, y)
    ran = start("select", table, "--target", "group")
    _, err = ran.communicate(timeout=240)
    assert ran.returncode == 2
    assert "so large that their squares overflow: rescale them" in err
    assert "Warning" not in err
    assert ".py:" not in err


def test_a_truncated_header_is_damage(run, tmp_path):
    path = tmp_path / "x.npz"
    stream = io.BytesIO()
    np.save(stream, np.eye(40))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", stream.getvalue()[:60])
    said = run("select", path).says()
    assert "is damaged, or not an .npz file" in said
    assert "Python objects" not in said


def test_a_read_only_place_is_called_that(run, mounted, tmp_path):
    table = write_csv(tmp_path / "table.csv", *two_classes())
    with mounted("size=1m") as place:
        (place / "out.json").write_text("{}")
        command = ["rank", table, "--target", "group", "--subsets", 1, "--json"]
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        ran = run(*command, place / "out.json")
        assert ran.code == 2
        assert "is on a read-only file system" in ran.says()
        assert "write-protected" not in ran.err


@needs("POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_temporary_files_of_processes_that_were_ended(run, tmp_path, number):
    """A process that writes a page for ever is ended; the next one cleans up."""
    table = write_csv(tmp_path / "table.csv", *two_classes())
    folder = tmp_path / "out"
    folder.mkdir()
    out = folder / "ranking.csv"
    out.write_text("old")
    arguments = ["rank", table, "--target", "group", "--subsets", 1, "--csv", out]
    process = start(*arguments, stops=True)
    try:
        wait_for(lambda: len(os.listdir(folder)) > 1, process)
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert out.read_text() == "old"
    if number == signal.SIGKILL:
        assert len(os.listdir(folder)) == 2
        assert run(*arguments[:-1], folder / "another.csv").code == 0
        assert len(os.listdir(folder)) == 3  # that of another file is no concern of this one
        (folder / "another.csv").unlink()
        assert run(*arguments).code == 0
    assert os.listdir(folder) == ["ranking.csv"]


def wait_for(is_so, process):
    end = time.monotonic() + 120
    while not is_so():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def start(*arguments, stops=False):
    """The command in a process of its own; with `stops`, it waits for ever before it syncs."""
    wait = "import os, time; os.fsync = lambda number: time.sleep(600); " if stops else ""
    code = f"{wait}import sys; from fewest.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs("bash")
@needs("/dev/full")
def test_standard_error_that_is_full_or_closed_changes_nothing(tmp_path):
    table = write_csv(tmp_path / "table.csv", *two_classes())
    works = f"rank {table} --target group --subsets 2 --quiet"
    for arguments, elsewhere, code in (
        ("select nothing.csv", "2>/dev/full", 2),
        ("select nothing.csv", "2>&-", 2),
        (works, "2>/dev/full", 0),
    ):
        command = f"{sys.executable} -m fewest {arguments} {elsewhere}"
        ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=240)
        assert (ran.returncode, ran.stderr) == (code, "")
    assert {"gene_4", "gene_17"} <= set(ran.stdout.split())
