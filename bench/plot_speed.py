"""Draws docs/speed.svg from what build/bench/bench_spd printed. SPDX-License-Identifier: Apache-2.0

usage: build/bench/bench_spd | python3 bench/plot_speed.py > docs/speed.svg"""
import re
import sys

rows, cpu = [], "?"
for line in sys.stdin:
    found = re.match(r"One thread, (\w+),", line)
    cpu = found.group(1) if found else cpu
    found = re.match(r" *(\d+) +([\d.]+) \| +([\d.]+) +([\d.]+) ", line)
    if found:
        rows.append([float(x) for x in found.groups()])
if not rows:
    sys.exit("plot_speed: no table of eigen times in the input")

WIDTH, LEFT, RIGHT, TOP, STEP, BAR = 760, 90, 130, 64, 34, 20
height = TOP + STEP * len(rows) + 30
largest = max(row[3] for row in rows)
scale = (WIDTH - LEFT - RIGHT) / largest
out = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="14">',
    f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
    '<text x="16" y="24" font-size="16" font-weight="bold" fill="#1a1a1a">Eigen-decompositions with vectors, one thread</text>',
    f'<text x="16" y="44" fill="#555555">times as fast as LAPACK\'s dsyevd (OpenBLAS), {cpu}; microseconds per matrix at the end</text>',
]
for i, (d, _, time, ratio) in enumerate(rows):
    y = TOP + STEP * i
    out.append(f'<text x="{LEFT - 10}" y="{y + 15}" text-anchor="end" fill="#1a1a1a">{d:.0f} x {d:.0f}</text>')
    out.append(f'<rect x="{LEFT}" y="{y}" width="{ratio * scale:.1f}" height="{BAR}" fill="#2a6f97"/>')
    out.append(f'<text x="{LEFT + ratio * scale + 8:.1f}" y="{y + 15}" fill="#1a1a1a">{ratio:.1f}x, {time:.3g} us</text>')
x = LEFT + scale
out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 26}" stroke="#b23a48" stroke-dasharray="4 3"/>')
out.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" fill="#b23a48">dsyevd</text>')
out.append("</svg>")
print("\n".join(out))
