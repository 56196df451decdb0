"""Disjoint subsets of features, found one after another, and classifiers on several of them."""

__all__: list[str] = []
