//! Plans of eliminations: searched for once, and kept in a folder.

use super::arguments::SystemArguments;
use crate::failure::Failure;
use crate::file;
use crate::message::{note, warn};
use etcetera::BaseStrategy;
use featherline_system::{
    OrderError, Plan, PlanError, SearchOptions, Stage, System, TemplateError,
};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The longest search by default.
const SEARCH: Duration = Duration::from_secs(10);

/// The parts of the bar.
const STEPS: u64 = 1000;

/// The plan to find these columns: the kept one, or a new one, which is then kept.
///
/// # Errors
/// [`NoPlan`].
pub fn plan(
    arguments: &SystemArguments,
    system: &System,
    wanted: &[usize],
) -> Result<Plan, NoPlan> {
    let options = SearchOptions::default();
    let (time, exchanges) = match (arguments.search, arguments.search_changes) {
        // Only the given limit counts.
        (Some(time), _) => (time, usize::MAX),
        (None, Some(changes)) => (Duration::MAX, changes as usize),
        (None, None) => (SEARCH, options.exchanges),
    };
    let options = SearchOptions {
        time,
        exchanges,
        ..options
    };
    let file = folder(arguments.cache.as_deref()).map(|folder| {
        let key = Plan::key_of(system, wanted, &options);
        (folder.join(format!("{key:032x}.plan")), key)
    });
    if let Some((path, key)) = &file
        && let Some(plan) = kept(path, system, *key)
    {
        return Ok(plan);
    }
    let start = Instant::now();
    let plan = search(system, wanted, &options)?;
    let made = format!(
        "searched and compiled in {:.1} s: {} operations a state",
        start.elapsed().as_secs_f64(),
        plan.operations()
    );
    match file.map(|(path, _)| (keep(&path, &plan), path)) {
        None => note(&made),
        Some((Ok(()), path)) => note(&format!("{made}; kept in `{}`", path.display())),
        Some((Err(error), path)) => {
            let path = path.display();
            warn(&format!(
                "{made}; the plan can't be kept in `{path}`: {error}; choose another folder by --cache"
            ));
        }
    }
    Ok(plan)
}

/// The folder that plans are kept in, if they are kept.
fn folder(asked: Option<&Path>) -> Option<PathBuf> {
    match asked {
        Some(path) if path.as_os_str() == "none" => None,
        Some(path) => Some(path.to_owned()),
        None => {
            let strategy = etcetera::choose_base_strategy().ok()?;
            Some(strategy.cache_dir().join("featherline"))
        }
    }
}

/// The plan that was kept, if there is a good one.
fn kept(path: &Path, system: &System, key: u128) -> Option<Plan> {
    let read = match file::read(path, file::WRITTEN) {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => Err(error.to_string()),
        Ok(bytes) => Plan::from_bytes(&bytes, system, key).map_err(|error| error.to_string()),
    };
    read.map_err(|error| {
        let path = path.display();
        warn(&format!(
            "the plan kept in `{path}` can't be used: {error}; it is made again"
        ));
    })
    .ok()
}

/// Writes a plan to a temporary file and renames it, so that nobody reads half of one.
fn keep(path: &Path, plan: &Plan) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.new", std::process::id()));
    fs::write(&beside, plan.to_bytes())?;
    fs::rename(&beside, path)
}

/// Searches, with a bar on standard error if that is a terminal.
fn search(system: &System, wanted: &[usize], options: &SearchOptions) -> Result<Plan, NoPlan> {
    let bar = ProgressBar::new(STEPS);
    // The template is valid; the plain bar would do.
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let plan = Plan::new(system, wanted, options, |stage| match stage {
        Stage::Search(progress) => {
            bar.set_position((progress.done * STEPS as f64) as u64);
            if progress.best < u64::MAX {
                bar.set_message(format!("an order of {} operations", progress.best));
            }
        }
        Stage::Compilation => bar.set_message("compiling"),
    });
    bar.finish_and_clear();
    plan.map_err(|error| NoPlan {
        words: if let PlanError::Order(error) = &error {
            system.describe_order_error(error)
        } else {
            error.to_string()
        },
        error,
    })
}

/// Why there is no plan, with the message.
pub struct NoPlan {
    error: PlanError,
    words: String,
}

impl NoPlan {
    /// Whether the equations are singular in every state, as with redundant loop constraints.
    pub fn is_singular(&self) -> bool {
        matches!(
            self.error,
            PlanError::Singular | PlanError::Order(OrderError::Singular { .. })
        )
    }
}

impl From<NoPlan> for Failure {
    fn from(NoPlan { error, words }: NoPlan) -> Self {
        let instead = if let PlanError::Template(TemplateError::NotSquare { rows, columns }) = error
            && rows > columns
        {
            "--estimate, which takes redundant rows, and "
        } else {
            ""
        };
        Self::sensors(format_args!(
            "the system can't be solved: {words}; see {instead}--diagnose"
        ))
    }
}
