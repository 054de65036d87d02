//! Warnings of a diagnosis: situations that have a name.

use super::{Diagnosis, rank_of};
use crate::error::SystemError;
use crate::problem::{Components, Contact, Noise, Sensor, SensorKind, Support};
use crate::system::{Switches, System};
use crate::unknown::Unknown;
use featherline::model::{FrameId, JointId};
use featherline::spatial::{Force, Mat3, Se3, Vec3};
use nalgebra::DMatrix;

/// A situation that has a name.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DiagnosisWarning {
    /// Wrenches of several contacts of which too little is measured to tell them apart where the
    /// contacts' frames are parallel (Nori 2017, Property 3). With load cells under the feet it is
    /// his Remark 5.
    ParallelContacts {
        /// The contacts.
        frames: Vec<FrameId>,
        /// The components that neither a sensor nor an assumption gives, for each contact.
        unmeasured: Vec<Components>,
        /// How many directions are open where the frames are parallel and their origins anywhere.
        open: usize,
        /// How many are open where the origins, too, lie in one plane normal to z, as on a flat
        /// floor.
        open_on_flat_floor: usize,
        /// How many are open where the frames are in general position.
        open_in_general: usize,
        /// Whether all that is measured of the contacts comes from load cells.
        load_cells: bool,
        /// The effects of assumptions about the floor.
        remedies: Vec<Remedy>,
    },
    /// Load cells that do not span their soles, where something is open.
    LoadCellsOnLine {
        /// Their names.
        sensors: Vec<String>,
    },
    /// Loops that hold what other joints hold, too, in every configuration that was looked at:
    /// components of their forces are open, and nothing else.
    RepeatedLoops {
        /// The columns of forces in loop joints that are not determined in any of the
        /// configurations.
        forces: Vec<usize>,
        /// How many independent directions are open at least.
        open: usize,
    },
    /// Joint forces and forces in loops that move nothing together: motions are determined, and may
    /// be driven in many ways.
    RedundantDrives {
        /// The columns of joint forces that are not determined in any of the configurations.
        forces: Vec<usize>,
        /// How many independent directions are open at least.
        open: usize,
    },
    /// Sensors that only check the given velocity.
    VelocityCheck {
        /// Their names.
        sensors: Vec<String>,
    },
    /// Accelerometers on bodies that are fixed to the world, which read gravity in every state.
    FixedAccelerometers {
        /// Their names.
        sensors: Vec<String>,
    },
}

/// The effect of an assumption about all contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Remedy {
    /// The assumption.
    pub contact: Contact,
    /// How many directions stay open in each of the configurations that were looked at, with their
    /// names.
    pub open: Vec<(String, usize)>,
}

pub(super) fn warnings(
    system: &System,
    switches: &Switches,
    diagnosis: &Diagnosis,
) -> Result<Vec<DiagnosisWarning>, SystemError> {
    let mut warnings = Vec::new();
    let sensors = system.problem().sensors().iter().enumerate();
    let on: Vec<&Sensor> = sensors
        .filter(|(k, _)| switches.is_on(crate::problem::SensorId(*k)))
        .map(|(_, sensor)| sensor)
        .collect();
    if let Some(warning) = parallel_contacts(system, &on, diagnosis)? {
        warnings.push(warning);
    }
    warnings.extend(open_loops(system, diagnosis));
    let named = |is_meant: &dyn Fn(&SensorKind) -> bool| -> Vec<String> {
        let meant = on.iter().filter(|sensor| is_meant(&sensor.kind));
        meant.map(|sensor| sensor.name.clone()).collect()
    };
    let on_line = named(&|kind| {
        matches!(kind, SensorKind::LoadCells { positions, .. }
            if Support::of(positions) != Support::Plane)
    });
    if !on_line.is_empty() && !diagnosis.is_solvable() {
        warnings.push(DiagnosisWarning::LoadCellsOnLine { sensors: on_line });
    }
    let velocity = named(&|kind| matches!(kind, SensorKind::Gyroscope { .. }));
    if !velocity.is_empty() {
        warnings.push(DiagnosisWarning::VelocityCheck { sensors: velocity });
    }
    let fixed = named(&|kind| {
        matches!(kind, SensorKind::Accelerometer { frame } | SensorKind::AngularAccelerometer { frame }
            if system.model().frame(*frame).joint == JointId::UNIVERSE)
    });
    if !fixed.is_empty() {
        warnings.push(DiagnosisWarning::FixedAccelerometers { sensors: fixed });
    }
    Ok(warnings)
}

/// The undetermined forces in loops, and joint forces beside them, wherever one looks.
fn open_loops(system: &System, diagnosis: &Diagnosis) -> Option<DiagnosisWarning> {
    let unknowns = system.unknowns();
    let samples = || diagnosis.samples.iter();
    let is_open = |column: &usize| samples().all(|sample| sample.undetermined.contains(column));
    let open = samples().map(|sample| sample.directions.len()).min()?;
    if diagnosis.leaves_loop_forces_open(system) {
        let loops = unknowns.loops().iter();
        let columns = loops.flat_map(|&joint| unknowns.loop_force(joint));
        let forces = columns.filter(is_open).collect();
        return Some(DiagnosisWarning::RepeatedLoops { forces, open });
    }
    let is_force = |unknown| {
        matches!(
            unknown,
            Unknown::Force { .. } | Unknown::LoopForce { .. } | Unknown::JointForce { .. }
        )
    };
    let forces = unknowns.joint_forces().filter(is_open).collect();
    let is_driven = diagnosis.leaves_open(system, is_force);
    is_driven.then_some(DiagnosisWarning::RedundantDrives { forces, open })
}

/// The components of an external force that a sensor or an assumption gives in its frame.
fn given(kind: &SensorKind) -> Option<Components> {
    Some(match kind {
        SensorKind::ExternalForce { components, .. } => *components,
        SensorKind::LoadCells { positions, .. } => Support::of(positions).components()?,
        SensorKind::TactileNormal { .. } => Components::LINEAR_Z,
        SensorKind::Contact { contact, .. } => contact.vanishing(),
        SensorKind::JointAcceleration { .. }
        | SensorKind::JointForce { .. }
        | SensorKind::ForceTorque { .. }
        | SensorKind::Accelerometer { .. }
        | SensorKind::Gyroscope { .. }
        | SensorKind::AngularAccelerometer { .. }
        | SensorKind::CentroidalMomentumRate { .. }
        | SensorKind::LoopForce { .. }
        | SensorKind::Linear { .. }
        | SensorKind::Sum { .. } => Components::NONE,
    })
}

/// Property 3 by numbers: the unmeasured wrenches H₁, X₂ H₂, … of all contacts act on the robot as
/// a whole; where the frames are parallel and the H leave out some force, they depend on each
/// other.
fn parallel_contacts(
    system: &System,
    sensors: &[&Sensor],
    diagnosis: &Diagnosis,
) -> Result<Option<DiagnosisWarning>, SystemError> {
    let mut contacts: Vec<(FrameId, Components, bool)> = Vec::new();
    for sensor in sensors {
        let Some(frame) = sensor.kind.external_force_frame() else {
            continue;
        };
        let Some(given) = given(&sensor.kind) else {
            return Ok(None);
        };
        let cells = matches!(sensor.kind, SensorKind::LoadCells { .. });
        match contacts.iter_mut().find(|contact| contact.0 == frame) {
            Some(contact) => {
                contact.1 = contact.1.and(given);
                contact.2 &= cells;
            }
            None => contacts.push((frame, given, cells)),
        }
    }
    contacts.retain(|contact| contact.1.count() < 6);
    let open_somewhere = diagnosis.samples.iter().any(|s| !s.directions.is_empty());
    if contacts.len() < 2 || !open_somewhere {
        return Ok(None);
    }
    let unmeasured: Vec<Components> = contacts.iter().map(|c| c.1.others()).collect();
    let place = |k: usize, flat: bool| {
        // Any points that have no plane, line or symmetry in common.
        let x = k as f64;
        let height = if flat { 0.0 } else { 0.3 * x - 0.2 * x * x };
        [0.1 * x + 0.03 * x * x, -0.2 * x, height]
    };
    let turned = |k: usize| {
        let x = k as f64;
        Mat3::from_roll_pitch_yaw(0.5 * x, -0.3 * x, 0.7 * x)
    };
    let open = |flat: bool, parallel: bool| {
        let mut columns: Vec<[f64; 6]> = Vec::new();
        for (k, components) in unmeasured.iter().enumerate() {
            let rotation = if parallel {
                Mat3::identity()
            } else {
                turned(k)
            };
            let [x, y, z] = place(k, flat);
            let at = Se3::new(rotation, Vec3::new(x, y, z));
            for component in components.iter() {
                let mut unit = [0.0; 6];
                unit[component] = 1.0;
                let force = Force::from_array(unit);
                columns.push(at.act_force(&force).to_array());
            }
        }
        let matrix = DMatrix::from_fn(6, columns.len(), |row, column| columns[column][row]);
        columns.len() - rank_of(&matrix).rank
    };
    let (open_parallel, flat, general) = (open(false, true), open(true, true), open(false, false));
    if flat == 0 {
        return Ok(None);
    }
    Ok(Some(DiagnosisWarning::ParallelContacts {
        frames: contacts.iter().map(|c| c.0).collect(),
        unmeasured,
        open: open_parallel,
        open_on_flat_floor: flat,
        open_in_general: general,
        load_cells: contacts.iter().all(|c| c.2),
        remedies: remedies(system, sensors, &contacts)?,
    }))
}

/// The effects of assumptions about the floor, the fewest first.
fn remedies(
    system: &System,
    sensors: &[&Sensor],
    contacts: &[(FrameId, Components, bool)],
) -> Result<Vec<Remedy>, SystemError> {
    let mut remedies = Vec::new();
    for contact in [
        Contact::Slippery,
        Contact::Point,
        Contact::Frictionless,
        Contact::FrictionlessPoint,
    ] {
        let solves = |remedy: &Remedy| remedy.open.iter().all(|(_, open)| *open == 0);
        if remedies.iter().any(solves) {
            break;
        }
        let mut problem = system.problem().clone();
        problem.sensors = sensors.iter().map(|&sensor| sensor.clone()).collect();
        let mut changes = false;
        for (k, (frame, given, _)) in contacts.iter().enumerate() {
            changes |= given.and(contact.vanishing()) != *given;
            let kind = SensorKind::Contact {
                frame: *frame,
                contact,
            };
            let name = format!("{contact:?} contact {k} assumed by the diagnosis");
            problem.add_sensor(Sensor::new(name, kind, Noise::Exact))?;
        }
        if !changes {
            continue;
        }
        let assumed = System::new(problem)?;
        let mut open = Vec::new();
        for sample in super::samples(&assumed)? {
            let values = super::matrix_values(&assumed, &sample.q)?;
            // Assumptions close a direction only where less was open before.
            let ranks = super::Ranks::new(&assumed, &values, |_| true, Diagnosis::TOO_MANY);
            open.extend(ranks.map(|ranks| (sample.name, ranks.open())));
        }
        remedies.push(Remedy { contact, open });
    }
    Ok(remedies)
}
