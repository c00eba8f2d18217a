"""Asks DuckDB the queries that come as a JSON list on standard input, in the folder named first.

The answers go out as a JSON list of texts: columns aligned, two blanks between them, numbers to the right.
"""

import json
import os
import sys

import duckdb


def shown(columns, types, rows):
    texts = [["" if cell is None else cell for cell in row] for row in rows]
    widths = [max(len(line[n]) for line in [columns, *texts]) for n in range(len(columns))]
    def line(cells):
        aligned = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(cells, widths, types)
        ]
        return "  ".join(aligned).rstrip()
    return "\n".join(line(cells) for cells in [columns, *texts])


def main():
    os.chdir(sys.argv[1])
    session = duckdb.connect()
    answers = []
    for query in json.load(sys.stdin):
        query = query.strip().rstrip(";")
        # One line for each column of a query: its name and its type.
        described = session.execute("DESCRIBE " + query).fetchall()
        columns = [row[0] for row in described]
        numbers = [row[1].split("(")[0] in NUMBERS for row in described]
        # As text, whatever Python has for a type.
        rows = session.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({query})").fetchall()
        answers.append(shown(columns, numbers, rows))
    json.dump(answers, sys.stdout)


NUMBERS = {"BIGINT", "HUGEINT", "INTEGER", "DOUBLE", "DECIMAL", "UBIGINT", "FLOAT"}

if __name__ == "__main__":
    main()
