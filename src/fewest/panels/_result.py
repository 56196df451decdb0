"""What is known about a panel, as plain values; its text is in `_text`."""

from __future__ import annotations

from dataclasses import dataclass

from fewest._run.json_text import to_json
from fewest._showing import Shown
from fewest.panels._carry_over import CarriedOver
from fewest.panels._errors import Difference, Label, PanelError
from fewest.panels._statements import FeatureStatements


@dataclass(frozen=True)
class StandIn:
    """A feature that could replace one of the panel.

    `balanced_error` is the error of the panel after the replacement, and `costs` is how much larger
    it is than that of the panel; below zero if the replacement is better. `caveat` says that
    stand-ins are found on the samples that judge them.
    """

    name: str
    column: int
    correlation: float
    balanced_error: float
    costs: Difference
    caveat: str


@dataclass(frozen=True)
class JudgedFeature:
    """A feature of the panel: the balanced error without it, and how much smaller it is with it.

    `caveat` says why both may be too good, as for the errors of the panel as it was given.
    """

    name: str
    column: int
    error_without: float
    adds: Difference
    caveat: str
    stand_ins: list[StandIn]


@dataclass(frozen=True)
class RandomPanels:
    """Balanced errors of random panels of the same size, on the same folds.

    `share_as_good` counts the panel itself too: (1 + random ones at least as good) / (1 + all).
    """

    errors: list[float]
    median: float
    share_as_good: float


@dataclass(frozen=True)
class ChosenPanel:
    """A panel that was chosen in every fold without its test samples, and judged by these.

    `difference` is the error of the panel as given minus this one. `features` are those chosen on
    all samples, and `is_given` says whether they are the given panel: only then is this its error.
    `sizes` are the numbers chosen in the folds, and `folds_with` says for each feature of the given
    panel how many folds chose it.
    """

    method: str
    errors: PanelError
    difference: Difference
    features: list[str]
    is_given: bool
    sizes: list[int]
    folds_with: list[int]


@dataclass(frozen=True, repr=False)
class PanelReport(Shown):
    """Everything that `panel_report` found about a panel.

    Parameters
    ----------
    names : list of str
        The panel.
    n_samples, n_features : int
        Size of the data.
    classes : list
        The classes.
    classifier : str
        What was trained on the features of the panel.
    n_folds, n_repeats : int
        Folds of one repeat, and how often they were drawn.
    n_groups : int or None
        Groups that were left out as a whole; None if samples were.
    confidence : float
        Level of all intervals.
    chosen_elsewhere : bool
        Whether the panel is known to have been chosen without these samples.
    errors : PanelError
        What to expect of new samples: `balanced_error` with its `interval`, `error`, and `classes`
        with the same for each class. If the estimator that chose the panel is known, these are the
        errors with its choice repeated in every fold; else those of the panel as given. Their
        `caveat` is empty unless they may be too small.
    as_given : PanelError
        Errors of the panel that was given, which is the same in all folds. All comparisons are
        with these.
    features : list of JudgedFeature
        What each feature adds, and what could replace it.
    random : RandomPanels or None
        Random panels of the same size.
    best : ChosenPanel or None
        Our own panel of that size, chosen inside the folds.
    choice : ChosenPanel or None
        What the given estimator chooses inside the folds: the honest error of choosing and fitting.
    against : CarriedOver or None
        The panel on the second data set.
    statements : FeatureStatements
        p-values of each feature given the others and, with an estimator, how often it is chosen.
    notes : list of str
        Warnings of the fits.
    left_out : list of str
        What is missing, and why.
    """

    names: list[str]
    n_samples: int
    n_features: int
    classes: list[Label]
    classifier: str
    n_folds: int
    n_repeats: int
    n_groups: int | None
    confidence: float
    chosen_elsewhere: bool
    errors: PanelError
    as_given: PanelError
    features: list[JudgedFeature]
    random: RandomPanels | None
    best: ChosenPanel | None
    choice: ChosenPanel | None
    against: CarriedOver | None
    statements: FeatureStatements
    notes: list[str]
    left_out: list[str]

    def __str__(self) -> str:
        """The whole result for a reader at a terminal."""
        from fewest.panels._text import report_text

        return report_text(self)

    def to_json(self) -> str:
        """All values as JSON."""
        return to_json(self)
