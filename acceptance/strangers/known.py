"""Differences between the two compilers' runs of strangers' programs that are right as they are, each with its rule."""

KNOWN = {}
"""The rule, by checkout and program."""
