"""The ladder of Java: types by their declared packages, build files, source sets."""
