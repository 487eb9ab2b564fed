"""How the linear learners minimise: one way a file, all of the same problem."""
