"""Extractions and a resolution become the tables of the schema: encoded, sorted, each kept on its own."""
