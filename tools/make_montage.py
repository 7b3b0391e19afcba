#!/usr/bin/env python3
"""Prints the electrodes of the 10-10 system on the unit disc. SPDX-License-Identifier: Apache-2.0

Each row of electrodes lies on the circle through its midline electrode and its two outermost ones, on a sphere, at
equal angles; the outermost of most rows are on the ring 10 % above the ears, every 18 degrees. The sphere is seen
from above, distances from the vertex kept (azimuthal equidistant); 1 is the plane of nasion, ears and inion. x is to
the right, y to the front.
"""
import numpy as np


def point(inclination, azimuth):
    """Degrees from the vertex, and from the nose to the left."""
    i, a = np.radians([inclination, azimuth])
    return np.array([-np.sin(i) * np.sin(a), np.sin(i) * np.cos(a), np.cos(i)])


def row(left, middle, fractions):
    """Points from the middle to the left end of the circle through left, middle and the mirror image of left."""
    right = left * [-1, 1, 1]
    normal = np.cross(middle - right, left - right)
    normal /= np.linalg.norm(normal)
    centre = normal * (normal @ middle)
    u = middle - centre
    radius = np.linalg.norm(u)
    u /= radius
    v = np.cross(normal, u)
    angle = np.arctan2((left - centre) @ v, (left - centre) @ u)
    return [centre + radius * (np.cos(f * angle) * u + np.sin(f * angle) * v) for f in fractions]


def main():
    places = {}

    def put(name, at):
        inclination = np.degrees(np.arccos(np.clip(at[2], -1, 1)))
        planar = np.hypot(at[0], at[1])
        scale = inclination / 90 / planar if planar > 1e-12 else 0
        places[name] = (at[0] * scale, at[1] * scale)

    def put_pair(name, number, at):
        put(f"{name}{number}", at)
        put(f"{name}{number + 1}", at * [-1, 1, 1])

    rows = [("AF", 54, 36), ("F", 36, 54), ("FC", 18, 72), ("C", 0, 90), ("CP", -18, 108), ("P", -36, 126),
            ("PO", -54, 144)]
    for name, forward, azimuth in rows:
        middle, left = point(forward, 0), point(72, azimuth)
        put(name + "z", middle)
        for number, at in zip((1, 3, 5), row(left, middle, (0.25, 0.5, 0.75))):
            put_pair(name, number, at)
        outer = {"FC": "FT", "C": "T", "CP": "TP"}.get(name, name)
        put_pair(outer, 7, left)
        put_pair(outer, 9, point(90, azimuth))
    put("Fpz", point(72, 0))
    put_pair("Fp", 1, point(72, 18))
    put("Oz", point(72, 180))
    put_pair("O", 1, point(72, 162))
    put("Iz", point(90, 180))
    put("Nz", point(90, 0))
    for old, new in (("T3", "T7"), ("T4", "T8"), ("T5", "P7"), ("T6", "P8")):
        places[old] = places[new]
    print("channel,x,y")
    for name, (x, y) in places.items():
        print(f"{name},{round(x, 4) + 0:.4f},{round(y, 4) + 0:.4f}")


main()
