//! Reading recordings: a file a format.

mod contacts;
mod csv;
mod jsonl;
#[cfg(feature = "mcap")]
mod mcap;
#[cfg(feature = "parquet")]
mod parquet;

pub use contacts::RecordedContacts;

use crate::columns::{contact_columns, entries, others};
use crate::error::ReadError;
use crate::format::RecordFormat;
use featherline::Model;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The most numbers of a recording: 1 GiB of them.
const NUMBERS: usize = 1 << 27;

/// A motion that was recorded: a row for each sample, one after another.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordedMotion {
    /// The times, in s, in ascending order; equal where an event changed the velocity.
    pub times: Vec<f64>,
    /// The configurations, nq entries for each time.
    pub q: Vec<f64>,
    /// The velocities, nv entries for each time.
    pub v: Vec<f64>,
    /// The joint forces of controller and drives, nv entries for each time.
    pub tau: Vec<f64>,
    /// The eleven numbers of [`columns`](crate::columns()) from `kinetic_energy` to `loop_gap_rate`
    /// for each time; nan where the file has none.
    pub others: Vec<f64>,
    /// The contacts, of recordings that have them.
    pub contacts: Option<RecordedContacts>,
}

/// Reads a recording of a robot, as [`Recording`](crate::Recording) writes it, in the format that
/// its extension selects.
///
/// Of a row, what [`columns`](crate::columns()) names is read, and contacts; what else follows is
/// not. Files of columns have one force for each body. Cost: the size of the file.
///
/// ```
/// use featherline::samples;
///
/// let path = std::env::temp_dir().join(format!("featherline-read-{}.csv", std::process::id()));
/// std::fs::write(&path, "t,q.shoulder,q.elbow,v.shoulder,v.elbow,tau.shoulder,tau.elbow\n0,1,2,3,4,5,6\n")?;
/// let motion = featherline_record::read(&path, &samples::double_pendulum())?;
/// assert_eq!((motion.times, motion.q), (vec![0.0], vec![1.0, 2.0]));
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ReadError::OtherRobot`] names the first column that is not the robot's. Formats without names
/// (jsonl) tell a robot by the numbers of entries alone. Other errors have the line, row or
/// message.
pub fn read(path: impl AsRef<Path>, model: &Model) -> Result<RecordedMotion, ReadError> {
    let path = path.as_ref();
    let format = RecordFormat::of_path(path).ok_or_else(|| ReadError::UnknownFormat {
        path: path.to_owned(),
    })?;
    if !format.is_built() {
        return Err(ReadError::NotBuilt { format });
    }
    let mut reading = Reading::new(path, model);
    let file = File::open(path).map_err(|source| reading.unreadable(source))?;
    match format {
        RecordFormat::Csv => csv::read(file, &mut reading)?,
        RecordFormat::JsonLines => jsonl::read(file, &mut reading)?,
        #[cfg(feature = "parquet")]
        RecordFormat::Parquet => parquet::read(file, &mut reading)?,
        #[cfg(feature = "mcap")]
        RecordFormat::Mcap => mcap::read(file, &mut reading)?,
        #[cfg(not(feature = "parquet"))]
        RecordFormat::Parquet => return Err(ReadError::NotBuilt { format }),
        #[cfg(not(feature = "mcap"))]
        RecordFormat::Mcap => return Err(ReadError::NotBuilt { format }),
    }
    if reading.motion.times.is_empty() {
        return Err(reading.malformed(1, "there are no states; record a motion of some seconds"));
    }
    Ok(reading.motion)
}

/// A motion that is being read, with what its errors name.
struct Reading {
    path: PathBuf,
    robot: String,
    /// Entries of q, and of v.
    sizes: (usize, usize),
    /// The names of t and the entries of q, v and tau.
    names: Vec<String>,
    /// Where columns have forces on bodies and their points.
    contact_columns: Vec<usize>,
    /// Where columns have the numbers of the robot as a whole, and then the energy's account.
    other_columns: Vec<Option<usize>>,
    motion: RecordedMotion,
}

impl Reading {
    fn new(path: &Path, model: &Model) -> Self {
        let own = entries(model).into_iter().flat_map(|(_, columns)| columns);
        let own = own.map(|column| column.name);
        Self {
            path: path.to_owned(),
            robot: model.name().to_owned(),
            sizes: (model.nq(), model.nv()),
            contact_columns: Vec::new(),
            other_columns: Vec::new(),
            names: std::iter::once("t".to_owned()).chain(own).collect(),
            motion: RecordedMotion::default(),
        }
    }

    fn unreadable(&self, source: std::io::Error) -> ReadError {
        ReadError::Unreadable {
            path: self.path.clone(),
            source,
        }
    }

    fn malformed(&self, place: usize, what: impl std::fmt::Display) -> ReadError {
        ReadError::Malformed {
            path: self.path.clone(),
            place,
            what: what.to_string(),
        }
    }

    /// Finds the columns of contacts; fails if columns do not begin with the robot's.
    fn take_names<'n>(
        &mut self,
        found: impl IntoIterator<Item = &'n str>,
    ) -> Result<(), ReadError> {
        let found: Vec<&str> = found.into_iter().collect();
        self.check_names(found.iter().copied())?;
        let bodies;
        (bodies, self.contact_columns) = contacts::find_columns(&found);
        let names = others().into_iter().chain(contact_columns([]));
        self.other_columns = names
            .map(|column| found.iter().position(|name| *name == column.name))
            .collect();
        if !bodies.is_empty() {
            let contacts = self.motion.contacts.get_or_insert_default();
            contacts.touching = bodies;
        }
        Ok(())
    }

    /// Fails if columns do not begin with the robot's.
    fn check_names<'n>(&self, found: impl IntoIterator<Item = &'n str>) -> Result<(), ReadError> {
        let found: Vec<&str> = found.into_iter().collect();
        let differs = |(index, expected): &(usize, &String)| {
            found.get(*index).copied() != Some(expected.as_str())
        };
        let Some((index, expected)) = self.names.iter().enumerate().find(differs) else {
            return Ok(());
        };
        let path = self.path.clone();
        let is_own = |name: &&str| self.names.iter().any(|own| own == name);
        let missing = self.names.iter().find(|own| !found.contains(&own.as_str()));
        Err(match (found.get(index), missing) {
            // Each of the robot's columns is there, later.
            (Some(name), None) => ReadError::ColumnOrder {
                path,
                column: index + 1,
                expected: expected.clone(),
                found: (*name).to_owned(),
            },
            // At least t and all of q are the robot's.
            (name, Some(missing)) if index > self.sizes.0 && name.is_none_or(is_own) => {
                ReadError::MissingColumn {
                    path,
                    name: missing.clone(),
                }
            }
            (name, _) => self.other_robot(index, name.copied()),
        })
    }

    fn other_robot(&self, column: usize, found: Option<&str>) -> ReadError {
        ReadError::OtherRobot {
            path: self.path.clone(),
            robot: self.robot.clone(),
            column: column + 1,
            expected: self.names[column].clone(),
            found: found.map(str::to_owned),
        }
    }

    /// Adds the numbers of the robot as a whole, and those of the energy's account.
    fn push_others(&mut self, numbers: impl IntoIterator<Item = Option<f64>>) {
        let mut numbers = numbers.into_iter().map(|it| it.unwrap_or(f64::NAN));
        let own = numbers.by_ref().take(others().len());
        self.motion.others.extend(own);
        if let Some(contacts) = &mut self.motion.contacts {
            let mut row = [f64::NAN; 8];
            row.iter_mut().zip(numbers).for_each(|(own, it)| *own = it);
            contacts.account.push(row);
        }
    }

    /// Adds the forces of the columns of contacts.
    fn push_contacts(&mut self, place: usize, numbers: &[f64]) -> Result<(), ReadError> {
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(self.malformed(place, "a contact force is not a finite number"));
        }
        if let Some(contacts) = &mut self.motion.contacts {
            contacts::push_columns(numbers, contacts);
        }
        Ok(())
    }

    /// Adds a row: t, then the entries of q, v and tau.
    fn push(&mut self, place: usize, row: &[f64]) -> Result<(), ReadError> {
        let (nq, nv) = self.sizes;
        if let Some(column) = row.iter().position(|x| !x.is_finite()) {
            let name = &self.names[column];
            return Err(self.malformed(place, format!("`{name}` is not a finite number")));
        }
        let (t, row) = (row[0], &row[1..]);
        if let Some(before) = self.motion.times.last().filter(|before| **before > t) {
            let what = format!("the time {t} comes after {before}; sort the rows by their times");
            return Err(self.malformed(place, what));
        }
        if self.motion.times.len().saturating_mul(self.names.len()) >= NUMBERS {
            return Err(ReadError::TooLarge {
                path: self.path.clone(),
                most: NUMBERS,
            });
        }
        self.motion.times.push(t);
        self.motion.q.extend_from_slice(&row[..nq]);
        self.motion.v.extend_from_slice(&row[nq..nq + nv]);
        self.motion
            .tau
            .extend_from_slice(&row[nq + nv..nq + 2 * nv]);
        Ok(())
    }
}
