"""The ladder of C and C++: where the preprocessor finds what a file includes."""
