"""What a `System` tells besides solutions and estimates: diagnosis, tests of sensors, its matrix, costs."""

from featherline._native import (
    Advice,
    Assembly,
    BlockTriangularForm,
    ChiSquare,
    Configuration,
    Diagnosis,
    Innovations,
    OperationCount,
    Outlier,
    Pattern,
    Samples,
    Suspect,
)

__all__ = [
    "Advice", "Assembly", "BlockTriangularForm", "ChiSquare", "Configuration", "Diagnosis", "Innovations",
    "OperationCount", "Outlier", "Pattern", "Samples", "Suspect",
]  # fmt: skip
