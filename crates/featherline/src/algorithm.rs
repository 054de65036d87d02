//! An algorithm for every scalar.

use crate::error::Error;
use crate::model::Model;
use crate::scalar::Scalar;
use crate::workspace::Workspace;

/// An algorithm for one state, written once for all scalars. `Batch::evaluate` runs it on as many
/// states as a register holds.
///
/// Everything that a model computes for any [`Scalar`] can be called in it: hybrid dynamics, the
/// Coriolis matrix, the kinematics of velocities and accelerations, Hessians, displacements of
/// configurations, and what is put together of them.
pub trait Algorithm: Sync {
    /// Computes the results of a state.
    ///
    /// `inputs` and `results` are those of the call, one row each. Implementations should be
    /// `#[inline(always)]`, so that arithmetic of their own has the lanes' instructions. It must
    /// not depend on what was computed before: neither on what `results` hold, nor on the
    /// workspace.
    ///
    /// # Errors
    /// Those of the model's methods. An error that one state has becomes its `BatchStatus`;
    /// one that all have (a wrong length, a frame of another model) is that of the call.
    fn run<S: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<S>,
        inputs: &[&[S]],
        results: &mut [&mut [S]],
    ) -> Result<(), Error>;
}
