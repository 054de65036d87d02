//! Recordings in files.

use super::contact_setup::ContactPoint;
use super::recording::{Log, Recording, Steps};
use featherline_constraint::nonsmooth::Outcome;
use featherline_record::{RecordError, RecordFormat, columns, read_row};
use featherline_sim::contact::{ContactAccount, ContactImpulse, ContactSample, StepReport};
use featherline_sim::simulation::Recorder;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::path::{Path, PathBuf};

/// The contacts of a row, as a step of 1 s would have them: their impulses are the forces.
pub(super) fn impulses(log: &Log, steps: &Steps, row: usize) -> Vec<ContactImpulse> {
    let touches: &[ContactPoint] = steps.of_row(row);
    let bodies = &log.names.bodies;
    (touches.iter().filter_map(|it| it.in_a_second(bodies))).collect()
}

/// The contact data of a row: `rest` are its numbers after those of the robot.
pub(super) fn contact_sample<'a>(
    steps: &Steps,
    row: usize,
    rest: &[f64],
    contacts: &'a [ContactImpulse],
) -> Option<ContactSample<'a>> {
    let &[
        _,
        _,
        drive_work,
        force_work,
        friction_loss,
        impact_loss,
        other_loss,
        energy_gain,
        ..,
    ] = rest
    else {
        return None;
    };
    let (residual, penetration) = (*steps.residuals.get(row)?, *steps.penetrations.get(row)?);
    // Before the first step there is none.
    let worst = residual.is_finite().then_some(StepReport {
        outcome: Outcome {
            residual,
            scale: 0.0,
            asked: 0.0,
            factorisations: 0,
            has_converged: true,
        },
        penetration,
    });
    let account = ContactAccount {
        drive_work,
        force_work,
        friction_loss,
        impact_loss,
        energy_gain,
        ..ContactAccount::default()
    };
    Some(ContactSample {
        contacts,
        step: 1.0,
        worst,
        account,
        other_loss,
    })
}

impl Recording {
    fn write(&self, path: &Path) -> Result<(), RecordError> {
        let model = &self.model.get().model;
        let mut file = match &self.log.pairs {
            Some(pairs) => featherline_record::Recording::create_with_contacts(path, model, pairs)?,
            None => featherline_record::Recording::create(path, model)?,
        };
        let (numbers, width) = (self.log.read(), self.log.width());
        let steps = self.log.steps();
        let own = columns(model).len();
        for row in self.rows.clone() {
            let (of_robot, rest) = numbers[row * width..(row + 1) * width].split_at(own);
            let Some(mut sample) = read_row(model, of_robot) else {
                continue;
            };
            let contacts = impulses(&self.log, &steps, row);
            sample.contact = contact_sample(&steps, row, rest, &contacts);
            let _ = file.record(&sample).map_err(|source| RecordError::Write {
                path: path.to_owned(),
                source,
            })?;
        }
        file.finish()
    }
}

#[pymethods]
impl Recording {
    /// Writes all samples to a file: its extension, csv, jsonl, parquet or mcap, selects the
    /// format. Numbers are kept to the last bit. Of method "time-stepping", files have the contacts
    /// and the energy's account, as those of the command line.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        if let Some(RecordFormat::JsonLines | RecordFormat::Mcap) = RecordFormat::of_path(&path) {
            let steps = self.log.steps();
            let mut touches = self.rows.clone().flat_map(|row| steps.of_row(row));
            if touches.any(|it| it.normal.x.is_nan()) {
                return Err(PyValueError::new_err(format!(
                    "{}: jsonl and mcap have each contact with its normal, and this recording was read from a file that \
                     has sums of forces alone; save it as csv or parquet",
                    path.display()
                )));
            }
        }
        let saved = py.detach(|| self.write(&path));
        saved.map_err(|reason| {
            let text = reason.to_string();
            if let RecordError::Create { source, .. } = &reason
                && source.kind() == std::io::ErrorKind::NotFound
            {
                PyFileNotFoundError::new_err(text)
            } else if let RecordError::Create { .. } | RecordError::Write { .. } = reason {
                PyOSError::new_err(text)
            } else {
                PyValueError::new_err(text)
            }
        })
    }
}
