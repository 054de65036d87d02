"""What all tests share."""

import signal

import pytest


@pytest.fixture(autouse=True)
def interrupts_are_delivered():
    """Tests that interrupt long calls also work where the shell has switched Ctrl-C off."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
