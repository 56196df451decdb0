"""Scores of single features, usable as `score_func` of `SelectKBest`; and baselines on them."""

from fewest.filters.recursive import svm_rfe
from fewest.filters.relief import relief
from fewest.filters.scores import fisher_score, golub_score
from fewest.filters.weighted_vote import WeightedVoteClassifier

__all__ = ["WeightedVoteClassifier", "fisher_score", "golub_score", "relief", "svm_rfe"]
