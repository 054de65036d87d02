//! How a simulation keeps loops closed: stabilisation or projection.

use featherline_constraint::Stabilisation;

/// How a simulation keeps the loops of a robot closed; of no meaning without loops, and for the
/// [variational integrator in maximal coordinates](super::Method::maximal_variational), which
/// closes them itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopKeeping {
    /// Forces that pull drifting loops together.
    pub stabilisation: Stabilisation,
    /// Whether configuration and velocity are put back on the loops: after each step, of given
    /// length or by a tolerance.
    pub projection: bool,
}

impl Default for LoopKeeping {
    /// Projection alone: loops closed to rounding, and no forces that are not the robot's.
    fn default() -> Self {
        Self {
            stabilisation: Stabilisation::NONE,
            projection: true,
        }
    }
}

impl LoopKeeping {
    /// Forces alone, which let the loops drift by as much as they can pull back. They ask for the
    /// gaps at each evaluation, projection only at the end of a step: of methods with several
    /// evaluations a step, projection is the cheaper.
    pub fn stabilised(stabilisation: Stabilisation) -> Self {
        Self {
            stabilisation,
            projection: false,
        }
    }
}
