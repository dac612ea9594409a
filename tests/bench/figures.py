# SPDX-License-Identifier: Apache-2.0
"""Figures in what a measuring program printed, for one table of all of them. A program prints either columns, "|" or spaces
between them, under a line of their names without a digit; or indented lines of what was measured, two spaces or more, and the
figure. A line at the margin says what those below it are of."""
import re


def cells(line):
    if "|" in line:
        return [" ".join(cell.split()) for cell in line.strip().strip("|").split("|")]
    return [" ".join(cell.split()) for cell in re.split(r"\s{2,}", line.strip())]


def figures(text, keys=1):
    """(of what, what, figure) each; `keys`: how many columns say what a line is."""
    names, of, found = [], "", []
    for line in filter(str.strip, text.splitlines()):
        row = cells(line)
        if set(line) <= set("|-: "):
            continue
        if len(row) > 2 and not re.search(r"\d", line):
            names = row
        elif names and ("|" in line or len(row) == len(names)):
            values = [f"{name} {value}" for name, value in zip(names[keys:], row[keys:]) if value]
            found.append((of, " ".join(row[:keys]) if keys > 1 or "|" in line else f"{names[0]} {row[0]}", ", ".join(values)))
        elif line.startswith("  ") and len(row) > 1:
            found.append((of, row[0], " ".join(row[1:])))
        elif not line.startswith(" "):
            of = " ".join(re.split("[:,;]", line)[0].split())
    return found
