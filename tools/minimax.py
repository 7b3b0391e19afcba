"""Prints the polynomial coefficients of src/base/elementary.h. SPDX-License-Identifier: Apache-2.0

Each is the interpolation at Chebyshev nodes in 60 digits, rounded to double: within a small factor of the best
polynomial of its degree. Needs python3-mpmath. The error printed is that of the rounded coefficients."""
from mpmath import mp, mpf, atanh, cos, erfc, exp, expm1, pi, sin, sqrt

mp.dps = 60


def fit(function, low, high, degree):
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    table = [function(x) for x in nodes]
    newton = list(table)
    for level in range(1, n):
        for k in range(n - 1, level - 1, -1):
            newton[k] = (newton[k] - newton[k - 1]) / (nodes[k] - nodes[k - level])
    power = [mpf(0)] * n
    for k in range(n - 1, -1, -1):
        shifted = [mpf(0)] + power[:-1]
        power = [shifted[i] - nodes[k] * power[i] for i in range(n)]
        power[0] += newton[k]
    return [float(c) for c in power]


def show(name, function, low, high, degree):
    coefficients = fit(function, mpf(low), mpf(high), degree)

    def value(x):
        total = mpf(0)
        for c in reversed(coefficients):
            total = total * x + c
        return total

    points = [mpf(low) + (mpf(high) - mpf(low)) * k / 2000 for k in range(2001)]
    worst = max(abs(value(x) / function(x) - 1) for x in points)
    print(f"/* {name}: relative error {float(worst):.1e} */")
    print(", ".join(c.hex() for c in coefficients))


def atanh_tail(z):
    if z < mpf(10) ** -12:
        return mpf(1) / 3 + z / 5
    s = sqrt(z)
    return (atanh(s) / s - 1) / z


def expm1_ratio(x):
    return mpf(1) + x / 2 if abs(x) < mpf(10) ** -25 else expm1(x) / x


def sin_ratio(z):
    s = sqrt(z)
    return 2 * pi if s == 0 else sin(2 * pi * s) / s


def normal_tail(u):
    a = 4 * (1 + u) / (1 - u)
    return erfc(a / sqrt(mpf(2))) / 2 * exp(a * a / 2) * (1 + a)


show("(atanh(s)/s - 1)/s^2 in s^2 on [0, 0.0295]", atanh_tail, 0, "0.0295", 7)
show("(exp(x) - 1)/x on [-0.35, 0.35]", expm1_ratio, "-0.35", "0.35", 10)
show("sin(2 pi r)/r in r^2 on [0, 1/64]", sin_ratio, 0, mpf(1) / 64, 8)
show("cos(2 pi r) in r^2 on [0, 1/64]", lambda z: cos(2 * pi * sqrt(z)), 0, mpf(1) / 64, 8)
show("Q(a) exp(a^2/2) (1 + a) in (a - 4)/(a + 4), a to 39", normal_tail, -1, mpf(35) / 43, 22)
ln2 = mp.log(2)
high = float(int(ln2 * 2**42)) / 2.0**42
print("ln 2:", high.hex(), float(ln2 - mpf(high)).hex(), "1/ln 2:", float(1 / ln2).hex())
