"""Disjoint subsets of features, found one after the other, and classifiers on several of them."""

__all__: list[str] = []
