"""Conformance tests: one class for each kind of component. Subclass it in a test module.

```python
class TestHelpful(CriterionConformance):
    component = "acme/helpful"
    config = {"words": ["please"]}
```

The methods are tests. They do not need pytest, so ``adjudge plugins check`` runs them too.
"""

from adjudge.testing.conformance.agents import AgentAdapterConformance
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.criteria import CriterionConformance, criterion_conformance
from adjudge.testing.conformance.judging import GranularityStrategyConformance, JudgeBackendConformance
from adjudge.testing.conformance.observers import ObserverConformance
from adjudge.testing.conformance.readers import TraceReaderConformance
from adjudge.testing.conformance.reporters import ReporterConformance
from adjudge.testing.conformance.simulators import UserSimulatorConformance

__all__ = [
    "AgentAdapterConformance",
    "ComponentConformance",
    "CriterionConformance",
    "GranularityStrategyConformance",
    "JudgeBackendConformance",
    "ObserverConformance",
    "ReporterConformance",
    "TraceReaderConformance",
    "UserSimulatorConformance",
    "criterion_conformance",
]
