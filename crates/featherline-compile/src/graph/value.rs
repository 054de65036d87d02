//! A use of a node.

use std::ops::Neg;

/// A node of a [`Graph`](super::Graph), or its negative.
///
/// Belongs to the graph that made it; in another one it would stand for another number, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);

impl Value {
    pub(crate) fn of_node(index: u32) -> Self {
        Self(index << 1)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The number of the node.
    pub(crate) fn node(self) -> u32 {
        self.0 >> 1
    }

    /// The number of the node, as an index.
    pub(crate) fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether this is the negative of the node.
    pub(crate) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The node without the sign.
    pub(crate) fn magnitude(self) -> Self {
        Self(self.0 & !1)
    }

    /// The negative where `negate` holds.
    pub(crate) fn negated_if(self, negate: bool) -> Self {
        Self(self.0 ^ u32::from(negate))
    }
}

impl Neg for Value {
    type Output = Self;
    fn neg(self) -> Self {
        self.negated_if(true)
    }
}
