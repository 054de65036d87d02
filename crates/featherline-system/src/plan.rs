//! The result of the offline work: an order and its programs, which can be kept as bytes.

use crate::diagnosis::{Diagnosis, matrix_values};
use crate::order;
use crate::program::{CompiledSolve, GuardedProgram, whole_blocks};
use crate::search::{Progress, SearchOptions, search};
use crate::system::System;
use crate::template::PlanError;
use featherline_compile::{FileError, Program};
use featherline_sparse::{EliminationOrder, Template};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;
use twox_hash::XxHash3_128;

/// The tag at the start: a byte that no text has, a name, and line ends that a transfer changes.
const MAGIC: [u8; 12] = *b"\x89FLPLAN\r\n\x1a\n\0";

/// The version of what follows.
const VERSION: u32 = 3;

/// The best order that a search found for some unknowns of a system, and its compiled solution.
///
/// ```
/// use featherline::samples;
/// use featherline_system::{Plan, Problem, SearchOptions, System};
///
/// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
/// let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
/// let options = SearchOptions { restarts: 5, exchanges: 50, ..SearchOptions::default() };
/// let plan = Plan::new(&system, &requested, &options, |_| {})?;
///
/// // Once for a robot and a question: the bytes are kept under the plan's key.
/// let bytes = plan.to_bytes();
/// let key = Plan::key_of(&system, &requested, &options);
/// assert_eq!(Plan::from_bytes(&bytes, &system, key)?, plan);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    key: u128,
    order: EliminationOrder,
    operations: u64,
    program: GuardedProgram,
}

/// How far the making of a plan has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    /// Looking for an order.
    Search(Progress),
    /// Writing the best one down as programs.
    Compilation,
}

/// Why bytes are no plan of a system.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// Something else, or the beginning was lost.
    #[error("this is no plan of an elimination")]
    NoPlan,
    /// Another version of the library wrote it.
    #[error("the plan is of version {found}, and this library reads version {expected}")]
    Version {
        /// The version that wrote the file.
        found: u32,
        /// The version that this library reads.
        expected: u32,
    },
    /// Bytes were changed or lost since it was written.
    #[error("the plan is damaged: its contents do not match its checksum")]
    Damaged,
    /// It was made for another robot, question or search.
    #[error("the plan is one of another robot, question or search")]
    Foreign,
    /// The contents are no plan.
    #[error("the contents are no plan: {0}")]
    Unreadable(String),
    /// A program in it can't be read.
    #[error(transparent)]
    Program(#[from] FileError),
}

/// The data behind the header.
#[derive(Serialize, Deserialize)]
struct Contents {
    key: u128,
    pivots: Vec<(usize, usize)>,
    operations: u64,
    found: Vec<usize>,
    requested: Vec<usize>,
    norm: f64,
    solve: Vec<u8>,
    check: Vec<u8>,
}

impl Plan {
    /// Searches for an order to find the columns that are requested, and compiles it.
    ///
    /// `progress` is called now and then with the state of the search. Cost: the time that the
    /// options give to the search, or that it takes to compile the orders to begin with; then the
    /// compilation.
    ///
    /// # Errors
    /// [`PlanError`] if the system is not square, or singular in the sampled states.
    pub fn new(
        system: &System,
        requested: &[usize],
        options: &SearchOptions,
        mut progress: impl FnMut(Stage),
    ) -> Result<Self, PlanError> {
        let template = Self::requesting(system, requested)?;
        let (whole, _) = whole_blocks(&template, &order::markowitz(&template)?)?;
        let found = search(system, &whole, options, |done| {
            progress(Stage::Search(done))
        })?;
        progress(Stage::Compilation);
        Ok(Self {
            key: Self::key_of(system, requested, options),
            program: GuardedProgram::new(system, &template, &found.order)?,
            order: found.order,
            operations: found.operations,
        })
    }

    /// The plan of Markowitz's order, without a search: at once, and with some more operations.
    ///
    /// ```
    /// use featherline::samples;
    /// use featherline_system::{Plan, Problem, System};
    ///
    /// let system = System::new(Problem::forward_dynamics(samples::double_pendulum()))?;
    /// let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
    /// let plan = Plan::without_search(&system, &requested)?;
    /// assert!(plan.operations() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn without_search(system: &System, requested: &[usize]) -> Result<Self, PlanError> {
        let template = Self::requesting(system, requested)?;
        let order = order::markowitz(&template)?;
        let options = SearchOptions {
            restarts: 0,
            exchanges: 0,
            time: Duration::ZERO,
            ..SearchOptions::default()
        };
        Ok(Self {
            key: Self::key_of(system, requested, &options),
            operations: CompiledSolve::new(system, &template, &order)?
                .program()
                .count()
                .total(),
            program: GuardedProgram::new(system, &template, &order)?,
            order,
        })
    }

    /// The template of a system that is to find some columns.
    fn requesting(system: &System, requested: &[usize]) -> Result<Template, PlanError> {
        let template = Self::template(system)?;
        // Pivots that vanish but for rounding look like any other. What lacks equations is found by
        // the search.
        let diagnosis = Diagnosis::of(system)?;
        let is_looked_at = !diagnosis.samples.is_empty();
        let is_complete = diagnosis.structure.underdetermined().columns.is_empty();
        if is_looked_at && is_complete && !diagnosis.is_solvable_in_general() {
            return Err(PlanError::Singular);
        }
        let mut is_requested = vec![false; system.unknowns().count()];
        for &column in requested {
            if let Some(requested) = is_requested.get_mut(column) {
                *requested = true;
            }
        }
        Ok(template.requesting(is_requested)?)
    }

    /// The template on which pivots are tried.
    fn template(system: &System) -> Result<Template, PlanError> {
        let neutral = matrix_values(system, &system.model().neutral_configuration())?;
        order::with_straight(system.template()?, neutral)
    }

    /// The key that identifies a plan: a hash (XXH3, 128 bits) of the robot, the question, the
    /// requested outputs, and the length of the search. Orders to begin with are not looked at.
    pub fn key_of(system: &System, requested: &[usize], options: &SearchOptions) -> u128 {
        let mut content = system.problem().content_hash().to_le_bytes().to_vec();
        let numbers = [
            u64::from(VERSION),
            options.seed,
            options.restarts as u64,
            options.exchanges as u64,
            options.time.as_millis() as u64,
        ];
        content.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        content.extend(env!("CARGO_PKG_VERSION").bytes());
        let mut requested = requested.to_vec();
        requested.sort_unstable();
        requested.dedup();
        content.extend(
            requested
                .iter()
                .flat_map(|&column| (column as u64).to_le_bytes()),
        );
        XxHash3_128::oneshot(&content)
    }

    /// The result of [`key_of`](Self::key_of) when the plan was made.
    pub fn key(&self) -> u128 {
        self.key
    }

    /// The order.
    pub fn order(&self) -> &EliminationOrder {
        &self.order
    }

    /// The operations of the [program](GuardedProgram::solve) that solves, everything included but
    /// its watch over the pivots, as the search counted.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// The solution as a program, and its check.
    pub fn program(&self) -> &GuardedProgram {
        &self.program
    }

    /// The plan as bytes, the same on every platform: 12 bytes that tell what it is, the version in
    /// 4 and a checksum (XXH3, 128 bits) of the rest in 16, the lowest first; then the contents as
    /// postcard.
    pub fn to_bytes(&self) -> Vec<u8> {
        let contents = Contents {
            key: self.key,
            pivots: self.order.pivots().to_vec(),
            operations: self.operations,
            found: self.program.solve.requested.clone(),
            requested: self.program.requested.clone(),
            norm: self.program.norm,
            solve: self.program.solve.program.to_bytes(),
            check: self.program.check.to_bytes(),
        };
        // Writing plain data of known lengths to memory can't fail.
        let contents = postcard::to_stdvec(&contents).expect("a plan is plain data");
        let checksum = XxHash3_128::oneshot(&contents);
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(contents);
        bytes
    }

    /// Reads the plan of a system that has the given [key](Self::key_of).
    ///
    /// Whatever the bytes are, running what is returned touches nothing but its own memory. The
    /// checksum finds accidents, not forgers: those can make a plan that gives wrong numbers.
    ///
    /// # Errors
    /// The fault of the bytes.
    pub fn from_bytes(bytes: &[u8], system: &System, key: u128) -> Result<Self, PlanFileError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(PlanFileError::NoPlan)?;
        let (version, rest) = rest.split_first_chunk().ok_or(PlanFileError::Damaged)?;
        let found = u32::from_le_bytes(*version);
        if found != VERSION {
            return Err(PlanFileError::Version {
                found,
                expected: VERSION,
            });
        }
        let (checksum, contents) = rest.split_first_chunk().ok_or(PlanFileError::Damaged)?;
        if XxHash3_128::oneshot(contents) != u128::from_le_bytes(*checksum) {
            return Err(PlanFileError::Damaged);
        }
        let contents: Contents = postcard::from_bytes(contents)
            .map_err(|error| PlanFileError::Unreadable(error.to_string()))?;
        if contents.key != key {
            return Err(PlanFileError::Foreign);
        }
        let plan = Self {
            key,
            order: EliminationOrder::new(contents.pivots)
                .map_err(|error| PlanFileError::Unreadable(error.to_string()))?,
            operations: contents.operations,
            program: GuardedProgram {
                solve: CompiledSolve {
                    program: Program::from_bytes(&contents.solve)?,
                    requested: contents.found,
                },
                check: Program::from_bytes(&contents.check)?,
                requested: contents.requested,
                norm: contents.norm,
            },
        };
        plan.check_sizes(system)?;
        Ok(plan)
    }

    /// Fails unless the parts fit each other and the system.
    fn check_sizes(&self, system: &System) -> Result<(), PlanFileError> {
        let GuardedProgram {
            solve,
            check,
            requested,
            ..
        } = &self.program;
        let state = system.model().nq() + system.model().nv() + system.input_count();
        let columns = system.unknowns().count();
        let fits = self.order.len() == columns
            && solve.program.input_count() == state
            && solve.program.output_count() == solve.requested.len() + 1
            && solve.requested.iter().all(|&column| column < columns)
            && check.input_count() == state + solve.requested.len()
            && check.output_count() == 3
            && requested
                .iter()
                .all(|&position| position < solve.requested.len());
        if fits {
            Ok(())
        } else {
            Err(PlanFileError::Unreadable(
                "its parts do not fit each other".to_owned(),
            ))
        }
    }
}
