"""Scores of single features, usable as `score_func` of `SelectKBest`; and baselines on them."""

from fewest.filters.radius_margin import r2w2
from fewest.filters.recursive import svm_rfe
from fewest.filters.relief import relief
from fewest.filters.scores import fisher_score, golub_score
from fewest.filters.weighted_vote import WeightedVoteClassifier

__all__ = ["WeightedVoteClassifier", "fisher_score", "golub_score", "r2w2", "relief", "svm_rfe"]
