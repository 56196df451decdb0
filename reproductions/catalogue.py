"""All studies, paper by paper."""

from __future__ import annotations

from reproductions import (
    klement_basic,
    klement_brain_mosaics,
    klement_heat_maps,
    klement_leukemia,
    klement_runtime,
    klement_soft,
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
    *liknon_banana.STUDIES,
    *liknon_transvariation.STUDIES,
    *liknon_madelon.STUDIES,
]
