"""Files that were made to do harm, or that contradict themselves: each refused with its reason."""

from __future__ import annotations

import io
import json
import os
import pickle
import stat
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest
from sklearn.svm import SVC

import fewest
from fewest.filters import WeightedVoteClassifier
from fuzzing.mutations.archives import archive_of, members, with_document, with_member
from tests.model_files.models import fitted

MEBIBYTE = 2**20


@pytest.fixture
def content(tmp_path):
    def call(name="sfm"):
        fewest.save(fitted(name), tmp_path / "good.fewest")
        return (tmp_path / "good.fewest").read_bytes()

    return call


@pytest.fixture
def refused(tmp_path):
    """Load a file of these bytes; the message must match, and memory stay small."""

    def call(changed, match):
        path = tmp_path / "bad.fewest"
        path.write_bytes(changed)
        tracemalloc.start()
        try:
            with pytest.raises(fewest.ModelFileError, match=match) as caught:
                fewest.load(path)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert type(caught.value) is fewest.ModelFileError
        assert str(caught.value).startswith(f"{path} cannot be loaded: ")
        assert peak < 20 * len(changed) + 10 * MEBIBYTE

    return call


class Sentinel:
    """Unpickling it leaves a trace."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def test_sentinel_works(tmp_path):
    pickle.loads(pickle.dumps(Sentinel(tmp_path / "executed")))
    assert (tmp_path / "executed").exists()


def test_pickled_arrays_are_not_executed(content, refused, tmp_path):
    bomb = np.empty(1, dtype=object)
    bomb[0] = Sentinel(tmp_path / "executed")
    refused(with_member(content(), "a0.npy", npy(bomb, allow_pickle=True)), r"of the type \|O")
    refused(with_member(content(), "a0.npy", pickle.dumps(bomb)), "no header of an .npy file")
    refused(pickle.dumps(Sentinel(tmp_path / "executed")), "not a complete zip archive")
    refused(archive_of([("model.json", pickle.dumps(Sentinel(tmp_path / "executed")))]), "not JSON")
    assert not (tmp_path / "executed").exists()


def test_headers_are_not_evaluated(content, refused, tmp_path):
    array = npy(np.zeros(300))
    code = f"__import__('os').mkdir('{tmp_path / 'executed'}')".encode()
    changed = array[:10] + (b"{'descr': " + code + b"}").ljust(117) + b"\n" + array[128:]
    refused(with_member(content(), "a0.npy", changed), "no header of an .npy file")
    assert not (tmp_path / "executed").exists()


@pytest.mark.parametrize(
    "name", ["../a0.npy", "/etc/a0.npy", "a0.npy/", "A0.npy", "a00.npy", "x.py", "..\\a0.npy", ""]
)
def test_names_outside_the_format(name, content, refused):
    refused(
        archive_of([*members(content()), (name, b"")]),
        "no part of a model|not a complete zip archive",
    )


def test_links_and_folders(content, refused):
    linked = archive_of(members(content()), mode=stat.S_IFLNK | 0o777)
    refused(linked, "is a link or a folder")


def test_two_members_of_one_name(content, refused):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        twice = archive_of([*members(content()), *members(content())[-1:]])
    refused(twice, "two members of the same name")


def test_archive_in_an_archive(content, refused):
    inner = content()
    refused(archive_of([("model.json", inner)]), "not JSON")
    refused(with_member(inner, "a0.npy", inner), "no header of an .npy file")
    refused(archive_of([("good.fewest", inner)]), "holds no model.json")


def test_compressed_members_are_refused_unread(content, refused):
    bomb = archive_of(
        [*members(content())[:1], ("a0.npy", npy(np.zeros(50 * MEBIBYTE // 8)))],
        zipfile.ZIP_DEFLATED,
    )
    assert len(bomb) < MEBIBYTE
    refused(bomb, "compressed or encrypted")


def test_members_that_share_their_bytes(content, refused):
    """Many entries of the directory that point to the same large member."""
    large = archive_of([*members(content()), ("a900.npy", bytes(MEBIBYTE))])
    start = large.index(b"PK\x01\x02")
    end = large.rindex(b"PK\x05\x06")
    last = large[start:end].rindex(b"PK\x01\x02") + start
    entry = large[last:end]
    copies = [entry.replace(b"a900.npy", f"a{number}.npy".encode()) for number in range(901, 951)]
    directory = large[start:end] + b"".join(copies)
    count = (len(members(content())) + 1 + len(copies)).to_bytes(2, "little")
    tail = bytearray(large[end:])
    tail[8:10] = tail[10:12] = count
    tail[12:16] = len(directory).to_bytes(4, "little")
    refused(large[:start] + directory + bytes(tail), "more bytes than the file has")


@pytest.mark.parametrize("shape", ["(99999999999,)", "(1000000, 1000000)", "(0,)", "(1,)", "()"])
def test_headers_that_declare_other_sizes(shape, content, refused):
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
    changed = b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117) + b"\n" + bytes(24)
    refused(with_member(content(), "a0.npy", changed), "does not fit the 24 bytes")


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(2, dtype="c16"),
        np.zeros(2, dtype="M8[s]"),
        np.zeros(2, dtype=[("a", "f8")]),
        np.zeros(2, dtype="V8"),
        np.zeros((2, 2, 2)),
    ],
    ids=["complex", "time", "records", "void", "three dimensions"],
)
def test_arrays_of_other_kinds(array, content, refused):
    refused(with_member(content(), "a0.npy", npy(array)), "a0.npy")


def test_bits_that_are_no_values(content, refused):
    flags = npy(np.array([True, False])).replace(b"\x01\x00", b"\x07\x00", 2)
    text = npy(np.array(["ab"]))[:-8] + b"\xff" * 8
    refused(with_member(content(), "a0.npy", flags[:6] + b"\x01\x00" + flags[8:]), "truth values")
    refused(with_member(content(), "a0.npy", text), "characters that do not exist")


def test_deep_nesting(content, refused):
    text = dict(members(content()))["model.json"].replace(
        b'"C": 2.0', b'"C": ' + 100_000 * b"[" + 100_000 * b"]"
    )
    refused(with_member(content(), "model.json", text), "nested too deeply")


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        (b'"C": 2.0', b'"C": 2.0, "C": 3.0', "a key twice"),
        (b'"C": 2.0', b'"C": NaN', "not finite"),
        (b'"C": 2.0', b'"C": 1e999', "not finite"),
        (b'"C": 2.0', b'"C": \xff', "not JSON"),
        (b'"C": 2.0', b'"C": ' + b"9" * 5000, "not JSON .*digits"),
        (b'"fewest model"', b'"another model"', "does not say that it is a model"),
        (b'"version": 2', b'"version": 3', "Update fewest"),
        (b'"version": 2', b'"version": 1', "never released"),
        (b'"version": 2', b'"version": true', "no version"),
        (b'"version": 2', b'"version": 0', "no version"),
        (b'"SupportFeatureMachine"', b'"Popen"', "the class 'Popen'"),
        (b'"SupportFeatureMachine"', b'"SVC"', "the class 'SVC'"),
        (b'"SupportFeatureMachine"', b'"Liknon"', "parameters of Liknon are not those"),
        (b'"C": 2.0', b'"C": -2.0', "not admissible .*C must be"),
        (b'"C": 2.0', b'"C": "two"', "not admissible .*C must be"),
        (b'"C": 2.0', b'"D": 2.0', "parameters of SupportFeatureMachine are not those"),
        (b'"n_features_in_": 9', b'"n_features_in_": 10', "should be 10 .features"),
        (b'"n_features_in_": 9', b'"n_features_in_": -9', "n_features_in_ is below zero"),
        (b'"n_iter_"', b'"n_iter"', "'n_iter_' is missing"),
        (b'"n_iter_"', b'"predict": 1, "n_iter_"', "'predict' is none that is kept"),
        (b'"n_iter_"', b'"C": 1, "n_iter_"', "'C' is none that is kept"),
        (b'"n_iter_"', b'"support_": 1, "n_iter_"', "'support_' is none that is kept"),
        (b'"record": "Result"', b'"record": "WarmStart"', "fields of WarmStart are not those"),
        (b'"status": "optimal"', b'"status": "good"', "a node 'status' that is none"),
        (b'"array": "a0.npy"', b'"array": "a999.npy"', "'a999.npy' is missing"),
    ],
)
def test_documents_that_contradict_themselves(old, new, match, content, refused):
    text = dict(members(content()))["model.json"]
    assert old in text
    refused(with_member(content(), "model.json", text.replace(old, new, 1)), match)


def test_members_that_nothing_refers_to(content, refused):
    refused(with_member(content(), "a999.npy", npy(np.zeros(3))), "nothing refers to")


def test_document_and_array_disagree(content, refused):
    def other_shape(document):
        document["model"]["fitted"]["coef_"]["shape"] = [1, 8]

    refused(with_document(content(), other_shape), "the document says otherwise")


def changed_array(content, name, attribute, change):
    """The file, an array of a fitted attribute changed, document and checksum with it."""
    parts = dict(members(content(name)))
    document = json.loads(parts["model.json"])
    node = document["model"]["fitted"]
    for key in attribute.split("."):
        node = node[int(key)] if key.isdigit() else node[key]
    array = change(np.load(io.BytesIO(parts[node["array"]])))
    number = len(parts)
    node |= {"array": f"a{number}.npy", "dtype": array.dtype.str, "shape": list(array.shape)}
    parts[f"a{number}.npy"] = npy(array)
    return with_document(archive_of(parts.items()), lambda _: document)


@pytest.mark.parametrize(
    ("name", "attribute", "change", "match"),
    [
        ("sfm", "coef_", lambda a: a[:, 1:], "coef_ has 8 entries where there should be 9"),
        ("sfm", "coef_", lambda a: a.astype(int), "coef_ is not an array of the right type"),
        ("sfm", "coef_", lambda a: a[0], "not 2 dimension"),
        ("sfm", "classes_", lambda a: a[:1], "two or more different classes"),
        ("sfm", "classes_", np.zeros_like, "two or more different classes"),
        ("sfm", "classes_", lambda a: np.arange(3), "should be 3 .machines"),
        ("repetitive", "subsets_.0", lambda a: a + 9, "indices outside 0 to 8"),
        ("repetitive", "ranking_", lambda a: a - 1, "indices outside 0 to 1"),
        ("psvc", "supports_", np.zeros_like, "support"),
        ("psvc, precomputed", "supports_", np.ones_like, "support"),
        ("psvc, sparse", "support_row_objects_.indices", lambda a: a + 9, "'sparse' that is none"),
        ("psvc, sparse", "support_row_objects_.indptr", lambda a: a * 99, "'sparse' that is none"),
        ("accumulated", "support_", np.invert, "another number of columns"),
        ("accumulated", "_samples", lambda a: a[1:], "_labels has 36 entries"),
        ("accumulated", "_labels", lambda a: a + 1, "knows other classes"),
        ("accumulated", "_labels", lambda a: a.astype("U9"), "knows other classes"),
        ("accumulated", "_labels", np.ones_like, "cannot be fitted again"),
        ("psvr", "support_row_objects_", lambda a: a * np.nan, "the kernel does not answer"),
        ("sfm", "coef_", lambda a: a * np.nan, "decisions are not finite numbers"),
        ("sfm", "intercept_", lambda a: a + np.inf, "decisions are not finite numbers"),
        ("liknon_cv", "_samples", lambda a: a[:, 1:], "another number of columns"),
        ("liknon_cv", "_samples", lambda a: a * np.nan, "cannot be fitted again"),
        ("liknon_cv", "_samples", lambda a: a[:0], "_labels has 36 entries"),
        ("liknon_cv", "_labels", lambda a: a + 1, "indices outside 0 to 1"),
        ("liknon_cv", "_labels", np.zeros_like, "knows other classes"),
        ("min_over, kernel", "_X", lambda a: a[1:], "_X has 35 entries"),
    ],
)
def test_arrays_that_contradict_the_rest(name, attribute, change, match, content, refused):
    refused(changed_array(content, name, attribute, change), match)


def test_kernels_and_their_arguments(content, refused):
    def other_argument(document):
        document["model"]["fitted"]["_arguments"] = {"dict": [["length", 1.0]]}

    def other_kernel(document):
        document["model"]["parameters"]["kernel"] = "os.system"

    refused(with_document(content("psvr"), other_argument), "kernel does not answer")
    refused(with_document(content("psvr"), other_kernel), "not admissible .*kernel must be")
    refused(with_document(content("min_over, kernel"), other_kernel), "kernel does not answer")


def test_pipelines_with_a_cache(content, refused):
    """The cache of a Pipeline is a folder of pickles."""

    def cached(document):
        document["model"]["fitted"]["classifier_"]["parameters"]["memory"] = "/tmp"

    refused(with_document(content("accumulated"), cached), "parameters of Pipeline are not those")


def change_classifier(content, name, change):
    """The file, the classifier of scikit-learn inside the model changed."""

    def changed(document):
        node = document["model"]["fitted"]["classifier_"]
        document["model"]["fitted"]["classifier_"] = change(node) or node

    return with_document(content(name), changed)


def set_last_step(**parameters):
    """Change the parameters of the SVC behind a StandardScaler."""

    def change(node):
        node["parameters"]["steps"][-1]["tuple"][1]["parameters"] |= parameters

    return change


def test_solvers_that_would_not_end(content, refused):
    """An SVC is fitted again while loading; libsvm itself has no limit, nor can it be stopped."""
    for parameters in ({"tol": 1e-300}, {"C": 1e300, "tol": 1e-300}):
        changed = change_classifier(content, "accumulated", set_last_step(**parameters))
        refused(changed, "cannot be fitted again .*terminated early")


def test_what_a_stranger_asks_of_the_solver_is_bounded(content, tmp_path, monkeypatch, capfd):
    seen = []

    def fit(self, X, y, **options):
        seen.append((self.cache_size, self.verbose, 0 < self.max_iter < 10**8))
        return unbounded(self, X, y, **options)

    unbounded = SVC.fit
    large = change_classifier(
        content, "accumulated", set_last_step(cache_size=1e9, verbose=True, max_iter=10**9)
    )
    (tmp_path / "large.fewest").write_bytes(large)
    monkeypatch.setattr(SVC, "fit", fit)
    machine = fewest.load(tmp_path / "large.fewest").classifier_[-1]
    assert seen == [(200, False, True)]
    assert (machine.cache_size, machine.verbose, machine.max_iter) == (1e9, True, 10**9)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("accumulated", set_last_step(C=-1.0), "cannot be fitted again .*'C' parameter"),
        ("accumulated", set_last_step(kernel="precomputed"), "cannot be fitted again .*square"),
        ("accumulated", set_last_step(probability=True), "parameters of SVC are not those"),
        ("accumulated", set_last_step(_n_support=3), "parameters of SVC are not those"),
        ("liknon_cv", lambda n: n["parameters"].update(n_neighbors=99), "cannot be fitted again"),
        ("liknon_cv", lambda n: n["parameters"].update(n_jobs=10**9), "parameters of KNeigh"),
        ("liknon_cv", lambda n: n["parameters"].update(metric="pyfunc"), "cannot be fitted again"),
        ("liknon_cv", lambda n: n.update(fitted={}), "must have the keys unfitted, parameters"),
        ("liknon_cv", lambda n: n.update(unfitted="GridSearchCV"), "the class 'GridSearchCV'"),
        ("liknon_cv", lambda _: 5, "classifier_ is a int"),
        (
            "liknon_cv",
            lambda _: {"unfitted": "StandardScaler", "parameters": {}},
            "cannot be fitted again",
        ),
        (
            "liknon_cv",
            lambda _: {
                "unfitted": "WeightedVoteClassifier",
                "parameters": WeightedVoteClassifier(3).get_params(),
            },
            "classifier_ is a WeightedVoteClassifier",
        ),
        (
            "accumulated",
            lambda n: n["parameters"]["steps"].reverse(),
            "not a classifier behind a StandardScaler",
        ),
        ("accumulated", lambda n: n["parameters"]["steps"].clear(), "not a classifier behind"),
        ("accumulated", lambda n: n["parameters"].update(steps=[["a"]]), "'unfitted' that is none"),
        ("accumulated", lambda n: n["parameters"].update(steps=7), "where a list should be"),
    ],
)
def test_classifiers_that_are_not_fitted_again(name, change, match, content, refused):
    refused(change_classifier(content, name, change), match)


def test_unfitted_models(content, refused):
    def unfitted(document):
        model = document["model"]
        document["model"] = {"unfitted": model["estimator"], "parameters": model["parameters"]}

    refused(with_document(content(), unfitted), "holds no fitted estimator")


def test_settings_of_the_output(content, refused):
    def other_output(document):
        document["model"]["fitted"]["_sklearn_output_config"] = {"dict": [["transform", "os"]]}

    refused(with_document(content(), other_output), "must be one of default, pandas, polars")


def test_empty_and_tiny_files(refused, content):
    for changed in (b"", b"P", b"PK\x05\x06" + bytes(18), content()[:100]):
        refused(changed, "not a complete zip archive|holds no model.json")


def test_errors_that_nobody_thought_of(content, monkeypatch, refused):
    good = content()

    def surprise(*_):
        raise ZeroDivisionError("a surprise")

    monkeypatch.setattr("fewest.model_files._nodes.restore", surprise)
    refused(good, r"contradicts itself \(ZeroDivisionError: a surprise\)")


def test_labels_that_are_no_labels(content, refused):
    def lists(document):
        document["model"]["fitted"]["classes_"] = {"objects": [["a"], ["b"]]}

    refused(with_document(content(), lists), "classes_ must be numbers or text")
