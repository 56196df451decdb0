"""Cases of `make fuzz` that once failed: what they found stays found.

Which data a case has depends on how `fuzzing` draws it: whoever changes that keeps the faults, by
new cases or by data.
"""

from importlib import import_module

import numpy as np
import pytest

from fewest._solvers.result import Status
from fuzzing.kinds import BY_NAME
from fuzzing.kinds.joint import draw as draw_joint
from fuzzing.kinds.programs import draw
from fuzzing.oracles.linear import full_objective
from fuzzing.oracles.solved import run

FOUND = [
    ("joint", 1000003),  # costs that dwarf the weights: half the steps led nowhere
    ("joint", 1000058),
    ("joint", 1000169),
    ("joint", 1000650),
    ("joint", 1000044),  # no column varies
    ("joint", 1000117),
    ("programs", 3000122),  # HiGHS gives up
    ("programs", 2001429),
    ("programs", 77000788),  # linprog calls it infeasible
    ("programs", 77000988),  # a column that varies in its last digits
    ("programs", 505004614),  # a ray with rounding where it must be zero
    ("programs", 2026001458),  # HiGHS returned a ray of zeros
    ("programs", 2026000916),  # rays that only rounding sees, and multipliers of 1e10
    ("programs", 1718001096),  # feasible but for 1e-8
    ("programs", 1801002933),  # slacks of 1e-7 beside one of 1e3
    ("joint", 1801000222),  # samples that differ by 1e-11, where errors cost 1e4: linprog is off
    ("programs", 1802010746),  # no solution, and multipliers that rounding ends at 1e6
    ("programs", 1803002460),  # weights of 1e6: one way through the program ends in a ray
    ("programs", 1803026202),  # HiGHS does not come to an end with the program of rays
    ("programs", 1803028082),  # multipliers of 1e10, and linprog is off by a factor of 80
    ("programs", 1803016351),  # separable but for 1e-9
    ("programs", 1804026916),  # a mean of 1e14 standard deviations
    ("programs", 1806010772),  # linprog's optimum, and ours, violate a margin by 1e-9, and say so
    ("programs", 1806019497),  # margins that lack 3e-8 where errors cost 8,000
    ("programs", 1805026583),  # multipliers of 1e6
    ("programs", 1802013348),  # a column that varies by four units of its last digit
    ("programs", 1802020342),  # weights of 1e4 on near copies with means of 500
    ("joint", 1802004278),  # weights of 1e6, which linprog does not find
    ("joint", 1802000262),  # means of a thousand standard deviations
    ("joint", 77000971),  # means that differ only by the weights of the samples
    ("joint", 505000204),  # columns that nearly are copies, and the difference counts
    ("joint", 505001595),
    ("joint", 1720001077),  # features too few for margins that must be kept
    ("machines", 1720003451),  # prices, and a last program that rounding makes infeasible
    ("machines", 77000740),  # means that were not apart
    ("machines", 505000564),  # separable by differences of 1e-14, and prices
    ("minima", 1720000126),  # a pair in doubt with several signs
    ("minima", 3000227),  # tiny columns that the search lifted, and the check of its proof did not
    ("minima", 3000270),
    ("prices", 3000662),  # a proof that named a feature twice that is always in
    ("all_rules", 5001253),
    ("forged_results", 5001363),  # groups of rules with numbers below -1
    ("ruled_minima", 1801000252),  # a feature that is always in is constant, and fills its group
    ("programs", 1812010151),  # the last digits of a violation of 3e-6 that the answer states
    ("programs", 1813002040),  # hulls that overlap by 3e-11 where errors cost 4e5
    ("machines", 5000961),  # a "proof" that left out columns whose squares are zero
    ("machines", 1813009590),  # a mean of 2e14 standard deviations
    ("joint", 1821001568),  # multipliers of 2e7, where linprog violates a margin by 1e-12
    ("joint", 7000135),  # inaccurate, and far below its own bound
    ("joint", 1816002823),  # inaccurate, as it says itself
    ("joint", 1816004275),  # optimal, but far below its own bound
    ("h5ad_file", 1815007232),  # a damaged sparse matrix as the categories of a column
    ("npz_file", 1814004604),  # a member too large that is read after the others
    ("machines", 1814006112),  # roots of negative numbers on the way
    ("machines", 1813005878),  # margins that weigh beyond all bounds on the way
    ("h5ad_file", 1813001037),  # a list of characters in the place of a text
    ("hasty_minima", 80000210),  # no set of four columns exists, which proves nothing of three
    ("hasty_minima", 78000033),  # time was up before a set was found: not "all sets are listed"
    ("hasty_minima", 5000286),  # all sets were tried, and no proof that none will do
    ("minima_with_errors", 1805001014),  # weights of more than 64 bits
    ("psvm", 21000002),  # dependent columns
    ("h5ad_file", 1720001334),  # a column that is a sparse matrix, and damaged: a crash
    ("parquet_file", 1805004557),  # lists in the place of names
    ("h5ad_file", 1805004809),  # a header that goes on for 2 GB
    ("csv_file", 1802000287),  # a line that begins with a carriage return, samples as columns
    ("h5ad_file", 3301000813),  # names of a group that take 8 GB
    ("near_minima", 3301000069),  # twelve samples of one class
    ("time_limits", 3300000221),  # thousands of pairs that separate
    ("h5ad_file", 1720000018),  # a text attribute of 4 GB that is not there
    ("model_file", 1719000130),  # a message with half the file in it
    ("prices", 32911000534),  # sums of prices beyond 64 bits, which differ in the last digit
    ("prices", 32911001751),
    ("nifti_file", 6000089),  # weights that integers cannot hold
]


@pytest.mark.parametrize(("kind", "case"), FOUND)
def test_nothing_is_wrong_any_more(kind, case, tmp_path):
    import_module(BY_NAME[kind].module).check(case, tmp_path)


@pytest.mark.parametrize("case", [1001002, 1001055, 1001435, 1001490])
def test_rays_with_wrong_signs_are_replaced(case):
    """HiGHS called these dual programs unbounded along rays that leave their bounds."""
    problem = draw(case)
    assert np.isinf(full_objective(problem))
    assert run(problem).status is Status.INFEASIBLE


def test_the_joint_cases_have_many_samples_of_few_kinds():
    """Otherwise those above would not be about costs that dwarf weights, nor about constants."""
    assert draw_joint(1000003)[1].slack_cost.max() > 1e4
    assert np.ptp(draw_joint(1000117)[0], axis=0).max() == 0.0
