"""The support feature machine as a linear program in two ways, for solvers of others.

Klement's thesis (2013), sec. 3.5. The solvers are those of the extra `reproduce`; each is imported
when it is used, and left out with a line that says so where it is not installed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from scipy import sparse

from reproductions import ortools_process

FORMULATIONS = ("standard", "sparse")


@dataclass(frozen=True)
class LinearProgram:
    """Minimise ``cost.x`` with ``A x >= 0`` row by row, ``equality.x = 1`` and x within bounds."""

    cost: np.ndarray
    A: sparse.csr_matrix
    equality: np.ndarray
    lower: np.ndarray
    n_features: int
    has_parts: bool

    def read(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        """Weights and bias of a solution."""
        d = self.n_features
        w = x[:d] - x[d : 2 * d] if self.has_parts else x[:d]
        return w, float(x[2 * d])


def formulate(
    X: np.ndarray, y: np.ndarray, formulation: str, slack_cost: float | None = None
) -> LinearProgram:
    r"""Minimise |w|_1 with y_i (w.x_i + b) >= 0 and a mean margin of one.

    The standard formulation splits w into two parts that are not negative (eq. 3.16); the sparse
    one has X once, and -s_j <= w_j <= s_j (eqs. 3.17 and 3.18 are both with slacks). Variables are
    (w+, w-, b, slacks) or (w, s, b, slacks).
    """
    n, d = X.shape
    signed = y[:, None] * X
    slacks = 0 if slack_cost is None else n
    slack_block = sparse.identity(n, format="csr") if slacks else sparse.csr_matrix((n, 0))
    bias = y[:, None].astype(float)
    margins = np.full(slacks, slack_cost or 0.0)
    if formulation == "standard":
        data = np.hstack([signed, -signed, bias])
        A = sparse.hstack([sparse.csr_matrix(data), slack_block], format="csr")
        cost = np.concatenate([np.ones(2 * d), [0.0], margins])
        mean = np.concatenate([signed.mean(axis=0), -signed.mean(axis=0), [bias.mean()]])
        lower = np.concatenate([np.zeros(2 * d), [-np.inf], np.zeros(slacks)])
    elif formulation == "sparse":
        data = sparse.hstack([sparse.csr_matrix(signed), sparse.csr_matrix((n, d)), bias])
        unit = sparse.identity(d, format="csr")
        rest = sparse.csr_matrix((d, 1 + slacks))
        A = sparse.vstack(
            [
                sparse.hstack([data, slack_block]),
                sparse.hstack([unit, unit, rest]),
                sparse.hstack([-unit, unit, rest]),
            ],
            format="csr",
        )
        cost = np.concatenate([np.zeros(d), np.ones(d), [0.0], margins])
        mean = np.concatenate([signed.mean(axis=0), np.zeros(d), [bias.mean()]])
        lower = np.concatenate([np.full(d, -np.inf), np.zeros(d), [-np.inf], np.zeros(slacks)])
    else:
        raise ValueError(f"formulation must be one of {FORMULATIONS}, not {formulation!r}")
    equality = np.concatenate([mean, np.zeros(slacks)])
    return LinearProgram(cost, A, equality, lower, d, formulation == "standard")


def solve_by_highs(method: str, program: LinearProgram, limit: float) -> tuple[np.ndarray, float]:
    """HiGHS, by its simplex method ("simplex") or by interior points and crossover ("ipm")."""
    import highspy

    A, low, high = _stack(program)
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = A.shape
    model.col_cost_, model.col_lower_ = program.cost, program.lower
    model.col_upper_ = np.full(A.shape[1], np.inf)
    model.row_lower_, model.row_upper_ = low, high
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = A.indptr, A.indices
    model.a_matrix_.value_ = A.data
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solver", method)
    solver.setOptionValue("time_limit", limit)
    solver.passModel(model)
    start = time.perf_counter()
    solver.run()
    seconds = time.perf_counter() - start
    _check(solver.getModelStatus() == highspy.HighsModelStatus.kOptimal)
    return np.array(solver.getSolution().col_value), seconds


def solve_by_glpk(program: LinearProgram, limit: float) -> tuple[np.ndarray, float]:
    """GLPK's primal simplex method, as it is set by default but silent."""
    import swiglpk as glpk

    A = sparse.coo_matrix(_stack(program)[0])
    problem = glpk.glp_create_prob()
    glpk.glp_add_rows(problem, A.shape[0])
    glpk.glp_add_cols(problem, A.shape[1])
    for row in range(A.shape[0] - 1):
        glpk.glp_set_row_bnds(problem, row + 1, glpk.GLP_LO, 0.0, 0.0)
    glpk.glp_set_row_bnds(problem, A.shape[0], glpk.GLP_FX, 1.0, 1.0)
    for column, low in enumerate(program.lower):
        kind = glpk.GLP_FR if np.isinf(low) else glpk.GLP_LO
        glpk.glp_set_col_bnds(problem, column + 1, kind, 0.0, 0.0)
        glpk.glp_set_obj_coef(problem, column + 1, float(program.cost[column]))
    rows, columns, values = (
        make(A.nnz + 1) for make in (glpk.intArray, glpk.intArray, glpk.doubleArray)
    )
    for place, (row, column, value) in enumerate(zip(A.row, A.col, A.data, strict=True), 1):
        rows[place], columns[place], values[place] = int(row) + 1, int(column) + 1, float(value)
    glpk.glp_load_matrix(problem, A.nnz, rows, columns, values)
    settings = glpk.glp_smcp()
    glpk.glp_init_smcp(settings)
    settings.msg_lev, settings.tm_lim = glpk.GLP_MSG_OFF, int(1000 * limit)
    start = time.perf_counter()
    glpk.glp_simplex(problem, settings)
    seconds = time.perf_counter() - start
    solved = glpk.glp_get_status(problem) == glpk.GLP_OPT
    x = np.array([glpk.glp_get_col_prim(problem, j + 1) for j in range(A.shape[1])])
    glpk.glp_delete_prob(problem)
    _check(solved)
    return x, seconds


def solve_by_ortools(name: str, program: LinearProgram, limit: float) -> tuple[np.ndarray, float]:
    """GLOP (simplex) or PDLP (first order) through OR-Tools."""
    A, low, high = _stack(program)
    free = np.full(A.shape[1], np.inf)
    x, seconds = ortools_process.solve(name, limit, program.lower, free, program.cost, low, high, A)
    if x is None:
        raise NotSolvedError
    return x, seconds


def solve_by_clarabel(program: LinearProgram, limit: float) -> tuple[np.ndarray, float]:
    """Clarabel's interior points: A x + s = b with s in a cone."""
    import clarabel

    bounded = np.flatnonzero(np.isfinite(program.lower))
    identity = sparse.identity(len(program.lower), format="csr")[bounded]
    A = sparse.vstack([sparse.csr_matrix(program.equality), -program.A, -identity], format="csc")
    b = np.zeros(A.shape[0])
    b[0] = 1.0
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(A.shape[0] - 1)]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.time_limit = False, limit
    nothing = sparse.csc_matrix((A.shape[1], A.shape[1]))
    start = time.perf_counter()
    found = clarabel.DefaultSolver(nothing, program.cost, A, b, cones, settings).solve()
    seconds = time.perf_counter() - start
    _check(found.status == clarabel.SolverStatus.Solved)
    return np.asarray(found.x), seconds


def _stack(program: LinearProgram) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """All rows, the equality last, with their bounds."""
    A = sparse.csr_matrix(sparse.vstack([program.A, sparse.csr_matrix(program.equality)]))
    low, high = np.zeros(A.shape[0]), np.full(A.shape[0], np.inf)
    low[-1] = high[-1] = 1.0
    return A, low, high


class NotSolvedError(Exception):
    """A solver stopped without an optimum: it ran out of time, or of digits."""


def _check(solved: bool) -> None:
    if not solved:
        raise NotSolvedError


_Solve = Callable[[LinearProgram, float], tuple[np.ndarray, float]]
# Name for people, the module that has to be there, and the function.
_SOLVERS: dict[str, tuple[str, _Solve]] = {
    "HiGHS simplex": ("highspy", lambda *given: solve_by_highs("simplex", *given)),
    "HiGHS interior point": ("highspy", lambda *given: solve_by_highs("ipm", *given)),
    "GLPK": ("swiglpk", solve_by_glpk),
    "GLOP": ("ortools", lambda *given: solve_by_ortools("glop", *given)),
    "PDLP": ("ortools", lambda *given: solve_by_ortools("pdlp", *given)),
    "Clarabel": ("clarabel", solve_by_clarabel),
}


def find_solvers(names: Iterable[str] = tuple(_SOLVERS)) -> dict[str, _Solve]:
    """Those that are installed; a line is printed for each that is not."""
    found = {}
    for name in names:
        module, solve = _SOLVERS[name]
        if find_spec(module) is None:
            print(f"{name}: left out, {module} is not installed (pip install 'fewest[reproduce]')")
        else:
            found[name] = solve
    return found
