//! Square matrices that would not fit in memory.

use featherline::scalar::Scalar;
use featherline::{Model, Workspace};

/// The most bytes that matrices may take.
const MOST: u64 = 1_000_000_000;

/// Why there is no room for the matrices of a robot, if there is none.
pub fn no_room_for_matrices<S: Scalar>(model: &Model) -> Option<String> {
    let bytes = Workspace::<S>::matrix_bytes(model);
    (bytes > MOST).then(|| {
        format!(
            "with {} degrees of freedom, matrices would take {:.1} GB of memory, and there may be {:.1} GB; ask for \
             quantities that need none, such as tau, bias or qdd",
            model.nv(),
            bytes as f64 * 1e-9,
            MOST as f64 * 1e-9
        )
    })
}
