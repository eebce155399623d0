"""Control flow inside functions: which statements no path reaches, and which values no path reads."""
