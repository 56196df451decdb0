"""Scores of single features, usable as `score_func` of `SelectKBest`; wrappers; baselines."""

from fewest.filters.radius_margin import r2w2
from fewest.filters.ranking import RankingSelector
from fewest.filters.recursive import svm_rfe
from fewest.filters.relief import relief
from fewest.filters.scores import fisher_score, golub_score
from fewest.filters.weighted_vote import WeightedVoteClassifier
from fewest.filters.wrappers import BestFirstSelector, sequential_selection

__all__ = [
    "BestFirstSelector",
    "RankingSelector",
    "WeightedVoteClassifier",
    "fisher_score",
    "golub_score",
    "r2w2",
    "relief",
    "sequential_selection",
    "svm_rfe",
]
