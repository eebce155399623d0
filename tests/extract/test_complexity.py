"""Complexity, counted by hand: each case says what pays what."""

from __future__ import annotations

import textwrap

import pytest

from tests.fakes.whole_extraction import whole_extraction

# Name, source of a function `f`, cyclomatic, cognitive, nesting.
CASES = (
    ("a straight line", "def f(): return 1", 1, 0, 0),
    ("an if pays one", "def f(x):\n  if x: pass", 2, 1, 1),
    ("else is flat", "def f(x):\n  if x: pass\n  else: pass", 2, 2, 1),  # if 1, else 1
    ("elif is flat", "def f(x):\n  if x: pass\n  elif y: pass\n  else: pass", 3, 3, 1),  # if 1, elif 1, else 1
    ("an if below an if pays its level", "def f(x):\n  if x:\n    if y: pass", 3, 3, 2),  # 1 + (1 + 1)
    ("an if below an else is nested", "def f(x):\n  if x: pass\n  else:\n    if y: pass", 3, 4, 2),  # if 1, else 1, if 1 + 1
    ("an if below an elif is nested", "def f(x):\n  if x: pass\n  elif z:\n    if y: pass", 4, 4, 2),  # if 1, elif 1, if 1 + 1
    ("a loop in an if in a loop", "def f(x):\n  for a in x:\n    if a:\n      while b: pass", 4, 6, 3),  # 1 + 2 + 3
    ("the else of a loop is flat", "def f(x):\n  for a in x: pass\n  else: pass", 2, 2, 1),
    ("try is free, except pays", "def f():\n  try: a\n  except A: b\n  except B: c", 3, 2, 1),  # two clauses
    ("except raises the level, try does not", "def f(x):\n  try:\n    if x: pass\n  except A:\n    if x: pass", 4, 4, 2),  # 1 + 1 + (1 + 1)
    ("finally is free", "def f():\n  try: a\n  finally: b", 1, 0, 0),
    ("with is free", "def f(x):\n  with x:\n    if x: pass", 2, 1, 1),
    ("match pays once, its cases are paths", "def f(x):\n  match x:\n    case 1: pass\n    case 2: pass\n    case _: pass", 4, 1, 1),
    ("a guard of a case is a path", "def f(x):\n  match x:\n    case 1 if y: pass", 3, 1, 1),  # case_clause and if_clause
    ("a ternary pays its level", "def f(x):\n  if x: return a if b else c", 3, 3, 2),  # 1 + (1 + 1)
    ("a ternary in a ternary is nested", "def f(x): return a if b else (c if d else e)", 3, 3, 2),  # 1 + 2
    ("a condition stays at the outer level", "def f(x):\n  if (a if b else c): pass", 3, 2, 1),  # if 1, ternary 1
    ("one run of operators", "def f(x): return a and b and c", 3, 1, 0),
    ("two runs of operators", "def f(x): return a and b or c", 3, 2, 0),
    ("runs in source order", "def f(x): return a and b or c and d", 4, 3, 0),  # and, or, and
    ("like operators in another tree", "def f(x): return a or b or c or d", 4, 1, 0),
    ("not does not break a run of the tree", "def f(x): return a and not b", 2, 1, 0),
    ("parentheses begin a chain", "def f(x): return a and (b and c)", 3, 2, 0),
    ("operators of a condition", "def f(x):\n  if a and b: pass", 3, 2, 1),
    ("a lambda nests for nothing", "def f(x): return lambda: 1", 1, 0, 0),
    ("a ternary in a lambda is nested", "def f(x): return lambda: a if b else c", 2, 2, 2),  # 1 + 1
    ("comprehensions are paths", "def f(x): return [a for a in x if a if b]", 4, 0, 0),  # for, if, if
    ("an assertion is a path", "def f(x): assert x", 2, 0, 0),
    ("what stands in a nested function is its own", "def f(x):\n  def g(y):\n    if y: pass\n  if x: pass", 2, 1, 1),
    ("what stands in a class in a function counts for the function", "def f(x):\n  class A:\n    if x: y = 1", 2, 1, 1),
    ("direct recursion", "def f(x): return f(x - 1)", 1, 1, 0),
    ("mutual recursion", "def f(x): return g(x)\ndef g(x): return f(x)", 1, 1, 0),
    ("a call out of the cycle", "def f(x): return g(x)\ndef g(x): return g(x)", 1, 0, 0),
    ("a recursion that two functions could mean", "def f(x): return f(x)\ndef f(x, y): return 1", 1, 0, 0),
    ("a name that the body imports", "def f(x):\n  from m import f\n  return f(x)", 1, 0, 0),
    ("a method of another object", "def f(x): return x.f()", 1, 0, 0),
    ("a default in the header", "def f(x=a if b else c): pass", 2, 1, 1),
    ("a decorator stands outside", "@d(a if b else c)\ndef f(x): pass", 1, 0, 0),
    ("async loops", "async def f(x):\n  async for a in x:\n    async with a: pass", 2, 1, 1),
    ("a syntax error costs nothing more", "def f(x):\n  if x: pass\n  y = = 2\n", 2, 1, 1),
)


@pytest.mark.parametrize(("source", "cyclomatic", "cognitive", "nesting"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_python_functions_have_the_numbers_counted_by_hand(source: str, cyclomatic: int, cognitive: int, nesting: int) -> None:
    unit = next(unit for unit in whole_extraction("a.py", source.encode()).units if unit.name == "f")
    assert (unit.cyclomatic, unit.cognitive, unit.nesting) == (cyclomatic, cognitive, nesting)


def test_recursion_through_the_receiver_is_proved_within_one_class_only() -> None:
    source = """
        class A:
            def run(self): return self.walk()
            def walk(self): return self.run()
            def other(self): return self.lost()
            def twin(self): return self.twin()
            def twin(self, again): return 1
        class B:
            def lost(self): return A().other()
        def run(): return run
        """
    units = whole_extraction("a.py", textwrap.dedent(source).encode()).units
    assert {unit.key: unit.cognitive for unit in units if unit.kind == "fn"} == {
        "run/1": 1,
        "walk/1": 1,
        "other/1": 0,
        "twin/1": 0,
        "twin/2": 0,
        "lost/1": 0,
        "run/0": 0,
    }
