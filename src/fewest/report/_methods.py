"""The paragraph on methods for a paper: what was done in this run, and whom to cite for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fewest._wording import counted, percent
from fewest.report._trust_content import Permutation, Validation
from fewest.report._wording import parameter, safe
from fewest.report.content import Content

_REFERENCES = {
    "sfm": "S. Klement, S. Anders, T. Martinetz (2013). The Support Feature Machine: "
    "classification with the least number of features and application to neuroimaging data. "
    "Neural Computation 25.",
    "sfm-2010": "S. Klement, T. Martinetz (2010). A new approach to classification with the least "
    "number of features. International Conference on Machine Learning and Applications (ICMLA).",
    "weston": "J. Weston, A. Elisseeff, B. Schölkopf, M. Tipping (2003). Use of the zero-norm with "
    "linear models and kernel methods. Journal of Machine Learning Research 3.",
    "fsv": "P. S. Bradley, O. L. Mangasarian (1998). Feature selection via concave minimization "
    "and support vector machines. International Conference on Machine Learning (ICML).",
    "liknon": "E. Pranckeviciene, R. Somorjai (2011). Liknon feature selection: behind the scenes. "
    "In Hands-On Pattern Recognition, Challenges in Machine Learning, volume 1, chapter 8.",
    "psvm": "S. Hochreiter, K. Obermayer (2004). Classification, regression, and feature selection "
    "on matrix data. Technical report 2004/02, Technische Universität Berlin.",
    "wilson": "E. B. Wilson (1927). Probable inference, the law of succession, and statistical "
    "inference. Journal of the American Statistical Association 22.",
    "permutation": "B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. "
    "Statistical Applications in Genetics and Molecular Biology 9.",
    "stability": "S. Nogueira, K. Sechidis, G. Brown (2018). On the stability of feature selection "
    "algorithms. Journal of Machine Learning Research 18.",
    "scikit-learn": "F. Pedregosa and others (2011). Scikit-learn: machine learning in Python. "
    "Journal of Machine Learning Research 12.",
}
_MOST_NAMED = 4  # classes
_CHOSEN = {"max_features": "the number of features"}
_CRITERIA = {"log_loss": "balanced logistic loss", "balanced_error": "balanced error"}
# What to cite for a method, by words in its name.
_OF_METHODS = {
    "support feature machine": ("sfm", "sfm-2010"),
    "zero-norm": ("weston",),
    "liknon": ("liknon",),
    "concave minimisation": ("fsv",),
    "potential support": ("psvm",),
}


@dataclass(frozen=True)
class Methods:
    """The paragraph, and the references that its numbers in brackets point to."""

    text: str
    references: list[str]


def describe_methods(content: Content) -> Methods:
    """What was done in this run, in the words of a paper.

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.report import make_report
    >>> from fewest.report._methods import describe_methods
    >>> X, y = make_gaussian(n=60, d=200, k=2, mu=1.5, random_state=0)
    >>> report = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=())
    >>> print(describe_methods(report.content).text.split(". ")[1].split("; ")[0])
    Features were selected with the Support Feature Machine [1, 2] with C = 2
    """
    cited: list[str] = []

    def cite(*keys: str) -> str:
        cited.extend(key for key in keys if key not in cited)
        return f"[{', '.join(str(cited.index(key) + 1) for key in keys)}]" if keys else ""

    sentences = [_say_data(content), _say_method(content, cite)]
    trust = content.trust
    if trust.validation is not None:
        sentences += _say_validation(content, trust.validation, cite)
    if trust.permutation is not None:
        found = trust.permutation
        sentences.append(
            f"Significance was tested with {found.n_permutations} permutations of the classes, for "
            f"each of which the analysis was repeated with {found.tested}; p-values are "
            f"(k + 1) / ({found.n_permutations} + 1), where k permutations did as well as the true "
            f"classes by that number {cite('permutation')}: {', '.join(_say_comparisons(found))}."
        )
    if trust.stability is not None:
        sentences.append(
            "Stability is the index of Nogueira and others of the features selected in the folds "
            f"{cite('stability')}."
        )
    if any(one.certified for one in trust.minima):
        sentences.append(
            "The smallest number of features that separates the classes was proven by branch and "
            "bound."
        )
    made_with = (
        f"All computations were done with fewest {content.versions['fewest']} "
        f"(Python {content.versions.get('python')}, scikit-learn "
        f"{content.versions.get('scikit-learn')} {cite('scikit-learn')})"
    )
    seed = content.question.seed
    sentences.append(made_with + (f"; the random seed was {seed}." if seed is not None else "."))
    return Methods(" ".join(filter(None, sentences)), [_REFERENCES[key] for key in cited])


def _say_data(content: Content) -> str:
    data, sizes = content.data, [one.n_samples for one in content.data.classes]
    if len(sizes) <= _MOST_NAMED:
        classes = [f"{safe(one.label)} ({one.n_samples})" for one in data.classes]
        listed = f"{len(sizes)} classes: {', '.join(classes[:-1])} and {classes[-1]}"
    else:
        spread = f"{min(sizes):,} to {max(sizes):,}" if min(sizes) < max(sizes) else f"{sizes[0]:,}"
        listed = f"{len(sizes)} classes with {spread} samples each"
    return f"The data have {data.n_features:,} features of {data.n_samples:,} samples in {listed}."


def _say_method(content: Content, cite: Any) -> str:
    question = content.question
    keys = next((of for words, of in _OF_METHODS.items() if words in question.method.lower()), ())
    name, *settings = question.method.split(", ")
    name = name if name.startswith("The ") else f"the {name}"
    text = f"Features were selected with {name[0].lower()}{name[1:]} {cite(*keys)}".rstrip()
    numbers = [setting for setting in settings if " = " in setting]
    if numbers:
        text += f" with {' and '.join(numbers)}"
    if any("inf" in one for one in numbers if one.startswith("C =")):
        text += ", which allows no training error"
    text += _say_choice(content)
    parameters = question.parameters
    steps = []
    if parameters.get("standardize") in (True, "True"):
        steps.append("features were divided by their standard deviations")
    if parameters.get("class_weight") == "balanced":
        steps.append("classes were given equal weight")
    if len(content.data.classes) > 2:
        steps.append(
            "all classes shared one set of features"
            if content.said.panel is not None
            else "each class was told from all others"
        )
    if steps:
        text += f"; {', '.join(steps[:-1])}{' and ' if len(steps) > 1 else ''}{steps[-1]}"
    selected = counted(content.said.n_selected, "feature")
    rules = f" Rules about features: {safe(' '.join(question.rules))}" if question.rules else ""
    return f"{text}. On all samples, {selected} {_was(content.said.n_selected)} selected.{rules}"


def _say_choice(content: Content) -> str:
    """How parameters were chosen; nothing where they were given."""
    question = content.question
    parameters, chosen = question.parameters, dict(question.chosen)
    joined = chosen.pop("n_subsets", 1)
    what = [_CHOSEN.get(name, name) for name in chosen]
    if joined > 1:
        what.append(f"the number of disjoint subsets to join ({joined})")
    if not what or parameters.get("cv") is None:
        return ""
    listed = ", ".join(what[:-1]) + (" and " if len(what) > 1 else "") + what[-1]
    folds = parameter(parameters["cv"])
    folds = f"{folds}-fold cross-validation" if folds.isdigit() else "cross-validation"
    text = f"; {listed} {_was(len(what))} chosen by {folds} within the training samples"
    if criterion := _CRITERIA.get(str(parameters.get("criterion"))):
        text += f", which minimised the {criterion}"
    if parameters.get("one_standard_error"):
        text += " (the fewest features among candidates within one standard error of the best one)"
    return text


def _say_validation(content: Content, found: Validation, cite: Any) -> list[str]:
    repeats = "" if found.n_repeats == 1 else f", repeated {found.n_repeats} times,"
    groups = ", which kept samples of the same group together," if content.data.n_groups else ""
    known = f"{percent(found.error)}; "
    if found.interval is not None:
        low, high = percent(found.interval.low), percent(found.interval.high)
        unit = "" if content.data.n_groups is None else " by groups"
        level = f"{100 * found.interval.confidence:.0f} %"
        known += f"{level} interval{unit} {low} to {high} {cite('wilson')}; "
    return [
        f"The error was estimated by {found.n_folds}-fold cross-validation{repeats}{groups} in "
        "which features were selected, parameters chosen and the classifier fitted without the "
        "samples of the fold.",
        f"{found.n_errors} of {found.n_judged} held-out samples were misclassified "
        f"({known}balanced error {percent(found.balanced_error)}).",
    ]


def _say_comparisons(found: Permutation) -> list[str]:
    return [f"p = {one.p_value:.2g} for {one.name}" for one in found.comparisons]


def _was(number: int) -> str:
    return "was" if number == 1 else "were"
