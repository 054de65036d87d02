"""Functions that Pinocchio has under old names: 4.1 has none."""
