"""What adjudge asks of every criterion."""

from adjudge.testing import criterion_conformance

TestExactMatch = criterion_conformance("text/exact_match")
TestExactMatchFolded = criterion_conformance(
    "text/exact_match", config={"ignore_case": True, "ignore_whitespace": True}
)
TestContains = criterion_conformance("text/contains")
TestContainsTexts = criterion_conformance("text/contains", config={"texts": ["order", "明日"]})
TestRegexMatch = criterion_conformance("text/regex_match", config={"pattern": r"\d+"})
TestJsonEqual = criterion_conformance("text/json_equal")
TestNumericTolerance = criterion_conformance("text/numeric_tolerance", config={"absolute": 0.5})
