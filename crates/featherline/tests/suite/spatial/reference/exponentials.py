"""Writes exponentials.json: exponentials of SO(3) and SE(3), their Jacobians and the inverses of these.

Every number comes from the defining power series of the matrix exponential and of its derivative, summed with mpmath at
a precision of 400 bits and rounded to double once, so that no closed form, series or switch of the library is repeated
here. Run: python exponentials.py (needs mpmath 1.4).
"""

import json
import math
import pathlib

from mpmath import eye, inverse, matrix, mp, mpf, norm

mp.prec = 400

ANGLES = [0.0, 1e-300, 1e-160, 1e-20, 1e-8, 1e-4, 1e-2, 0.1248, 0.1250, 0.5, 1 - 1e-9, 1.0, 1 + 1e-9, 2.0, 3.0,
          math.pi - 1e-4, math.pi - 1e-8, math.pi - 1e-12, math.pi, 4.0, 6.0]
DIRECTIONS = [[0.6, -0.48, 0.64], [0.0, 0.0, 1.0]]
LINEAR = [0.7, -1.1, 0.4]


def skew(a):
    return matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def series(x, first):
    """The sum of x^k / (k + first)!."""
    term = eye(x.rows) / math.factorial(first)
    total = term.copy()
    k = first
    while k < 40 or norm(term, mp.inf) > mpf(2) ** -380:
        k += 1
        term = term * x / k
        total += term
    return total


def rows(m):
    return [[float(m[i, j]) for j in range(m.cols)] for i in range(m.rows)]


def case(w, v):
    wx, vx = skew([mpf(x) for x in w]), skew([mpf(x) for x in v])
    twist, adjoint = matrix(4, 4), matrix(6, 6)
    for i in range(3):
        twist[i, 3] = mpf(v[i])
        for j in range(3):
            twist[i, j] = wx[i, j]
            adjoint[i, j] = adjoint[i + 3, j + 3] = wx[i, j]
            adjoint[i, j + 3] = vx[i, j]
    jacobian = series(adjoint, 1)
    return {
        "motion": [*v, *w],
        "exponential": rows(series(twist, 0)[:3, :]),
        "left_jacobian": rows(jacobian[:3, :]),
        "left_jacobian_inverse": rows(inverse(jacobian)[:3, :]),
    }


def main():
    cases = [case([angle * x for x in d], LINEAR) for angle in ANGLES for d in DIRECTIONS]
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")


main()
