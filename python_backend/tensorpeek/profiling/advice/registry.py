"""All rules, and what they say of a record."""

from __future__ import annotations

from tensorpeek.contract.messages import Profile, ProfileAdvice
from tensorpeek.profiling.advice.anomaly_mode import AnomalyMode
from tensorpeek.profiling.advice.data_bound import DataBound
from tensorpeek.profiling.advice.host_syncs import HostSyncs
from tensorpeek.profiling.advice.list_of_arrays import ListOfArrays
from tensorpeek.profiling.advice.many_calls import ManyCalls
from tensorpeek.profiling.advice.memory_growth import MemoryGrowth
from tensorpeek.profiling.advice.rule import Rule
from tensorpeek.profiling.advice.workers_respawned import WorkersRespawned

RULES: tuple[Rule, ...] = (
    DataBound(),
    WorkersRespawned(),
    ListOfArrays(),
    AnomalyMode(),
    HostSyncs(),
    ManyCalls(),
    MemoryGrowth(),
)


def advise(profile: Profile) -> list[ProfileAdvice]:
    """The most expected gain first."""
    found = [advice for rule in RULES for advice in rule.look(profile)]
    return sorted(found, key=lambda advice: -advice["gain"])
