"""All probes of attributes."""

from __future__ import annotations

import bodies
import contact
import loops
import settings
import tendons
from actuators import actuators
from scene import Probes

ALL: Probes = [*bodies.PROBES, *contact.PROBES, *tendons.PROBES, *loops.PROBES, *settings.PROBES, *actuators()]
