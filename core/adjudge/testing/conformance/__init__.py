"""What every component must keep: one class per kind, to be subclassed in a test module.

```python
class TestHelpful(CriterionConformance):
    component = "acme/helpful"
    config = {"words": ["please"]}
```

The methods are tests. They need no pytest, so ``adjudge plugins check`` runs them too.
"""

from adjudge.testing.conformance.agents import AgentAdapterConformance
from adjudge.testing.conformance.component import ComponentConformance
from adjudge.testing.conformance.criteria import CriterionConformance, criterion_conformance
from adjudge.testing.conformance.judging import GranularityStrategyConformance, JudgeBackendConformance
from adjudge.testing.conformance.readers import TraceReaderConformance
from adjudge.testing.conformance.reporters import ReporterConformance
from adjudge.testing.conformance.simulators import UserSimulatorConformance

__all__ = [
    "AgentAdapterConformance",
    "ComponentConformance",
    "CriterionConformance",
    "GranularityStrategyConformance",
    "JudgeBackendConformance",
    "ReporterConformance",
    "TraceReaderConformance",
    "UserSimulatorConformance",
    "criterion_conformance",
]
