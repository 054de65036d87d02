//! Upper bounds on the stiffness and damping of the applied forces.

/// Upper bounds on the stiffness and damping of the applied forces, which bound the steps of a
/// method: see [`Stability`](crate::integrator::Stability). Force models add to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceBounds {
    /// In N·m·s/rad (N·s/m), nv entries.
    pub damping: Box<[f64]>,
    /// In N·m/rad (N/m), nv entries.
    pub stiffness: Box<[f64]>,
}

impl ForceBounds {
    /// None, for so many coordinates.
    pub fn none(nv: usize) -> Self {
        Self {
            damping: vec![0.0; nv].into(),
            stiffness: vec![0.0; nv].into(),
        }
    }
}
