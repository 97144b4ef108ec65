/**
 * Runs a file of tests, in unittest's or pytest's style, against a script beside it. For each test it
 * prints a line, and for one that failed where and with what values. It ends with code 1 if any failed.
 */
export const TEST_RUNNER_PROGRAM = String.raw`"""Runs tests without pytest: python3 run_tests.py script.py [tests.py]"""
import ast
import contextlib
import importlib.util
import inspect
import io
import linecache
import sys
import textwrap
import traceback
import unittest
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here))
sys.dont_write_bytecode = True
script = here / sys.argv[1]


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    with contextlib.redirect_stdout(io.StringIO()):
        spec.loader.exec_module(module)
    return module


def describe(error):
    """The error in one line, then the places of our own files it came through."""
    text = " ".join(str(error).split("\n")[0].split())
    lines = [f"{type(error).__name__}: {text}"]
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).parent == here and Path(frame.filename).name != Path(__file__).name:
            last = frame.end_lineno or frame.lineno
            source = " ".join(linecache.getline(frame.filename, n).strip() for n in range(frame.lineno, last + 1))
            lines.append(f"  at {Path(frame.filename).name}:{frame.lineno} in {frame.name}: {source}")
    if isinstance(error, SyntaxError) and error.filename:
        lines.append(f"  at {Path(error.filename).name}:{error.lineno} in <module>: {(error.text or '').strip()}")
    return lines


def seen_in(function):
    """Names of the script's functions that a test calls, and of the exceptions it waits for."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return [], []
    calls, expected = [], []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name in defined and name not in calls:
            calls.append(name)
        if name in ("assertRaises", "raises") and node.args and isinstance(node.args[0], ast.Name):
            expected.append(node.args[0].id)
    return calls, expected


def tests_in(module):
    for case in unittest.defaultTestLoader.loadTestsFromModule(module):
        for test in case:
            yield test.id().split(".")[-1], test, getattr(test, test._testMethodName, None)
    for name, value in list(vars(module).items()):
        if name.startswith("test") and inspect.isfunction(value):
            yield name, unittest.FunctionTestCase(value), value


class Outcome(unittest.TestResult):
    error = None

    def addError(self, test, failure):
        self.error = failure[1]

    addFailure = addError

    def addSubTest(self, test, subtest, failure):
        if failure is not None:
            self.error = self.error or failure[1]


try:
    tested = load(script)
    defined = {n.name for n in ast.walk(ast.parse(script.read_text(encoding="utf-8"))) if isinstance(n, ast.FunctionDef)}
    tests = list(tests_in(load(here / sys.argv[2]))) if len(sys.argv) > 2 else None
except BaseException as error:
    print("BROKEN " + "\n".join(describe(error)))
    sys.exit(1)
if tests is None:
    print("The script loads without an error; there are no tests.")
    sys.exit(0)

passed = failed = 0
for name, test, function in tests:
    outcome = Outcome()
    with contextlib.redirect_stdout(io.StringIO()):
        test.run(outcome)
    if outcome.error is None:
        passed += 1
        print(f"ok {name}")
        continue
    failed += 1
    print(f"FAIL {name} " + "\n".join(describe(outcome.error)))
    calls, expected = seen_in(function)
    print(f"  calls {', '.join(calls) or 'nothing of the script'}")
    if expected:
        print(f"  expects {', '.join(expected)}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
`;
