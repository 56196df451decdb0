"""Rules about features: which are always included, which stay out, what the others cost.

Users give them by name or number; `read_rules` turns them into arrays over all features, or raises
an error that says what is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fewest._estimators.places import Places
from fewest._estimators.validation import check_flag, mask_columns
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.joint.smooth import Rivalry
from fewest._solvers.problem import class_mean_vector
from fewest._solvers.terms import Terms
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed

# Parameters with this meaning, wherever they are.
RULE_NAMES = (
    "include",
    "exclude",
    "feature_cost",
    "feature_groups",
    "one_per_group",
    "signs",
)

# Significant bits of a relative price. Prices in another unit are rounded differently, in the last
# bits; the programs must not see that.
_PRICE_BITS = 40
# Relative prices beyond these are taken for them: what costs less than a ten thousandth of the
# median is as good as free, and much smaller costs vanish in the tolerances of the solvers.
_LOWEST_PRICE, _HIGHEST_PRICE = 1e-4, 1e12

# A set that is made by leaving features out proves nothing about other sets.
RULES_FAILED = (
    "no classifier without errors was found that keeps the rules about groups and signs of "
    "features (there may be one). Allow errors with a finite C, for example C=1.0, or relax the "
    "rules"
)


@dataclass(frozen=True, eq=False, repr=False)
class Rules(Shown):
    """What may be selected, and at what price; arrays have one entry per feature.

    `price` is zero for features that are always in. `groups` are numbers, -1 for features in none;
    features of a group are paid for once, at the largest price among them, or, with
    `one_per_group`, at most one of them is selected. `signs` are 1 for features that must be higher
    in the second of two classes, -1 for those that must be lower, 0 for all others. `unit` is the
    price that counts as one where prices meet C.
    """

    price: FloatArray
    included: NDArray[np.bool_]
    excluded: NDArray[np.bool_]
    groups: IndexArray | None = None
    one_per_group: bool = False
    signs: NDArray[np.int8] | None = None
    unit: float = 1.0

    @property
    def n_included(self) -> int:
        return int(self.included.sum())

    @property
    def limit_weights(self) -> bool:
        """Whether not every hyperplane on the features that are not excluded keeps them."""
        return self.signs is not None or (self.groups is not None and self.one_per_group)

    @property
    def terms(self) -> Terms:
        """What features cost, in the user's unit."""
        return Terms(self.price, None if self.one_per_group else self.groups)

    @property
    def relative_terms(self) -> Terms:
        """What they cost in programs that weigh prices against C: the same in any currency."""
        with np.errstate(over="ignore", under="ignore"):
            relative = np.clip(self.price / self.unit, _LOWEST_PRICE, _HIGHEST_PRICE)
        fraction, exponent = np.frexp(relative)
        rounded = np.ldexp(np.round(np.ldexp(fraction, _PRICE_BITS)), exponent - _PRICE_BITS)
        return replace(self.terms, price=np.where(self.price > 0.0, rounded, 0.0))

    @property
    def rivalry(self) -> Rivalry:
        """What decides between the candidates for a panel."""
        return Rivalry(self.relative_terms.price, self.groups if self.one_per_group else None)

    @property
    def weight_signs(self) -> NDArray[np.int8] | None:
        """Signs that weights must have; those of features that are always in may be any."""
        return None if self.signs is None else np.where(self.included, np.int8(0), self.signs)

    def find_crowded(self, features: IndexArray, sizes: FloatArray) -> IndexArray:
        """Those that share a group with a larger one, where a group may have one only."""
        if self.groups is None or not self.one_per_group:
            return np.empty(0, dtype=np.intp)
        order = np.lexsort((-sizes, ~self.included[features]))
        groups = self.groups[features][order]
        first = np.zeros(len(features), dtype=bool)
        first[np.unique(groups, return_index=True)[1]] = True
        return np.sort(features[order][~first & (groups >= 0)])

    def find_used_up(self, features: IndexArray) -> IndexArray:
        """What a further subset may not have: these features, and their groups where one may be in.

        Features that are always in are in all subsets.
        """
        used = np.zeros(len(self.price), dtype=bool)
        used[features] = True
        if self.groups is not None and self.one_per_group:
            used |= (self.groups >= 0) & np.isin(self.groups, self.groups[features])
        return np.flatnonzero(used & ~self.included)

    def find_turned(self, features: IndexArray, w: FloatArray) -> IndexArray:
        """Those whose weight for the second class has the sign that it must not have."""
        if self.weight_signs is None:
            return np.empty(0, dtype=np.intp)
        return features[self.weight_signs[features] * w < 0.0]

    def take(self, features: IndexArray) -> Rules:
        """The rules about some of the features, in this order."""
        return replace(
            self,
            price=self.price[features],
            included=self.included[features],
            excluded=self.excluded[features],
            groups=None if self.groups is None else self.groups[features],
            signs=None if self.signs is None else self.signs[features],
        )

    def narrow(self, columns: Columns, y: FloatArray | None = None) -> Columns:
        """The columns without those that are excluded, or lower in a class than they must be.

        Signs need y, which is -1 and 1.
        """
        barred = self.excluded.copy()
        if self.signs is not None:
            assert y is not None
            barred |= (self.signs * columns.price(class_mean_vector(y)) <= 0.0) & (self.signs != 0)
        return _leave_out(columns, barred & ~self.included)

    def narrow_jointly(self, columns: Columns, mean_vectors: FloatArray) -> Columns:
        """The same for many classes, whose means are the prices of the vectors.

        A sign of 1 then says that the feature must be a marker: in some class it is further above
        the mean of the classes than it is below that mean in any other.
        """
        barred = self.excluded.copy()
        if self.signs is not None:
            if np.any(self.signs < 0):
                raise ValueError(
                    "with more than two classes signs may be 1 (higher in some class) or 0: there "
                    "is no class that all features are lower in"
                )
            centred = mean_vectors - mean_vectors.mean(axis=1, keepdims=True)
            means = columns.price_all(centred)
            is_marker = means.max(axis=1) > -means.min(axis=1)
            barred |= (self.signs > 0) & ~is_marker
        return _leave_out(columns, barred & ~self.included)


def read_rules(
    n_features: int,
    names: Sequence[str] | NDArray[Any] | None = None,
    *,
    include: Any = None,
    exclude: Any = None,
    feature_cost: Any = None,
    feature_groups: Any = None,
    one_per_group: bool = False,
    signs: Any = None,
) -> Rules | None:
    """The rules for so many features; None if there are none.

    Features are named as in `names`, or numbered. `feature_cost` and `signs` are one number, an
    array, or a dict of features (those it does not name cost 1, or may have any sign);
    `feature_groups` is an array of labels (None for no group) or a dict of lists of features.

    Examples
    --------
    >>> from fewest._estimators.rules import read_rules
    >>> rules = read_rules(3, ["age", "A", "B"], include=["age"], feature_cost={"B": 5.0})
    >>> rules.price
    array([0., 1., 5.])
    >>> read_rules(3) is None
    True
    >>> read_rules(3, ["age", "A", "B"], exclude=["a"])
    Traceback (most recent call last):
    ...
    ValueError: exclude names 'a', which is not a feature of X. Did you mean 'A'?
    """
    given = (include, exclude, feature_cost, feature_groups, signs)
    if all(one is None for one in given):
        if one_per_group:
            raise ValueError("one_per_group needs feature_groups, which say what belongs together")
        return None
    places = Places(n_features, names)
    included = places.mark("include", include)
    excluded = places.mark("exclude", exclude)
    both = np.flatnonzero(included & excluded)
    if len(both):
        raise ValueError(
            f"{places.show(both)}: in include and in exclude. Take them out of one of the two"
        )
    if excluded.all():
        raise ValueError("exclude names every feature: none is left to select")
    price = np.ones(n_features)
    if feature_cost is not None:
        price = places.numbers("feature_cost", feature_cost, 1.0)
        bad = np.flatnonzero(~((price > 0) & (price < np.inf)))
        if len(bad):
            raise ValueError(
                f"feature_cost must be positive and finite, but it is {price[bad[0]]:g} for "
                f"{places.show(bad)}. Put features that cost nothing into include, and those that "
                "are not available into exclude"
            )
    price[included] = 0.0
    groups = None if feature_groups is None else places.groups(feature_groups)
    if one_per_group and groups is None:
        raise ValueError("one_per_group needs feature_groups, which say what belongs together")
    if one_per_group:
        assert groups is not None
        _check_one_per_group(places, included, groups)
        # What is always in leaves no room for the rest of its group.
        taken = np.unique(groups[included & (groups >= 0)])
        excluded |= np.isin(groups, taken) & ~included
    return Rules(
        price,
        included,
        excluded,
        groups,
        bool(one_per_group),
        None if signs is None else places.signs(signs),
        _find_unit(price[~included & ~excluded]),
    )


def _find_unit(prices: FloatArray) -> float:
    """The median price; one price of 1e12, which says "never", moves a mean but not a median.

    Of an even number it is the lower one of the two in the middle: a price that a feature has.
    """
    if not len(prices):
        return 1.0
    return float(np.quantile(prices, 0.5, method="lower"))


def _check_one_per_group(places: Places, included: NDArray[np.bool_], groups: IndexArray) -> None:
    inside = np.flatnonzero(included & (groups >= 0))
    numbers, counts = np.unique(groups[inside], return_counts=True)
    crowded = inside[np.isin(groups[inside], numbers[counts > 1])]
    if len(crowded):
        raise ValueError(
            f"include names {places.show(crowded)}, which share groups, but one_per_group allows "
            "one feature of each group"
        )


def check_room(rules: Rules | None, most: int, parameter: str) -> None:
    """Raise if more features are always in than a parameter allows in all."""
    if rules is not None and rules.n_included > most:
        raise ValueError(
            f"include names {counted(rules.n_included, 'feature')}, which is more than "
            f"{parameter}={most}: raise {parameter}, or include fewer"
        )


@dataclass(eq=False, repr=False, kw_only=True)
class RuleParameters:
    """Rules about features as parameters of an estimator, which says those that it can keep."""

    include: Any = None
    exclude: Any = None
    feature_cost: Any = None
    feature_groups: Any = None
    one_per_group: bool = False
    signs: Any = None

    _kept_rules: ClassVar[tuple[str, ...]] = RULE_NAMES
    _instead_of_rules: ClassVar[str] = (
        "Leave that out, or use SupportFeatureMachine or Liknon, which take all rules"
    )

    def _has_rules(self) -> bool:
        """Whether features have prices, or may not all be selected freely."""
        return are_rules(rules_of(self))

    def _refused_rules(self) -> tuple[str, ...]:
        """Rules that this estimator, with its present parameters, cannot keep."""
        return tuple(rule for rule in RULE_NAMES if rule not in self._kept_rules)

    def _check_rules(self) -> None:
        """Refuse rules that cannot be kept; what they name is checked with the data."""
        check_flag("one_per_group", self.one_per_group)
        for rule in self._refused_rules():
            if getattr(self, rule) is not None and getattr(self, rule) is not False:
                raise ValueError(f"{type(self).__name__} takes no {rule}. {self._instead_of_rules}")

    def _read_rules(self, n_features: int) -> Rules | None:
        """The rules about features that the parameters state."""
        names = getattr(self, "feature_names_in_", None)
        return read_rules(n_features, names, **rules_of(self))


def find_features(
    rule: str, features: Any, names: Sequence[str] | NDArray[Any] | None, n_features: int
) -> IndexArray:
    """Numbers of the features that a rule lists by name or number.

    Examples
    --------
    >>> from fewest._estimators.rules import find_features
    >>> find_features("include", ["B"], ["A", "B"], 2)
    array([1])
    """
    return np.flatnonzero(Places(n_features, names).mark(rule, features))


def rules_of(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator, or of the one inside, that are rules; none without any."""
    if isinstance(estimator, RuleParameters):
        return {rule: getattr(estimator, rule) for rule in RULE_NAMES}
    parameters = estimator.get_params(deep=False)
    inner = parameters.get("estimator", parameters.get("selector"))
    return rules_of(inner) if hasattr(inner, "get_params") else {}


def number_rules(estimator: Any, names: Sequence[str]) -> Any:
    """The estimator with rules by number instead of name, for X as plain numbers.

    A new one if there are any rules, also within a pipeline or the like.
    """
    numbered: dict[str, Any] = {}
    owners = {"": estimator, **estimator.get_params(deep=True)}
    for name, owner in owners.items():
        given = rules_of(owner) if isinstance(owner, RuleParameters) else {}
        prefix = f"{name}__" if name else ""
        if not are_rules(given):
            continue
        rules = read_rules(len(names), names, **given)
        assert rules is not None
        found = {
            "include": np.flatnonzero(rules.included),
            "exclude": np.flatnonzero(rules.excluded),
            "feature_cost": np.where(rules.included, 1.0, rules.price),
            "feature_groups": None if rules.groups is None else _as_labels(rules.groups),
            "signs": rules.signs,
        }
        numbered |= {
            prefix + rule: value for rule, value in found.items() if given[rule] is not None
        }
    return clone(estimator).set_params(**numbered) if numbered else estimator


def are_rules(given: Mapping[str, Any]) -> bool:
    """Whether any of the parameters is a rule; one_per_group says something of another one."""
    return any(value is not None for rule, value in given.items() if rule != "one_per_group")


def _as_labels(groups: IndexArray) -> list[int | None]:
    return [None if group < 0 else int(group) for group in groups]


def describe_rules(estimator: Any, names: Sequence[str], support: NDArray[np.bool_]) -> list[str]:
    """Sentences about the rules of an estimator, and what they made of a selection."""
    parameters = rules_of(estimator)
    rules = read_rules(len(names), names, **parameters)
    if rules is None:
        return []
    said, chosen = [], np.flatnonzero(support)
    if rules.included.any():
        free = listed(names[place] for place in np.flatnonzero(rules.included).tolist())
        said.append(f"Always in, at no cost: {free}. The other features add to them.")
    if rules.excluded.any():
        barred = listed(names[place] for place in np.flatnonzero(rules.excluded).tolist())
        said.append(f"Never in: {barred}.")
    if parameters["feature_cost"] is not None:
        low, high = rules.price[~rules.included].min(), rules.price.max()
        said.append(
            f"Features cost {low:g} to {high:g} each; those selected cost "
            f"{rules.terms.total(chosen):g} together."
        )
    if rules.groups is not None:
        how = (
            "at most one feature of each is used"
            if rules.one_per_group
            else "each is paid for once"
        )
        used = len(np.unique(rules.groups[chosen][rules.groups[chosen] >= 0]))
        total = len(np.unique(rules.groups[rules.groups >= 0]))
        said.append(f"{counted(total, 'group')} of features: {how}; {used} are used.")
    if rules.signs is not None:
        bound = int(np.count_nonzero(rules.signs))
        said.append(
            f"{counted(bound, 'feature')} may be selected only if the class means are in the order "
            "that was asked for."
        )
    return said


def say_rules(rules: Rules | None) -> str:
    """Words for messages about what cannot be done."""
    return "" if rules is None else " under the rules about features"


def _leave_out(columns: Columns, barred: NDArray[np.bool_]) -> Columns:
    narrowed = mask_columns(columns, np.flatnonzero(barred))
    if not narrowed.n_usable:
        raise ValueError(
            "the rules about features leave none that varies: allow more, or check exclude and "
            "signs"
        )
    return narrowed
