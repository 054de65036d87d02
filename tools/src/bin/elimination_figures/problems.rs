//! The problems of the figures.

use anyhow::{Context, Result};
use featherline::Model;
use featherline::model::{FrameKind, JointId};
use featherline::samples::tapered_chain;
use featherline_system::{
    Components, Known, KnownSet, KnownValue, Noise, Problem, Sensor, SensorFile, SensorKind,
    System, Template, Unknown,
};

/// A system, and what is asked of it.
pub struct Question {
    pub system: System,
    /// All unknowns.
    pub all: Template,
    /// Those that are asked for.
    pub requested: Template,
}

impl Question {
    fn new(problem: Problem, is_requested: impl Fn(&System, usize) -> bool) -> Result<Self> {
        let system = System::new(problem)?;
        let all = system.template()?;
        let columns = 0..system.unknowns().count();
        let requested = columns
            .map(|column| is_requested(&system, column))
            .collect();
        Ok(Self {
            requested: all.clone().requesting(requested)?,
            all,
            system,
        })
    }
}

fn accelerations(system: &System, column: usize) -> bool {
    system.unknowns().joint_accelerations().contains(&column)
}

fn torques(system: &System, column: usize) -> bool {
    system.unknowns().joint_forces().contains(&column)
}

/// Forward dynamics of the chain: q̈ is asked for.
pub fn forward(links: usize) -> Result<Question> {
    Question::new(
        Problem::forward_dynamics(tapered_chain(links)),
        accelerations,
    )
}

/// Inverse dynamics of the chain: τ is asked for.
pub fn inverse(links: usize) -> Result<Question> {
    Question::new(Problem::inverse_dynamics(tapered_chain(links)), torques)
}

/// Load cells at both ends of the chain: τ is asked for.
///
/// As in the published programs: no external forces but on the last link; of that one and of the
/// force in the first joint all but the moment about z is measured; q̈ is known of joints 3 to
/// N − 2.
pub fn load_cells(links: usize) -> Result<Question> {
    let model = tapered_chain(links);
    let joints: Vec<JointId> = model.joint_ids().collect();
    let last = joints[links - 1];
    let mut problem = Problem::new(model).external_forces_except(&[last], KnownValue::Zero);
    for &joint in &joints[2..links - 2] {
        problem.know(
            Known::JointAcceleration { joint, degree: 0 },
            KnownValue::Input,
        )?;
    }
    let components = Components::ANGULAR_Z.others();
    problem.know(
        Known::ExternalForce {
            joint: last,
            frame: None,
            components,
        },
        KnownValue::Input,
    )?;
    for component in components.iter() {
        let joint = joints[0];
        let force = Unknown::Force { joint, component };
        problem.add_sensor(Sensor::new(
            format!("base {component}"),
            SensorKind::Linear {
                terms: vec![(force, 1.0)],
            },
            Noise::Exact,
        ))?;
    }
    Question::new(problem, torques)
}

/// A humanoid on two feet on a slippery floor: of each foot's wrench all but the moment about the
/// normal is known, of the base that it is free and how it accelerates, and q̈ of all joints but
/// the ankles' pitch and roll; τ is asked for.
pub fn two_feet(model: Model) -> Result<Question> {
    let feet = ["left_ankle_roll", "right_ankle_roll"].map(|name| model.joint_id(name));
    let ankles = ["left_ankle_pitch", "right_ankle_pitch"].map(|name| model.joint_id(name));
    let (mut feet_ids, mut free) = (Vec::new(), Vec::new());
    for foot in feet {
        feet_ids.push(foot?);
    }
    free.extend(&feet_ids);
    for ankle in ankles {
        free.push(ankle?);
    }
    let base = model.joint_ids().next().context("a humanoid has joints")?;
    let joints: Vec<JointId> = model.joint_ids().collect();
    let soles: Vec<_> = feet_ids
        .iter()
        .map(|&foot| {
            let mut frames = model.frames().iter().enumerate();
            let sole = frames.find(|(_, frame)| {
                frame.joint == foot && frame.kind == FrameKind::Body && frame.name.contains("sole")
            });
            sole.map(|(_, frame)| frame.name.clone())
        })
        .collect();
    let mut problem =
        Problem::new(model.clone()).external_forces_except(&feet_ids, KnownValue::Zero);
    for &joint in &joints {
        for degree in 0..model.joint(joint).nv {
            if joint == base {
                problem.know(Known::JointForce { joint, degree }, KnownValue::Zero)?;
            }
            if !free.contains(&joint) {
                problem.know(
                    Known::JointAcceleration { joint, degree },
                    KnownValue::Input,
                )?;
            }
        }
    }
    for (foot, sole) in feet_ids.into_iter().zip(soles) {
        let frame = match sole {
            Some(name) => Some(model.frame_id(&name)?),
            None => None,
        };
        problem.know(
            Known::ExternalForce {
                joint: foot,
                frame,
                components: Components::ANGULAR_Z.others(),
            },
            KnownValue::Input,
        )?;
    }
    Question::new(problem, torques)
}

/// The same with sensors: the humanoid of `robots/humanoid-feet.toml` with load cells under its
/// feet, on a slippery floor, and q̈ of all joints but the four of the ankles known.
pub fn two_feet_on_load_cells(model: Model) -> Result<Question> {
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let floor = ["left", "right"].map(|side| {
        format!(
            "[[sensor]]\nname = \"{side}_floor\"\ntype = \"contact\"\nframe = \"{side}_sole\"\n\
             contact = \"slippery\"\n"
        )
    });
    let text = feet.replace("\"qdd\", ", "") + &floor.concat();
    let others = model.joint_ids();
    let others = others.filter(|&joint| !model.joint(joint).name.contains("ankle"));
    let known: Vec<KnownSet> = others.map(KnownSet::JointAcceleration).collect();
    let problem = SensorFile::read(&text, &model)?.problem(model, &known)?;
    Question::new(problem, torques)
}
