"""What every estimator and record consists of: the one place to edit when a class changes.

The classes listed here are the only ones that a model file can name. A header says which rows of
other classes or families come first, where the class lives, and which parameter is not stored
("without"), since it belongs to the computer of the fit or is never set. Some estimators hold what
no file can, images for instance: a class stands "for" them, which has `of` and `as_decoder` to go
there and back. A row names one or more
attributes and says what they must be, in the words that `_checks` explains. It counts only "if" a
parameter has that value; an attribute with "?" may be missing. What is "derived", or "of" an
estimator inside, is not stored but made from the other attributes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from fewest.model_files._errors import damaged

_MODELS = """
Any
    n_features_in_: int = features
    feature_names_in_?: text features
    training_medians_?: float features
    training_percents_?: flag features
    training_folded_case_?: flag
    _sklearn_output_config?: dict 1: one of default, pandas, polars
Classifier(Any)
    classes_: classes
TwoClasses(Any)
    classes_: classes 2
Linear(Classifier)
    coef_: float machines features
    standardized_coef_?: float machines features
    intercept_: float machines
    supports_: flag machines features
    support_: derived flag features
    results_: programs
    temperature_?: float
    n_iter_: int
FeatureSelectionConcave(Linear) in fewest.machines.fsv
ZeroNormSVM(Linear) in fewest.machines.zero_norm_svm
SupportFeatureMachine(Linear) in fewest.machines.sfm
    minima_ if certify: tuple machines: MinimumResult or RuledMinimum
UnionFeatureMachine(Linear) in fewest.machines.union
    subsets_: tuple machines: tuple *: int * < features
SupportFeatureMachineCV(Classifier) in fewest.machines.sfm_cv
    best_estimator_: SupportFeatureMachine or UnionFeatureMachine
    coef_ standardized_coef_? intercept_ supports_ support_ results_ n_iter_: of best_estimator_
    C_ best_score_: float
    n_subsets_ n_splits_: int
    cv_results_: dict *: column candidates
    best_index_: int < candidates
PanelSizeCV(Classifier) in fewest.machines.panel_cv
    best_estimator_: SupportFeatureMachine or ZeroNormSVM or Liknon
    coef_ standardized_coef_? intercept_ supports_ support_ results_ n_iter_: of best_estimator_
    best_score_: float
    max_features_ n_splits_: int
    panels_: tuple candidates: int * < features
    cv_results_: dict *: column candidates
    best_index_: int < candidates
Liknon(Linear) in fewest.machines.liknon
    dual_coef_: float machines samples
    support_samples_: tuple machines: int * < samples
    standard_discriminant_: float machines features
LiknonCV(TwoClasses) in fewest.machines.liknon_cv
    estimators_: list paths+: Discriminant
    paths_: list paths: MonitoredPath
    C_ monitoring_ber_: float folds splits
    profile_: float folds features
    fold_supports_: flag folds features
    temperature_: float
    validation_ber_: float folds
    frequency_: float features
    support_: flag features
    threshold_ if outcome is profile: float
    _samples if outcome is profile: number samples *
    _labels if outcome is profile: int samples < classes
    classifier_ if outcome is profile: part for places
    coef_ if outcome is best: float 1 features
    standardized_coef_? if outcome is best: float 1 features
    intercept_ if outcome is best: float 1
RepetitiveSelector(Classifier) in fewest.repetition.selector without checkpoint
    stop_reason_: one of repetitions, inseparable, training error, features used up, \
nothing selected, interrupted
    subsets_: list subsets+: int * < features
    sizes_: int subsets
    training_errors_ objectives_ gaps_: float subsets
    coefs_: list subsets: float machines? *
    intercepts_: float subsets machines?
    ranking_: int subsets < subsets
    support_: flag features
    remaining_: int * < features
AccumulatedClassifier(Classifier) in fewest.repetition.accumulated
    selector_: RepetitiveSelector
    joined_: int *
    cv_errors_ if greedy: float *
    support_: flag features
    _samples: number samples *
    _labels: label samples
    classifier_: part for labels
    temperature_?: float
Potential
    n_features_in_ if kernel is precomputed: int = objects
    n_row_objects_: int = objects
    n_iter_: int
    supports_: flag machines objects
    support_: derived flag objects
    support_features_: derived int support
    mean_ scale_: float objects
    results_: tuple machines: BoxLassoResult
    _arguments: dict
    _function: SupportFunction
    support_row_objects_ if kernel is precomputed: none
    support_row_objects_ if kernel is not precomputed: tried matrix support features
PotentialSVR(Any Potential) in fewest.psvm.estimators
    result_: derived BoxLassoResult
    coef_ moments_ slacks_ correlations_ importance_: float objects
    intercept_: float
PotentialSVC(Classifier Potential) in fewest.psvm.estimators
    temperature_?: float
    coef_ moments_ slacks_ correlations_ importance_: float machines objects
    intercept_: float machines
PotentialSVRCV(Any) in fewest.psvm.search
    best_estimator_: PotentialSVR
    coef_ intercept_ support_features_ support_ n_iter_ n_row_objects_: of best_estimator_
    cv_results_: dict *: column candidates
    best_index_: int < candidates
    best_params_: dict
    best_score_: float
    n_splits_: int
    _settings: list *: dict
PotentialSVCCV(Classifier PotentialSVRCV) in fewest.psvm.search
    best_estimator_: PotentialSVC
    temperature_: of best_estimator_
PotentialSelector(Any) in fewest.psvm.selector
    n_features_in_: int = features objects
    epsilon_: float
    support_: flag features
    results_: tuple tasks+: BoxLassoResult
    n_iter_: int
    coef_ importance_: float tasks features
    stability_: none or Stability
    ranking_: int * < features
KernelFeatureMachine(Classifier) in fewest.machines.kernel_sfm
    support_samples_: int support
    _seen: int seen < features
    support_vectors_: float support seen
    dual_coef_: float machines support
    intercept_: float machines
    temperature_?: float
    gamma_ gap_: float
    n_iter_: int
SoftDoubleMinOver(TwoClasses) in fewest.machines.min_over
    coef_ if kernel is linear: float 1 features
    alpha_ _signed: float samples
    intercept_: float 1
    temperature_?: float
    gap_: float
    n_iter_: int
    _X: tried float samples features
BestFirstSelector(Any) in fewest.filters.wrappers without n_jobs
    support_: flag features
    score_: float
    n_evaluated_ n_iter_: int
RankingSelector(Any) in fewest.filters.ranking
    support_: flag features
    scores_: float features
WeightedVoteClassifier(TwoClasses) in fewest.filters.weighted_vote
    support_: flag features
    midpoint_: float features
    coef_: float 1 features
    standardized_coef_?: float 1 features
    intercept_: float 1
    temperature_?: float
StoredVoxels(Classifier) in fewest.neuro._stored for fewest.neuro._voxels.FewestVoxels
    estimator_: SupportFeatureMachine or SupportFeatureMachineCV or PanelSizeCV or ZeroNormSVM or \
UnionFeatureMachine or FeatureSelectionConcave or Liknon or LiknonCV or AccumulatedClassifier or \
PotentialSVC or PotentialSVCCV or KernelFeatureMachine or SoftDoubleMinOver or \
WeightedVoteClassifier
    mask_: flag grid
    shape_: int 3
    affine_: float 4 4
    confounded_: flag
    temperature_ error_ error_sd_: none or float
    cv_results_: none or dict *: column folds
    ranking_ consistency_: none or int features
"""
# Classifiers on the selected features: only their parameters are stored.
_PARTS = """
KNeighborsClassifier in sklearn.neighbors without n_jobs
Pipeline in sklearn.pipeline without memory
SVC in sklearn.svm without probability
StandardScaler in sklearn.preprocessing
"""
_RECORDS = """
BoxLassoResult in fewest._solvers.box_lasso.solve
    alpha: float objects
    residual: float samples
    objective bound gap seconds: float
    status: status
    n_iter: int
Discriminant in fewest.machines._discriminants
    features: int .selected < features
    weights: float .selected
    intercept C monitoring_ber: float
JointResult in fewest._solvers.joint.solve
    features: int .selected < features
    W: float .selected classes
    b: float classes
    slack alpha: float * classes
    apart: float *
    objective bound violation seconds: float
    status: status
    rounds: int
JointSelection in fewest._solvers.joint.panel
    features: int .selected < features
    W: float .selected classes
    b: float classes
    slack: float samples
    zero_norm_objective: float
    steps: tuple +: JointResult
    converged: flag
MinimumResult in fewest.minimum._result
    size: none or int
    lower_bound n_found n_features max_errors: int
    certified complete: flag
    subsets: tuple .subsets: int * < features
    margins: float .subsets
    searched: tuple *: Step or PriceStep
    seconds: float
    separations: tuple *: Separation
    ruled_out: tuple *: RuledOut
    inseparable: label * 2
    feature_names: none or tuple features: word
MonitoredPath in fewest.machines._discriminants
    fold split: int
    training monitoring: int *
    Cs ratios monitoring_ber: float .values
    n_features: int .values
    chosen: int < .values
    discriminant: Discriminant
Result in fewest._solvers.result
    slack alpha dual: float samples
    features: int .selected < features
    w: float .selected
    b multiplier objective bound violation seconds: float
    status: status
    rounds: int
    warm: WarmStart
    vertex: none or int * < samples
RuledMinimum(MinimumResult) in fewest.minimum._ruled_proofs
    price: none or float
    price_bound: float
    rules: Rules
Rules in fewest._estimators.rules
    price: float features
    included excluded: flag features
    groups signs: none or int features
    one_per_group: flag
    unit?: float
RuledOut in fewest.minimum._leaves
    columns samples: tuple *: int
    shares: tuple *: signed
Separation in fewest.minimum._leaves
    columns: tuple *: int
    weights: tuple *: tuple *: signed
    wrong: tuple *: int
Stability in fewest.psvm.selector
    frequency strength: float features
    n_selected: int *
Step in fewest.minimum._result
    size n_sets n_tested n_survivors n_settled n_found: int
    complete: flag
    seconds: float
PriceStep(Step) in fewest.minimum._result
    price: float
SupportFunction in fewest.psvm._machine
    mean inverse_scale: float support
    weights: float machines support
    intercept: float machines
WarmStart in fewest._solvers.result
    features: int .held < features
    samples: int * < samples
    w: none or float .held
    b: float
ZeroNormResult in fewest._solvers.linear.reweight
    slack: float samples
    features: int .selected < features
    w: float .selected
    b rhs zero_norm_objective: float
    steps: tuple +: Result
    converged: flag
"""
_HEADER = re.compile(
    r"(\w+)(?:\(([\w ]+)\))?(?: in ([\w.]+))?(?: without (\w+))?(?: for ([\w.]+))?"
)
_DERIVED: dict[str, Callable[[Any], Any]] = {
    "result_": lambda model: model.results_[0],
    "support_": lambda model: model.supports_.any(axis=0),
    "support_features_": lambda model: np.flatnonzero(model.support_),
}


class Row(NamedTuple):
    """One attribute (or field), and what it must be."""

    name: str
    spec: str
    is_optional: bool

    @property
    def is_derived(self) -> bool:
        """Whether it is made from other attributes."""
        return self.spec.startswith(("derived ", "of "))

    def derive(self, model: Any) -> Any:
        """Its value, from the attributes that the model has already; None if it may be missing."""
        kind, inner = self.spec.split()[:2]
        if kind == "of":
            default = (None,) if self.is_optional else ()
            return getattr(getattr(model, inner), self.name, *default)
        return _DERIVED[self.name](model)


@dataclass(frozen=True)
class Declaration:
    """Where a class lives, which parameter is not stored, and what its instances keep.

    `stands_for` is the class that users have in its place, if there is one.
    """

    home: str
    left_out: str
    stands_for: str
    rows: dict[str, str]

    def rows_for(self, owner: Any) -> list[Row]:
        """The rows that count for an estimator with these parameters."""
        found = []
        for key, spec in self.rows.items():
            names, _, condition = key.partition(" if ")
            if not condition or _holds(condition, owner):
                found += [Row(one.rstrip("?"), spec, one.endswith("?")) for one in names.split()]
        return found


def _holds(condition: str, owner: Any) -> bool:
    """Whether "parameter", "parameter is word" or "parameter is not word"."""
    parameter, _, word = condition.partition(" is ")
    value = getattr(owner, parameter)
    if not word:
        return bool(value)
    is_word = isinstance(value, str) and value == word.removeprefix("not ")
    return is_word != word.startswith("not ")


def _parse(text: str) -> dict[str, Declaration]:
    found: dict[str, Declaration] = {}
    for line in text.strip().splitlines():
        if header := _HEADER.fullmatch(line):
            name, families, home, left_out, stands_for = header.groups(default="")
            found[name] = Declaration(home, left_out, stands_for, {})
            for family in families.split():
                found[name].rows.update(found[family].rows)
        else:
            names, _, spec = line.strip().partition(": ")
            found[name].rows[names] = spec
    return {name: declaration for name, declaration in found.items() if declaration.home}


MODELS, PARTS, RECORDS = _parse(_MODELS), _parse(_PARTS), _parse(_RECORDS)


def find_name(value: Any, declarations: Mapping[str, Declaration]) -> str | None:
    """The name of its class if that is one of these (a subclass may be anything)."""
    name = type(value).__name__
    is_known = name in declarations and type(value) is find_class(name, declarations)
    return name if is_known else None


def find_class(name: Any, declarations: Mapping[str, Declaration]) -> Any:
    """The class of this name, imported when it is needed."""
    if not isinstance(name, str) or name not in declarations:
        raise damaged(f"it names the class {str(name)[:40]!r}, which no model is made of")
    return getattr(import_module(declarations[name].home), name)


def find_stand_in(value: Any) -> str | None:
    """The name of the class that stands for that of a value in files; None if there is none."""
    for name, declaration in MODELS.items():
        home, _, users_name = declaration.stands_for.rpartition(".")
        if users_name == type(value).__name__:
            is_it = type(value) is getattr(import_module(home), users_name)
            return name if is_it else None
    return None
