//! The operations.

use super::Value;

/// One operation of a graph. Operands stand before the node.
///
/// In a sum, a product, a difference and a quotient the operands have no sign, since it has been
/// moved outward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    /// The input of this number.
    Input(u32),
    /// The bits of a constant whose sign bit is not set.
    Constant(u64),
    /// a + b, the smaller node first.
    Add(Value, Value),
    /// a − b, the smaller node first.
    Sub(Value, Value),
    /// a · b, the smaller node first.
    Mul(Value, Value),
    /// a / b.
    Div(Value, Value),
    /// The square root.
    Sqrt(Value),
    /// The sine of an angle in radians.
    Sin(Value),
    /// The cosine.
    Cos(Value),
    /// The angle of the vector (second, first).
    Atan2(Value, Value),
    /// The absolute value.
    Abs(Value),
    /// a if a < b, else b.
    Min(Value, Value),
    /// a if b < a, else b.
    Max(Value, Value),
    /// The third if the first is less than the second, else the fourth.
    Select([Value; 4]),
}

impl Node {
    /// The operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = Value> + use<> {
        let (operands, count) = match *self {
            Self::Input(_) | Self::Constant(_) => ([Value::of_node(0); 4], 0),
            Self::Sqrt(a) | Self::Sin(a) | Self::Cos(a) | Self::Abs(a) => ([a; 4], 1),
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Div(a, b)
            | Self::Atan2(a, b)
            | Self::Min(a, b)
            | Self::Max(a, b) => ([a, b, a, a], 2),
            Self::Select(operands) => (operands, 4),
        };
        operands.into_iter().take(count)
    }
}
