//! What is found about a file, as Python objects.

use super::parts::made;
use featherline_formats::repair::{Repair, Repairs};
use featherline_formats::{Error, Location, Severity, Span, Warning};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Something that was found.
pub struct Finding {
    /// None for what keeps the file from being read.
    severity: Option<Severity>,
    code: &'static str,
    message: String,
    location: Location,
    /// What a repair does.
    repair: Option<String>,
}

/// The word for how much something matters.
fn word(severity: Option<Severity>) -> &'static str {
    match severity {
        None => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Note) => "note",
    }
}

/// File, line, column and element.
type Place = (Option<String>, Option<usize>, Option<usize>, Option<String>);

fn place(location: &Location) -> Place {
    let file = location.file.as_ref().map(|it| it.display().to_string());
    let at = location.position;
    (
        file,
        at.map(|it| it.line),
        at.map(|it| it.column),
        location.element.clone(),
    )
}

impl From<&Warning> for Finding {
    fn from(warning: &Warning) -> Self {
        Self {
            severity: Some(warning.severity()),
            code: warning.cause.code(),
            message: warning.cause.to_string(),
            location: warning.location.clone(),
            repair: None,
        }
    }
}

impl From<&Error> for Finding {
    fn from(error: &Error) -> Self {
        Self {
            severity: None,
            code: error.cause().code(),
            message: error.cause().to_string(),
            location: error.location().clone(),
            repair: None,
        }
    }
}

impl From<&Repair> for Finding {
    fn from(repair: &Repair) -> Self {
        Self {
            severity: repair.severity,
            code: repair.code,
            message: repair.reason.clone(),
            location: repair.location.clone(),
            repair: Some(repair.reason.clone()),
        }
    }
}

impl Finding {
    /// As `featherline.robot_files.Finding`.
    pub fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (file, line, column, element) = place(&self.location);
        let (severity, message) = (word(self.severity), &self.message);
        let fields = (
            severity,
            self.code,
            message,
            file,
            line,
            column,
            element,
            &self.repair,
        );
        made(py, "Finding", fields)
    }

    /// Adds repairs to the findings that they are of; others are findings of their own.
    pub fn add(findings: &mut Vec<Self>, repairs: &Repairs) {
        let start = |it: &Location| it.span.as_ref().map(|it: &Span| it.bytes.start);
        for repair in &repairs.repairs {
            let at = &repair.location;
            let is_same = |it: &&mut Self| {
                it.code == repair.code
                    && it.repair.is_none()
                    && it.location.file == at.file
                    && start(&it.location) == start(at)
            };
            match findings.iter_mut().find(is_same) {
                Some(known) => known.repair = Some(repair.reason.clone()),
                None => findings.push(repair.into()),
            }
        }
    }

    /// The most serious first.
    pub fn sort(findings: &mut [Self]) {
        findings.sort_by_key(|it| match it.severity {
            None => 0,
            Some(Severity::Warning) => 1,
            Some(Severity::Note) => 2,
        });
    }
}

/// As `featherline.robot_files.Findings`.
pub fn collected<'py>(
    py: Python<'py>,
    findings: impl IntoIterator<Item = Finding>,
) -> PyResult<Bound<'py, PyAny>> {
    let all = findings.into_iter().map(|it| it.object(py));
    made(py, "Findings", (all.collect::<PyResult<Vec<_>>>()?,))
}

/// Warnings as `featherline.robot_files.Findings`.
pub fn findings<'py>(py: Python<'py>, warnings: &[Warning]) -> PyResult<Bound<'py, PyAny>> {
    collected(py, warnings.iter().map(Finding::from))
}

/// Repairs as `featherline.robot_files.Repairs`.
pub fn repairs<'py>(py: Python<'py>, repairs: &Repairs) -> PyResult<Bound<'py, PyAny>> {
    let path = |file: usize| {
        let path = repairs.files[file].path.as_ref();
        path.map(|it| it.display().to_string())
    };
    let mut all = Vec::with_capacity(repairs.repairs.len());
    for repair in &repairs.repairs {
        let edits = repair.edits.iter().map(|it| {
            let (start, end) = (it.start, it.end);
            let fields = (
                path(it.file),
                (start.line, start.column),
                (end.line, end.column),
                &it.text,
            );
            made(py, "Edit", fields)
        });
        let edits = PyTuple::new(py, edits.collect::<PyResult<Vec<_>>>()?)?;
        let (file, line, column, element) = place(&repair.location);
        let severity = word(repair.severity);
        let fields = (
            severity,
            repair.code,
            &repair.reason,
            file,
            line,
            column,
            element,
            edits,
        );
        all.push(made(py, "Repair", fields)?);
    }
    let count = repairs.repairs.len();
    let files = (0..repairs.files.len()).map(|file| {
        let (before, after) = (&repairs.files[file].text, repairs.text(file, count));
        made(py, "RepairedFile", (path(file), before, after))
    });
    let files = PyTuple::new(py, files.collect::<PyResult<Vec<_>>>()?)?;
    let remaining = match &repairs.outcome {
        Ok(robot) => findings(py, &robot.warnings)?,
        Err(error) => collected(py, [Finding::from(error)])?,
    };
    made(py, "Repairs", (PyTuple::new(py, all)?, files, remaining))
}
