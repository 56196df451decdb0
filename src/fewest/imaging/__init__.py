"""Gaussian pyramids of images and volumes: illumination correction, down- and upsampling."""

from fewest.imaging.illumination import correct_illumination, match_histogram
from fewest.imaging.mosaic import make_mosaic, measure_seams
from fewest.imaging.operators import Correction, Expansion, ImageOperator, Reduction
from fewest.imaging.pyramid import (
    downsample,
    downsampled_mask,
    expand,
    gaussian_pyramid,
    reduce,
    upsample,
)

__all__ = [
    "Correction",
    "Expansion",
    "ImageOperator",
    "Reduction",
    "correct_illumination",
    "downsample",
    "downsampled_mask",
    "expand",
    "gaussian_pyramid",
    "make_mosaic",
    "match_histogram",
    "measure_seams",
    "reduce",
    "upsample",
]
