//! Recordings read from files.

use super::contact_setup::{ContactPoint, ShapeNames, robot_of};
use super::recording::{Log, Recording, Steps};
use super::saving::{contact_sample, impulses};
use crate::error;
use crate::model::Model;
use featherline::model::JointId;
use featherline::spatial::Vec3;
use featherline_record::{
    ReadError, RecordedContacts, RecordedMotion, body_name, columns, read, read_row, write_row,
    write_row_with_contacts,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// A fault in a recorded file.
pub fn read_error(py: Python<'_>, reason: &ReadError) -> PyErr {
    let text = reason.to_string();
    if let ReadError::Unreadable { source, .. } = reason {
        error::io(py, source, &text)
    } else {
        PyValueError::new_err(text)
    }
}

/// The bodies of a robot by their names, the world first.
fn names(model: &featherline::Model) -> ShapeNames {
    let ids = || std::iter::once(JointId::UNIVERSE).chain(model.joint_ids());
    let links: Vec<String> = ids().map(|id| body_name(model, id).to_owned()).collect();
    ShapeNames {
        // Files do not name shapes.
        shapes: vec![String::new(); links.len()],
        links,
        bodies: ids().collect(),
    }
}

/// The contacts of a file as those of a simulation, and the pairs of bodies that can touch.
fn steps(
    contacts: &RecordedContacts,
    names: &ShapeNames,
) -> Result<(Vec<[JointId; 2]>, Steps), String> {
    let place = |name: &String| {
        // Columns have the sum of what all others do to a body: it stands for the world's.
        if name.is_empty() {
            return Ok(0);
        }
        let place = names.links.iter().position(|it| it == name);
        place.ok_or_else(|| {
            format!("it has contacts of a body '{name}', which the robot lacks; it is a recording of another robot")
        })
    };
    let vector = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
    let mut pairs = Vec::new();
    for body in &contacts.touching {
        pairs.push([JointId::UNIVERSE, names.bodies[place(body)?]]);
    }
    let mut steps = Steps::default();
    for (k, [first, second]) in contacts.bodies.iter().enumerate() {
        let shapes = [place(first)?, place(second)?];
        pairs.push(shapes.map(|it| names.bodies[it]));
        let normal = match contacts.normals[k] {
            [0.0, 0.0, 0.0] => [f64::NAN; 3],
            normal => normal,
        };
        steps.touches.push(ContactPoint {
            shapes,
            point: vector(contacts.points[k]),
            normal: vector(normal),
            gap: contacts.gaps[k],
            friction: f64::NAN,
            force: vector(contacts.forces[k]),
            velocity: vector([f64::NAN; 3]),
        });
    }
    pairs.sort_unstable();
    pairs.dedup();
    let mut end = 0;
    for (row, count) in contacts.counts.iter().enumerate() {
        end += count;
        steps.ends.push(end);
        steps.residuals.push(contacts.account[row][0]);
        steps.penetrations.push(contacts.account[row][1]);
    }
    Ok((pairs, steps))
}

impl Recording {
    fn of_motion(model: Py<Model>, motion: &RecordedMotion) -> Result<Self, String> {
        let core = &model.get().model;
        let names = names(core);
        let (pairs, steps) = match &motion.contacts {
            Some(contacts) => {
                let (pairs, steps) = steps(contacts, &names)?;
                (Some(pairs), steps)
            }
            None => Default::default(),
        };
        let log = Log::new(core, Arc::new(names), pairs);
        let (nq, nv, width) = (core.nq(), core.nv(), columns(core).len());
        let mut numbers = Vec::with_capacity(motion.times.len() * log.width());
        for (row, t) in motion.times.iter().enumerate() {
            let mut own = vec![*t];
            own.extend_from_slice(&motion.q[row * nq..][..nq]);
            own.extend_from_slice(&motion.v[row * nv..][..nv]);
            own.extend_from_slice(&motion.tau[row * nv..][..nv]);
            own.extend_from_slice(&motion.others[row * 11..][..11]);
            // Those of mimic joints follow from q and v.
            own.resize(width, 0.0);
            let mut sample = read_row(core, &own).ok_or("its rows have another length")?;
            let touching = impulses(&log, &steps, row);
            let account = motion.contacts.as_ref().map(|it| &it.account[row][..]);
            sample.contact =
                account.and_then(|account| contact_sample(&steps, row, account, &touching));
            match &log.pairs {
                Some(pairs) => write_row_with_contacts(core, pairs, &sample, &mut numbers),
                None => write_row(core, &sample, &mut numbers),
            }
        }
        *log.write() = numbers;
        *log.steps() = steps;
        Ok(Self::new(model, log, 0..motion.times.len()))
    }
}

#[pymethods]
impl Recording {
    /// Reads a recording of a robot from a file of `save`, or of `featherline simulate --record`:
    /// its extension, csv, jsonl, parquet or mcap, says the format. `robot` is a `Robot`, a
    /// `Model`, or what `load_robot` takes; columns that are not the robot's are an error.
    ///
    /// Numbers are those of the file, to the last bit, and nan where it has none. Of contacts,
    /// files name the bodies and no shapes: jsonl and mcap have each contact, without friction and
    /// velocity; csv and parquet have the sum of the forces on each body, here as one of the world.
    ///
    /// >>> import os, tempfile
    /// >>> recording = fl.Simulation("double_pendulum", [1.0, 0.5]).run(0.5, every=0.1)
    /// >>> path = os.path.join(tempfile.mkdtemp(), "swing.parquet")
    /// >>> recording.save(path)
    /// >>> again = fl.Recording.load(path, "double_pendulum")
    /// >>> bool((again["q.elbow"] == recording["q.elbow"]).all())
    /// True
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, robot: &Bound<'_, PyAny>) -> PyResult<Self> {
        let model = robot_of(robot)?;
        let motion = py.detach(|| read(&path, &model.get().model));
        let motion = motion.map_err(|reason| read_error(py, &reason))?;
        Self::of_motion(model, &motion)
            .map_err(|reason| PyValueError::new_err(format!("{}: {reason}", path.display())))
    }
}
