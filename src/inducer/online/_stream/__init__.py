"""Learning from files that do not fit in memory: what `inducer stream` runs.

`settings` says what is learned and how, `source` where the bytes come from, `model` how all of it
is kept in a file, and `run` lets the core (`inducer._core.stream`) read and learn.
"""
