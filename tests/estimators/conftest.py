"""Further settings of a class that is checked already are left to `make test-all`."""

import pytest

_FURTHER = "test_scikit_learn_contract[SupportFeatureMachineCV(Cs="


def pytest_collection_modifyitems(items):
    for item in items:
        if _FURTHER in item.nodeid:
            item.add_marker(pytest.mark.slow)
