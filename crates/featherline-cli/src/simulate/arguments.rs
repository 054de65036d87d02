//! The arguments of `simulate`.

use crate::choice::words;
use crate::failure::Failure;
use crate::file;
use crate::format::Format;
use crate::list::List;
use crate::robot::RobotArguments;
use crate::states::{StateArguments, sized};
use clap::Args;
use featherline::Model;
use featherline_formats::description::{FrictionLaw, ImpactLaw};
use featherline_sim::setup::{Controls, Ground, Setup, Stops};
use featherline_sim::simulation::{ControllerName, LoopKeepingName, MethodName};
use std::path::PathBuf;
use std::str::FromStr;

pub const HELP: &str = "\
Without --q and --v, a scene begins with the state that its file gives. A robot begins at rest, in \
its configuration `home` if it has one, as panda, quadruped and humanoid have it, else in its \
neutral one (MJCF: qpos0), within its limits and with its loops closed. --configuration names another configuration, such as a keyframe. \
With one of --q and --v, the other is as without both, or zero.

What touches, limits of joints and dry friction act by default, with dampers and springs of the \
joints: by time stepping, whose impulses are exact. What sticks does not creep, and what slides \
does not lift off. A robot whose base floats is put on a ground (friction 0.8), and its \
joints are held; --no-ground lets it fall. What MJCF or a scene has to stand on is its ground. \
--ground HEIGHT puts a ground below any robot, such as an arm, and --friction MU is the friction of \
all contacts. Shapes that overlap wherever their joints are do not touch each other; JSON lists them in \
`decision`. Another --integrator has neither contact nor limits, unless --limits adds stops.

Damping, dry friction and springs of the joints always act, unless --passive=false leaves them out. \
Of other methods than time-stepping friction f is smooth at rest, f v/√(v² + w²) with w = 0.01 \
rad/s (m/s): under a load τ below f, the joint creeps at w τ/√(f² − τ²).

--limits: stops, springs and dampers that act beyond the joints' limits. Without numbers, each \
joint has its own: k = m/T² and d = 2 m/T with T = 20 steps (of dormand-prince: of --step, or of 1 \
ms) and the inertia m that the joint feels when all others are free. Such stops are as stiff as \
the step allows, not as the robot's: in steps of 1 ms, arms that fall go 0.2 to 0.6 rad beyond \
their limits. Half the step makes them four times as stiff. --limits=K,D gives all stops a \
stiffness and a damping, --limits=JOINT:K,D those of one joint; both may be given, and JOINT:K,D \
several times. Half of k and d acts 0.001 rad (m) beyond the limit. Without --limits, nothing acts \
at limits. Joints that leave their limits (with stops: by more than 0.01) are reported at the end.

Controllers:
  none     no joint forces
  gravity  joint forces carry the weight; a floating base is not driven and
           falls
  pd       springs and dampers towards --goal, critically damped for each
           joint, with compensation of gravity
  hold     drives that hold the joints where they begin, within 0.01 rad (1 mm)
           under the robot's weight and up to their effort; of time-stepping
  actuators  motors, springs and dampers that the file has (MJCF) on single joints,
           and thrusters at sites, with --controls, else with those of the
           configuration that is begun with (ctrl of a keyframe), else zero;
           other robots of a scene are held; of time-stepping. It is the
           default where a file has such actuators

They drive every coordinate except a floating base; in robots with loops also joints without \
motors and the platform of a hexapod. A goal at which loops are open is reported: the robot rests \
between it and what they allow.

Steps are shortened to end at samples. dormand-prince chooses its own steps by --tolerance, at \
most --step and --every. implicit-midpoint is for stiff springs, dampers and controllers. \
variational is for long motions of trees, maximal-variational for those of robots with loops: \
their energy does not drift. With the other methods, robots with loops move in the coordinates of \
their tree, and a projection closes the loops after each step.

A recording has a row for each sample: t, q, v, tau (of controller and drives), energies, momentum about \
the centre of mass, loop errors; of time stepping also residual, penetration, work and losses, and \
contacts: in csv and parquet the force on each link that can touch something and its point, in jsonl \
and mcap every contact. The extension selects the format: csv and jsonl, and with the \
features of these names parquet and mcap (messages of JSON on /robot, and for Foxglove on /tf and \
/scene).

--loops: the worst opening of each loop joint, in m and rad, and its time, at the end as a table \
or as `loops` in JSON. --loops=HOW also selects how loops are kept closed.

At the end: curves of energy, momentum, loop error and contact (normal force, slip, penetration) on a \
terminal or in --plot (feature plots), and their errors; of time stepping the deepest penetration, \
how many steps were not exact, what friction and impacts took, and the contact forces at the end (in \
JSON under `contact`). Energy errors are relative to the greatest kinetic energy of samples whose \
energy is at least half correct; of robots that float freely, to that about the centre of mass, \
and the energy error of the centre of mass itself is center_energy_error. The drift is the slope \
of a straight line through the energy, with its standard error. energy_should_stay says whether \
nothing but gravity acted; if so, an error above 10 % is reported.

An option that has no effect beside the others is an error.

Examples:
  featherline simulate double_pendulum --q 1,0.5 --seconds 1000 --integrator variational
  featherline simulate quadruped --view
  featherline simulate panda --controller pd --goal 0,-0.8,0,-2.4,0,1.6,0.8
  featherline simulate arm.xml --controls shoulder=0.5,elbow=-1
  featherline simulate panda --record panda.csv
  featherline simulate panda --view --seconds 30
  featherline simulate panda --ground 0 --friction 0.5
  featherline simulate stewart --loops --limits --plot stewart.svg
  featherline simulate panda --limits=1e4,100 --limits=panda_joint7:100,1
  featherline simulate four_bar --integrator maximal-variational --step 0.01
  featherline simulate four_bar --q 0.4,0,0 --assemble --format jsonl";

#[derive(Clone, Debug, Args)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub robot: RobotArguments,

    /// The duration, in s
    #[arg(
        long,
        alias = "duration",
        value_name = "S",
        allow_negative_numbers = true
    )]
    #[arg(default_value_t = 10.0)]
    pub seconds: f64,

    /// The longest step, in s, at most the time between samples [default: 0.001; 0.0002 for
    /// symplectic-euler; 0.1 for dormand-prince; of time-stepping the file's, if MJCF states one]
    #[arg(long, visible_alias = "dt", value_name = "H")]
    #[arg(allow_negative_numbers = true)]
    pub step: Option<f64>,

    /// The method of integration [default: time-stepping for what touches things or has limits, dry
    /// friction or drives, else runge-kutta-4, or dormand-prince with --tolerance]
    #[arg(long, visible_alias = "method", value_parser = words::<MethodName>(), value_name = "NAME")]
    pub integrator: Option<MethodName>,

    /// The error of a step of dormand-prince, absolute and relative [default: 1e-9], or by how much
    /// what moves may miss the laws of contact of time-stepping, relative to its speed [default:
    /// 1e-6]
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub tolerance: Option<f64>,

    /// The controller that drives the joints [default: the actuators of an MJCF file; hold for a
    /// robot without that is put on the ground or is in a scene; else none]
    #[arg(long, value_parser = words::<ControllerName>(), value_name = "NAME")]
    pub controller: Option<ControllerName>,

    /// The controls of the file's actuators, one for each in its order, or by name as
    /// shoulder=0.5,elbow=1 [default: those of the configuration, else zero]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub controls: Option<ControlList>,

    /// No ground below a robot whose base floats: it falls
    #[arg(long)]
    pub no_ground: bool,

    /// A ground at this height in m, below a robot of any kind, such as an arm [default: at 0 below
    /// a robot whose base floats]
    #[arg(long, value_name = "HEIGHT", value_parser = height, allow_negative_numbers = true)]
    #[arg(conflicts_with = "no_ground")]
    pub ground: Option<f64>,

    /// The coefficient of friction of all contacts [default: those of the file, 0.8 where it has
    /// none]
    #[arg(long, value_name = "MU", value_parser = friction)]
    #[arg(allow_negative_numbers = true)]
    pub friction: Option<f64>,

    /// The law of contact and friction: by `convex`, a relaxation, what slides lifts off [default:
    /// that of the scene, exact unless it says otherwise]
    #[arg(long, value_parser = words::<FrictionLaw>(), value_name = "NAME")]
    pub friction_law: Option<FrictionLaw>,

    /// The law of impacts with restitution: each contact by itself, or `reflections`, which gain no
    /// energy and hand an impact on [default: that of the scene, newton unless it says otherwise]
    #[arg(long, value_parser = words::<ImpactLaw>(), value_name = "NAME")]
    pub impact_law: Option<ImpactLaw>,

    /// The configuration that pd goes to, nq numbers [default: where the robot begins by itself]
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub goal: Option<List>,

    /// The natural frequency of pd, in Hz [default: 1]
    #[arg(long, value_name = "F", allow_negative_numbers = true)]
    pub frequency: Option<f64>,

    #[command(flatten)]
    pub state: StateArguments,

    /// Begin at a nearby state in which all loops are closed, found by Gauss-Newton steps of least
    /// norm
    #[arg(long)]
    pub assemble: bool,

    /// Whether damping, dry friction and springs of the joints act; of methods other than
    /// time-stepping friction is smooth, and creeps at rest [default: true]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    pub passive: Option<bool>,

    /// Let controllers and drives give more than the joints' limits of effort; force ranges of
    /// actuators stay
    #[arg(long)]
    pub no_effort_limits: bool,

    /// Add stops at the joints' limits, with the stiffness in N·m/rad (N/m) and the damping in
    /// N·m·s/rad (N·s/m) of all joints or of one, or each joint with its own; may be given several
    /// times
    #[arg(long, value_name = "[JOINT:]K,D", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "")]
    pub limits: Vec<Stop>,

    /// Report the worst opening of each loop; with =HOW also select how loops are kept closed: by
    /// projection after each step (the default), by forces (stabilisation), or both
    #[arg(long, value_name = "HOW", value_parser = words::<LoopKeepingName>())]
    #[arg(num_args = 0..=1, require_equals = true)]
    pub loops: Option<Option<LoopKeepingName>>,

    /// The time between samples, in s [default: 0.01, or the step if it is longer]
    #[arg(long, value_name = "DT", allow_negative_numbers = true)]
    pub every: Option<f64>,

    /// Record every sample in a file: .csv, .jsonl, .parquet or .mcap
    #[arg(long, value_name = "FILE", value_parser = file::written())]
    pub record: Option<PathBuf>,

    /// Draw energy, momentum, loop error and contact in a file: .svg
    #[arg(long, value_name = "FILE", value_parser = file::written())]
    pub plot: Option<PathBuf>,

    /// Show the motion in the browser, in real time, and stay until Ctrl-C (feature view)
    #[arg(long)]
    pub view: bool,

    /// Of --view: print the address of the page, and open nothing
    #[cfg(feature = "view")]
    #[arg(long, requires = "view")]
    pub no_open: bool,

    /// Text, or one line of JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl SimulateArguments {
    /// The setup that these arguments ask for; lists of the wrong length are refused.
    pub fn setup(&self, model: &Model) -> Result<Setup, Failure> {
        let list = |option, list: &Option<List>, (name, size): (&str, usize)| {
            let list = list.as_deref();
            let size_of = format!("{name} = {size}");
            let read = |list| sized(option, Some(list), vec![0.0; size], model, &size_of);
            list.map(read).transpose()
        };
        let (nq, nv) = (("nq", model.nq()), ("nv", model.nv()));
        let state = &self.state;
        Ok(Setup {
            method: self.integrator,
            step: self.step,
            tolerance: self.tolerance,
            configuration: state.named(model)?.map(str::to_owned),
            q: list("--q", &state.q, nq)?,
            v: list("--v", &state.v, nv)?,
            assemble: self.assemble.then_some(true),
            ground: match (self.ground, self.no_ground) {
                (Some(height), _) => Ground::At(height),
                (None, true) => Ground::None,
                (None, false) => Ground::Auto,
            },
            friction: self.friction,
            friction_law: self.friction_law,
            impact_law: self.impact_law,
            controls: self.controls.as_ref().map(|it| it.0.clone()),
            controller: self.controller,
            goal: list("--goal", &self.goal, nq)?,
            frequency: self.frequency,
            passive: self.passive,
            effort_limits: self.no_effort_limits.then_some(false),
            stops: self.stops(),
            loops: self.loops.flatten(),
            ..Setup::default()
        })
    }

    fn stops(&self) -> Option<Stops> {
        let mut all = Stops::default();
        for stop in &self.limits {
            match stop {
                Stop::Own => {}
                Stop::OfAll(both) => all.of_all = Some(*both),
                Stop::OfJoint(joint, both) => all.of_joints.push((joint.clone(), *both)),
            }
        }
        (!self.limits.is_empty()).then_some(all)
    }
}

/// The height of a ground, in m.
fn height(text: &str) -> Result<f64, String> {
    let height = text.parse().ok().filter(|it: &f64| it.is_finite());
    height.ok_or_else(|| "a finite height in m is needed, such as 0 or -0.4".into())
}

/// A coefficient of friction.
fn friction(text: &str) -> Result<f64, String> {
    let friction = text.parse().ok();
    let friction = friction.filter(|it: &f64| it.is_finite() && *it >= 0.0);
    friction.ok_or_else(|| "a finite number not below zero is needed, such as 0.8".into())
}

/// Controls of actuators, in the order of the file or by name.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlList(pub Controls);

impl FromStr for ControlList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.contains('=') {
            let list: List = text.parse()?;
            return Ok(Self(Controls::All(list.to_vec())));
        }
        let named = text.split(',').map(|part| {
            let (name, number) = part.rsplit_once('=')?;
            Some((name.trim().to_owned(), number.trim().parse().ok()?))
        });
        let named: Vec<(String, f64)> = named.collect::<Option<_>>().ok_or(
            "names and numbers are needed, separated by commas, such as shoulder=0.5,elbow=1",
        )?;
        for (index, (name, _)) in named.iter().enumerate() {
            if named[..index].iter().any(|it| it.0 == *name) {
                return Err(format!("`{name}` has two controls; give it one"));
            }
        }
        Ok(Self(Controls::Named(named)))
    }
}

/// The stops of joint limits: stiffness in N·m/rad (N/m) and damping in N·m·s/rad (N·s/m).
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// Each joint's own.
    Own,
    OfAll((f64, f64)),
    OfJoint(String, (f64, f64)),
}

impl FromStr for Stop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::Own);
        }
        // The name of a joint may contain colons itself.
        let (joint, numbers) = match text.rsplit_once(':') {
            Some((joint, numbers)) => (Some(joint.to_owned()), numbers),
            None => (None, text),
        };
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let given = numbers.split_once(',').and_then(|(stiffness, damping)| {
            let both = (number(stiffness)?, number(damping)?);
            Some(match joint {
                Some(joint) => Self::OfJoint(joint, both),
                None => Self::OfAll(both),
            })
        });
        given.ok_or_else(|| {
            "two numbers are needed, stiffness and damping, such as 1e4,100 or elbow:1e4,100".into()
        })
    }
}
