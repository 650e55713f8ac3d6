"""Events: elementary discourse units and structured chunks with their arguments (EMem, §3.2 and appendix A)."""

from __future__ import annotations

from .arguments import arguments
from .base import Argument, Event
from .checking import checked
from .offline import events

__all__ = ["Argument", "Event", "arguments", "checked", "events"]
