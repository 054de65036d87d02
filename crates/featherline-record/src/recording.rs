//! Recordings: every sample of a simulation, in a file.

use crate::csv::Csv;
use crate::error::RecordError;
use crate::format::RecordFormat;
use crate::jsonl::JsonLines;
use crate::layout::Layout;
use crate::writer::Writer;
use featherline::Model;
use featherline::model::JointId;
use featherline_sim::simulation::{Recorder, RecorderError, Sample};
use std::fmt;
use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A file that takes every sample of a simulation.
///
/// Call [`finish`](Self::finish) at the end: a Parquet or MCAP file is not readable without its
/// footer. The crate's page has an example.
pub struct Recording {
    path: PathBuf,
    writer: Box<dyn Writer>,
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Recording {
    /// Creates a file in the format that its extension selects ([`RecordFormat::of_path`]).
    ///
    /// # Errors
    /// [`RecordError::UnknownFormat`] for another extension, and as [`create_as`](Self::create_as).
    pub fn create(path: impl AsRef<Path>, model: &Model) -> Result<Self, RecordError> {
        let path = path.as_ref();
        Self::with_layout(format_of(path)?, path, Layout::new(model))
    }

    /// Creates a file that has contacts, too: of columns, the force on each body of the pairs that
    /// can touch ([`columns_with_contacts`](crate::columns_with_contacts)); of JSON, all contacts.
    /// [`Simulation::body_pairs`](featherline_sim::simulation::Simulation::body_pairs) knows the
    /// pairs.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_record::Recording;
    /// use featherline_sim::simulation::{Method, Simulator};
    ///
    /// let model = samples::double_pendulum();
    /// let simulator = Simulator::new(&model, Method::time_stepping(1e-3)?);
    /// let mut simulation = simulator.start(0.0, &[1.0, 0.0], &[0.0; 2])?;
    /// let path = std::env::temp_dir().join(format!("featherline-contacts-{}.csv", std::process::id()));
    /// let mut recording = Recording::create_with_contacts(&path, &model, &simulation.body_pairs())?;
    /// simulation.run(0.1, 0.01, &mut recording)?;
    /// recording.finish()?;
    /// assert!(std::fs::read_to_string(&path)?.contains("solver_residual,penetration,drive_work"));
    /// # std::fs::remove_file(path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with_contacts(
        path: impl AsRef<Path>,
        model: &Model,
        body_pairs: &[[JointId; 2]],
    ) -> Result<Self, RecordError> {
        let path = path.as_ref();
        let layout = Layout::with_contacts(model, body_pairs);
        Self::with_layout(format_of(path)?, path, layout)
    }

    /// Creates a file in a format, whatever its extension.
    ///
    /// # Errors
    /// [`RecordError::NotBuilt`] if the format's feature is off, [`RecordError::DuplicateColumn`]
    /// if two columns have one name, [`RecordError::Create`] or [`RecordError::Write`] if the file
    /// can't be written.
    pub fn create_as(
        format: RecordFormat,
        path: impl AsRef<Path>,
        model: &Model,
    ) -> Result<Self, RecordError> {
        Self::with_layout(format, path.as_ref(), Layout::new(model))
    }

    fn with_layout(format: RecordFormat, path: &Path, layout: Layout) -> Result<Self, RecordError> {
        if !format.is_built() {
            return Err(RecordError::NotBuilt { format });
        }
        if let Some(name) = layout.duplicate() {
            return Err(RecordError::DuplicateColumn { name });
        }
        let file = File::create(path).map_err(|source| RecordError::Create {
            path: path.to_owned(),
            source,
        })?;
        let writer = writer(format, file, layout).map_err(RecordError::of_file(path))?;
        Ok(Self {
            path: path.to_owned(),
            writer,
        })
    }

    /// The recording with the visual shapes of the robot, which viewers of MCAP draw. Formats of
    /// numbers alone leave them out.
    ///
    /// # Errors
    /// [`RecordError::Write`] if the file can't be written.
    #[cfg(feature = "mcap")]
    pub fn with_shapes(mut self, shapes: &crate::foxglove::Shapes) -> Result<Self, RecordError> {
        let added = self.writer.add_shapes(shapes);
        added.map_err(RecordError::of_file(&self.path))?;
        Ok(self)
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// [`RecordError::Write`] if the file can't be written.
    pub fn finish(mut self) -> Result<(), RecordError> {
        let finished = self.writer.finish();
        finished.map_err(RecordError::of_file(&self.path))
    }
}

/// The format that the extension of a path selects.
fn format_of(path: &Path) -> Result<RecordFormat, RecordError> {
    RecordFormat::of_path(path).ok_or_else(|| RecordError::UnknownFormat {
        path: path.to_owned(),
    })
}

/// The writer of a format that is built.
fn writer(
    format: RecordFormat,
    file: File,
    layout: Layout,
) -> Result<Box<dyn Writer>, RecorderError> {
    Ok(match format {
        RecordFormat::Csv => Box::new(Csv::new(file, layout)?),
        RecordFormat::JsonLines => Box::new(JsonLines::new(file, layout)),
        #[cfg(feature = "parquet")]
        RecordFormat::Parquet => Box::new(crate::parquet::Parquet::new(file, layout)?),
        #[cfg(feature = "mcap")]
        RecordFormat::Mcap => Box::new(crate::mcap::Mcap::new(file, layout)?),
        #[cfg(not(feature = "parquet"))]
        RecordFormat::Parquet => return Err(RecordError::NotBuilt { format }.into()),
        #[cfg(not(feature = "mcap"))]
        RecordFormat::Mcap => return Err(RecordError::NotBuilt { format }.into()),
    })
}

impl Recorder for Recording {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        self.writer.write(sample)?;
        Ok(ControlFlow::Continue(()))
    }
}
