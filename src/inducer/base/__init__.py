"""The contract that every learner keeps: parameters, arrays, threads, progress, saving, errors."""
