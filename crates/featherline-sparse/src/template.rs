//! The data of a matrix that are known before the state is.

use crate::length::{LengthError, check_length};
use crate::sparsity::{Sparsity, SparsityError};
use std::sync::Arc;
use thiserror::Error;

/// A number as it is known offline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symbol {
    /// The same in every state.
    Constant(f64),
    /// Known only when the state is.
    Variable,
}

/// Why numbers do not describe a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// The matrix is not square, so that it has no complete elimination.
    #[error(
        "a matrix of {rows} rows and {columns} columns can't be eliminated: estimate by least squares instead, or leave \
         sensors or knowns out, or add some, until it is square"
    )]
    NotSquare {
        /// How many rows it has.
        rows: usize,
        /// How many columns it has.
        columns: usize,
    },
    /// A list of numbers has the wrong length.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// There is no sample to try pivots on.
    #[error("no sample of the matrix was given: pivots can't be distinguished from zeros")]
    NoSample,
    /// A sampled value is infinite or not a number.
    #[error("sample {sample} of the matrix is not finite at its entry {entry}")]
    NotFinite {
        /// Which sample.
        sample: usize,
        /// Which entry of the pattern.
        entry: usize,
    },
}

impl From<SparsityError> for TemplateError {
    fn from(error: SparsityError) -> Self {
        match error {
            SparsityError::ValueCount { expected, found } => Self::Length(LengthError {
                what: "a sample",
                expected,
                found,
            }),
            SparsityError::OutOfBounds { rows, columns, .. } => Self::NotSquare { rows, columns },
        }
    }
}

/// How many sampled states travel through an offline elimination. One state can have a vanishing
/// pivot by accident; that three drawn at random do has probability zero unless it vanishes in all.
pub const SAMPLES: usize = 3;

/// A square system whose elimination is planned: its pattern, which entries and right-hand sides
/// are constants, the matrix in some sampled states, and which unknowns are asked for.
///
/// Orders are chosen, operations are counted and pivots are tried on it, once for all states.
#[derive(Clone, Debug)]
pub struct Template {
    pattern: Arc<Sparsity>,
    entries: Vec<Symbol>,
    right_hand_side: Vec<Symbol>,
    samples: [Vec<f64>; SAMPLES],
    requested: Vec<bool>,
}

impl Template {
    /// A template. `entries` and each sample go with the pattern's entries, `right_hand_side` with
    /// its rows. More than three samples are not looked at; fewer are used again. All unknowns are
    /// asked for.
    ///
    /// # Errors
    /// [`TemplateError`].
    ///
    /// ```
    /// use featherline_sparse::{Sparsity, Symbol, Template};
    /// use std::sync::Arc;
    ///
    /// let pattern = Arc::new(Sparsity::new(2, 2, [(0, 0), (1, 0), (1, 1)])?);
    /// let entries = vec![Symbol::Constant(-1.0), Symbol::Variable, Symbol::Constant(1.0)];
    /// let template = Template::new(pattern, entries, vec![Symbol::Variable; 2], &[vec![-1.0, 0.4, 1.0]])?;
    /// assert_eq!(template.size(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        pattern: Arc<Sparsity>,
        entries: Vec<Symbol>,
        right_hand_side: Vec<Symbol>,
        samples: &[Vec<f64>],
    ) -> Result<Self, TemplateError> {
        let (rows, columns) = (pattern.rows(), pattern.columns());
        if rows != columns {
            return Err(TemplateError::NotSquare { rows, columns });
        }
        check_length("the list of entries", pattern.entries(), entries.len())?;
        check_length("the right-hand side", rows, right_hand_side.len())?;
        if samples.is_empty() {
            return Err(TemplateError::NoSample);
        }
        for (sample, values) in samples.iter().enumerate() {
            check_length("a sample", pattern.entries(), values.len())?;
            if let Some(entry) = values.iter().position(|value| !value.is_finite()) {
                return Err(TemplateError::NotFinite { sample, entry });
            }
        }
        Ok(Self {
            requested: vec![true; columns],
            samples: std::array::from_fn(|k| samples[k % samples.len()].clone()),
            pattern,
            entries,
            right_hand_side,
        })
    }

    /// The same template with the matrix in a state of one's choice for the last of the sampled
    /// ones: pivots that are small there are avoided by orders that look at numbers.
    ///
    /// # Errors
    /// [`TemplateError::Length`] and [`TemplateError::NotFinite`].
    pub fn with_sample(mut self, values: Vec<f64>) -> Result<Self, TemplateError> {
        check_length("a sample", self.pattern.entries(), values.len())?;
        let sample = SAMPLES - 1;
        if let Some(entry) = values.iter().position(|value| !value.is_finite()) {
            return Err(TemplateError::NotFinite { sample, entry });
        }
        self.samples[sample] = values;
        Ok(self)
    }

    /// The same template, of which only some unknowns are asked for; the work for the others is
    /// left out where it can be.
    ///
    /// # Errors
    /// [`TemplateError::Length`] unless there is one truth value for each column.
    pub fn requesting(mut self, requested: Vec<bool>) -> Result<Self, TemplateError> {
        check_length(
            "the list of requested unknowns",
            self.size(),
            requested.len(),
        )?;
        self.requested = requested;
        Ok(self)
    }

    /// The number of rows, and of columns.
    pub fn size(&self) -> usize {
        self.pattern.rows()
    }

    /// Where the matrix has entries.
    pub fn pattern(&self) -> &Arc<Sparsity> {
        &self.pattern
    }

    /// The entries as they are known offline.
    pub fn entries(&self) -> &[Symbol] {
        &self.entries
    }

    /// The right-hand side of each row as it is known offline.
    pub fn right_hand_side(&self) -> &[Symbol] {
        &self.right_hand_side
    }

    /// Which unknowns are asked for.
    pub fn requested(&self) -> &[bool] {
        &self.requested
    }

    /// The matrix in the sampled states, for orders that look at numbers.
    pub fn samples(&self) -> &[Vec<f64>] {
        &self.samples
    }
}
