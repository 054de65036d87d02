//! Events: instants at which a function of the state passes through zero.

mod crossings;
mod detector;

pub(super) use detector::{EventDetector, TimedState};

use featherline::words::Words;
use std::fmt;
use std::ops::ControlFlow;

/// Which passages through zero count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From either side.
    #[default]
    Either,
    /// From below.
    Rising,
    /// From above.
    Falling,
}

impl Words for Direction {
    const WHAT: &'static str = "direction";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("either", Self::Either),
        ("rising", Self::Rising),
        ("falling", Self::Falling),
    ];
}

/// The state at an event, whose velocity an action may change: an impact.
#[derive(Debug)]
pub struct Occurrence<'a> {
    /// The time, in s.
    pub t: f64,
    /// The configuration, nq entries.
    pub q: &'a [f64],
    /// The velocity, nv entries. An impulse of the loop joints removes the part of a new velocity
    /// that loops do not allow; bodies stay where they are.
    pub v: &'a mut [f64],
}

/// A function of time, configuration (nq entries) and velocity (nv entries).
type Function<'m> = Box<dyn FnMut(f64, &[f64], &[f64]) -> f64 + 'm>;

/// The action where the function passes through zero.
type Action<'m> = Box<dyn FnMut(&mut Occurrence<'_>) -> ControlFlow<()> + 'm>;

/// Something that happens where a function of the state passes through zero, in a
/// [`Simulation`](super::Simulation).
///
/// Signs are compared at the ends of steps, and the passage is then found within the step to
/// rounding of the time: by steps from its beginning that are shorter, for methods of steps of
/// given length; by the method's dense output, for Dormand-Prince; for the variational integrators
/// by the cubic through both ends
/// ([`DenseOutput::between`](crate::integrator::DenseOutput::between)), whose error is of higher
/// order than theirs. A function that passes through zero twice within a step goes unseen: steps
/// must be short against the time between events. A function that is zero at the start, or was
/// changed by an event to have another sign, has not passed.
///
/// An event is recorded as a sample, of the state in which it finds the robot, and then its action
/// is taken. Where that changes the velocity, the changed state is recorded as well
/// ([`Recorder::record_change`](super::Recorder::record_change)), and the motion goes on from it in
/// steps that end where they would have ended. Events that change nothing leave the motion as it
/// is, to the last bit where steps have a given length. Simulations without events are not slower
/// for them.
///
/// An event is an instant, no contact: an action that leaves a ball at rest on the ground, or
/// bounces that become ever shorter, are an error
/// ([`SimulationError::EventRests`](super::SimulationError::EventRests)).
///
/// ```
/// use featherline_sim::integrator::RungeKutta4;
/// use featherline::joint::JointKind;
/// use featherline::model::{JointSpec, ModelBuilder};
/// use featherline_sim::simulation::{Event, Method, Occurrence, Simulator};
/// use featherline::spatial::{Inertia, Se3, Vec3};
/// use std::ops::ControlFlow;
///
/// // A ball on a vertical slide, which keeps half of its speed when it meets the ground, thrice.
/// let mut builder = ModelBuilder::new("ball");
/// let slide = JointSpec::new("slide", ModelBuilder::UNIVERSE, JointKind::prismatic_z());
/// let slide = builder.add_joint(slide);
/// let ball = Inertia::cuboid(1.0, Vec3::new(0.1, 0.1, 0.1));
/// builder.add_body(slide, "ball", Se3::identity(), ball);
/// let model = builder.build()?.model;
/// let mut bounces = Vec::new();
/// let ground = Event::new("ground", |_t, q, _v| q[0]).falling().then(|at: &mut Occurrence<'_>| {
///     at.v[0] *= -0.5;
///     bounces.push(at.t);
///     if bounces.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// });
/// let method = Method::steps(RungeKutta4::new(&model), 0.01)?;
/// let simulator = Simulator::new(&model, method).with_event(ground);
/// let mut simulation = simulator.start(0.0, &[1.0], &[0.0])?;
/// simulation.run(10.0, 0.1, &mut ())?;
/// assert_eq!(simulation.stopped_by(), Some("ground"));
/// drop(simulation);
/// // Down √(2 h/g), then half of that up and down again, and a quarter.
/// let fall = (2.0_f64 / 9.81).sqrt();
/// for (found, expected) in bounces.iter().zip([fall, 2.0 * fall, 2.5 * fall]) {
///     assert!((found - expected).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Event<'m> {
    pub(super) name: String,
    pub(super) function: Function<'m>,
    pub(super) direction: Direction,
    pub(super) action: Action<'m>,
}

impl<'m> Event<'m> {
    /// The passages of a function of (t, q, v) through zero, from either side, which are recorded
    /// and otherwise left alone.
    pub fn new(
        name: impl Into<String>,
        function: impl FnMut(f64, &[f64], &[f64]) -> f64 + 'm,
    ) -> Self {
        Self {
            name: name.into(),
            function: Box::new(function),
            direction: Direction::Either,
            action: Box::new(|_| ControlFlow::Continue(())),
        }
    }

    /// The same, from below alone.
    pub fn rising(self) -> Self {
        self.of(Direction::Rising)
    }

    /// The same, from above alone.
    pub fn falling(self) -> Self {
        self.of(Direction::Falling)
    }

    /// The same, in a direction that was chosen while the program runs.
    pub fn of(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// The same; the run ends with it.
    pub fn stopping(self) -> Self {
        self.then(|_: &mut Occurrence<'_>| ControlFlow::Break(()))
    }

    /// The same with an action, which may change the velocity, and says by `Break` if the run shall
    /// end.
    pub fn then(mut self, action: impl FnMut(&mut Occurrence<'_>) -> ControlFlow<()> + 'm) -> Self {
        self.action = Box::new(action);
        self
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("name", &self.name)
            .field("direction", &self.direction)
            .finish_non_exhaustive()
    }
}
