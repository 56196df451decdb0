"""What the displays share: where they were drawn, and how the held-out ones are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from fewest._estimators.held_out import HeldOut, run_held_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


@dataclass
class Display:
    """`ax_` and `figure_` are those of the last `plot`."""

    ax_: Axes = field(init=False, repr=False, compare=False)
    figure_: Figure | SubFigure = field(init=False, repr=False, compare=False)

    def _keep(self, ax: Axes) -> Self:
        self.ax_, self.figure_ = ax, ax.figure
        return self


class HeldOutDisplay(Display):
    """A display of a cross-validation; one run of it may serve several displays."""

    @classmethod
    def from_held_out(cls, held_out: HeldOut, *, ax: Axes | None = None) -> Self:
        """Of a cross-validation that is there already, from `run_held_out`."""
        raise NotImplementedError

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **settings: Any,
    ) -> Self:
        """Train a clone in every fold, and let it judge the samples it has not seen.

        Parameters
        ----------
        estimator : classifier
            Fitted or not; clones of it are trained.
        X, y : arrays
            All samples.
        cv : int or splitter
            Folds in which every sample is tested once; a number means stratified ones.
        groups : array of shape (n_samples,), optional
            Samples of one group are in the same fold.
        random_state : int, RandomState instance or None
            Shuffles the folds, if `cv` is a number.
        n_jobs : int, optional
            Folds trained at the same time.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        **settings
            Further ones of `from_held_out`.
        """
        held_out = run_held_out(
            estimator, X, y, cv=cv, groups=groups, random_state=random_state, n_jobs=n_jobs
        )
        return cls.from_held_out(held_out, ax=ax, **settings)
