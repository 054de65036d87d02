//! How a simulation keeps loops closed: stabilisation or projection.

use featherline::words::Words;
use featherline_constraint::Stabilisation;

/// The time in s in which forces close loops, of any step: so methods keep their order.
const TIME_TO_CLOSE: f64 = 0.02;

/// The least number of steps in which they do.
const STEPS_TO_CLOSE: f64 = 4.0;

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

    /// Forces that close loops within 20 ms, or four steps of `step` seconds if that is longer.
    pub fn pull(step: f64) -> Stabilisation {
        Stabilisation::critical(TIME_TO_CLOSE.max(STEPS_TO_CLOSE * step))
    }
}

/// How a simulation keeps loops closed, by its name.
///
/// ```
/// use featherline::words::Words;
/// use featherline_sim::simulation::LoopKeepingName;
///
/// let both = LoopKeepingName::from_word("both")?.in_steps_of(1e-3);
/// assert!(both.projection && both.stabilisation.damping > 0.0);
/// # Ok::<(), featherline::words::UnknownWord>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopKeepingName {
    /// [`LoopKeeping::default`].
    #[default]
    Projection,
    /// [`LoopKeeping::stabilised`] by [`LoopKeeping::pull`].
    Stabilisation,
    /// Both.
    Both,
}

impl Words for LoopKeepingName {
    const WHAT: &'static str = "way of keeping loops closed";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("projection", Self::Projection),
        ("stabilisation", Self::Stabilisation),
        ("both", Self::Both),
    ];
}

impl LoopKeepingName {
    /// The method of this name, in steps of `step` seconds.
    pub fn in_steps_of(self, step: f64) -> LoopKeeping {
        let pull = LoopKeeping::pull(step);
        match self {
            Self::Projection => LoopKeeping::default(),
            Self::Stabilisation => LoopKeeping::stabilised(pull),
            Self::Both => LoopKeeping {
                stabilisation: pull,
                projection: true,
            },
        }
    }
}
