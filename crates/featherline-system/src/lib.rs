//! Dynamics and sensing as one sparse linear system, whose order of elimination is chosen offline.
