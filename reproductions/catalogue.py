"""All studies, paper by paper."""

from __future__ import annotations

from reproductions import (
    hochreiter_figures,
    hochreiter_matrices,
    hochreiter_microarray,
    hochreiter_regression,
    hochreiter_selection,
    klement_basic,
    klement_brain_buttonpress,
    klement_brain_emotions,
    klement_brain_mosaics,
    klement_heat_maps,
    klement_leukemia,
    klement_runtime,
    klement_soft,
    klement_theory_capacity,
    klement_theory_chance,
    klement_theory_loo,
    klement_weston,
    liknon_banana,
    liknon_madelon,
    liknon_transvariation,
)
from reproductions.study import Study

STUDIES: list[Study] = [
    *klement_basic.STUDIES,
    *klement_weston.STUDIES,
    *klement_soft.STUDIES,
    *klement_leukemia.STUDIES,
    *klement_brain_mosaics.STUDIES,
    *klement_heat_maps.STUDIES,
    *klement_runtime.STUDIES,
    *klement_theory_chance.STUDIES,
    *klement_theory_capacity.STUDIES,
    *klement_theory_loo.STUDIES,
    *klement_brain_buttonpress.STUDIES,
    *klement_brain_emotions.STUDIES,
    *hochreiter_figures.STUDIES,
    *hochreiter_matrices.STUDIES,
    *hochreiter_regression.STUDIES,
    *hochreiter_selection.STUDIES,
    *hochreiter_microarray.STUDIES,
    *liknon_banana.STUDIES,
    *liknon_transvariation.STUDIES,
    *liknon_madelon.STUDIES,
]
