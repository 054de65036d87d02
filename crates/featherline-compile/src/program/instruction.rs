//! The instructions of a program.

use serde::{Deserialize, Serialize};

/// The place of a number in the memory of the interpreter.
pub(crate) type Slot = u32;

/// One step of a program. Numbers are in slots; a step may write to a slot that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Instruction {
    /// Takes an input.
    Load { to: Slot, input: u32 },
    /// Gives an output.
    Store { output: u32, from: Slot },
    /// a + b.
    Add { to: Slot, a: Slot, b: Slot },
    /// a − b.
    Sub { to: Slot, a: Slot, b: Slot },
    /// a · b.
    Mul { to: Slot, a: Slot, b: Slot },
    /// a · b + c, rounded once.
    MulAdd { to: Slot, a: Slot, b: Slot, c: Slot },
    /// a · b − c, rounded once.
    MulSub { to: Slot, a: Slot, b: Slot, c: Slot },
    /// c − a · b, rounded once.
    NegMulAdd { to: Slot, a: Slot, b: Slot, c: Slot },
    /// a / b.
    Div { to: Slot, a: Slot, b: Slot },
    /// −a.
    Neg { to: Slot, a: Slot },
    /// The square root.
    Sqrt { to: Slot, a: Slot },
    /// Sine and cosine of an angle in radians.
    SinCos { sin: Slot, cos: Slot, a: Slot },
    /// The angle of the vector (b, a).
    Atan2 { to: Slot, a: Slot, b: Slot },
    /// The absolute value.
    Abs { to: Slot, a: Slot },
    /// a if a < b, else b.
    Min { to: Slot, a: Slot, b: Slot },
    /// a if b < a, else b.
    Max { to: Slot, a: Slot, b: Slot },
    /// `yes` if a < b, else `no`.
    Select {
        to: Slot,
        a: Slot,
        b: Slot,
        yes: Slot,
        no: Slot,
    },
}

impl Instruction {
    /// The slots that are written.
    pub fn results(&self) -> impl Iterator<Item = Slot> + use<> {
        let (slots, count) = match *self {
            Self::Store { .. } => ([0; 2], 0),
            Self::SinCos { sin, cos, .. } => ([sin, cos], 2),
            Self::Load { to, .. }
            | Self::Add { to, .. }
            | Self::Sub { to, .. }
            | Self::Mul { to, .. }
            | Self::MulAdd { to, .. }
            | Self::MulSub { to, .. }
            | Self::NegMulAdd { to, .. }
            | Self::Div { to, .. }
            | Self::Neg { to, .. }
            | Self::Sqrt { to, .. }
            | Self::Atan2 { to, .. }
            | Self::Abs { to, .. }
            | Self::Min { to, .. }
            | Self::Max { to, .. }
            | Self::Select { to, .. } => ([to; 2], 1),
        };
        slots.into_iter().take(count)
    }

    /// The slots that are read, some perhaps twice.
    pub fn operands(&self) -> impl Iterator<Item = Slot> + use<> {
        let (slots, count) = match *self {
            Self::Load { .. } => ([0; 4], 0),
            Self::Store { from, .. } => ([from; 4], 1),
            Self::Neg { a, .. }
            | Self::Sqrt { a, .. }
            | Self::SinCos { a, .. }
            | Self::Abs { a, .. } => ([a; 4], 1),
            Self::Add { a, b, .. }
            | Self::Sub { a, b, .. }
            | Self::Mul { a, b, .. }
            | Self::Div { a, b, .. }
            | Self::Atan2 { a, b, .. }
            | Self::Min { a, b, .. }
            | Self::Max { a, b, .. } => ([a, b, a, a], 2),
            Self::MulAdd { a, b, c, .. }
            | Self::MulSub { a, b, c, .. }
            | Self::NegMulAdd { a, b, c, .. } => ([a, b, c, a], 3),
            Self::Select { a, b, yes, no, .. } => ([a, b, yes, no], 4),
        };
        slots.into_iter().take(count)
    }

    /// The same step with other slots: `read` for each operand, then `write` for each result.
    pub fn renamed(
        mut self,
        mut read: impl FnMut(Slot) -> Slot,
        mut write: impl FnMut(Slot) -> Slot,
    ) -> Self {
        match &mut self {
            Self::Load { to, .. } => *to = write(*to),
            Self::Store { from, .. } => *from = read(*from),
            Self::SinCos { sin, cos, a } => {
                *a = read(*a);
                *sin = write(*sin);
                *cos = write(*cos);
            }
            Self::Neg { to, a } | Self::Sqrt { to, a } | Self::Abs { to, a } => {
                *a = read(*a);
                *to = write(*to);
            }
            Self::Add { to, a, b }
            | Self::Sub { to, a, b }
            | Self::Mul { to, a, b }
            | Self::Div { to, a, b }
            | Self::Atan2 { to, a, b }
            | Self::Min { to, a, b }
            | Self::Max { to, a, b } => {
                (*a, *b) = (read(*a), read(*b));
                *to = write(*to);
            }
            Self::MulAdd { to, a, b, c }
            | Self::MulSub { to, a, b, c }
            | Self::NegMulAdd { to, a, b, c } => {
                (*a, *b, *c) = (read(*a), read(*b), read(*c));
                *to = write(*to);
            }
            Self::Select { to, a, b, yes, no } => {
                (*a, *b) = (read(*a), read(*b));
                (*yes, *no) = (read(*yes), read(*no));
                *to = write(*to);
            }
        }
        self
    }
}
