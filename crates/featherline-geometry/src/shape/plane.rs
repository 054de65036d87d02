//! Planes.

/// The plane z = 0 with its normal along z. Below it is the solid half-space, which has no mass.
///
/// A plane elsewhere is this one, placed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plane;
