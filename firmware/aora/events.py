"""The plain event maps as tables for a line's bytes: place by place, agents, events, codes."""

from aora import _tables
from aora.adapters import ADAPTERS
from aora.line import END_CODE

_agents = list(ADAPTERS)
agents = _tables.words(" ".join(_agents).encode())
events = [_tables.words(" ".join(ADAPTERS[agent]).encode()) for agent in _agents]
codes = [
    bytes([END_CODE if code == "end" else int(code) for code in ADAPTERS[agent].values()])
    for agent in _agents
]
