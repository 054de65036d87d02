//! The results of a check of a file, as Python objects.

use super::parts::made;
use crate::array::Answer;
use featherline_formats::check::Finding;
use featherline_formats::repair::Repairs;
use featherline_formats::{Location, Warning};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

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

/// As `featherline.robot_files.Finding`.
fn object<'py>(py: Python<'py>, finding: &Finding) -> Answer<'py> {
    let (file, line, column, element) = place(&finding.location);
    let repair = finding.repair.as_ref().map(|it| it.reason.as_str());
    let fields = (
        finding.severity.word(),
        finding.code,
        &finding.message,
        file,
        line,
        column,
        element,
        repair,
    );
    made(py, "Finding", fields)
}

/// As `featherline.robot_files.Findings`.
pub fn collected<'py>(py: Python<'py>, findings: impl IntoIterator<Item = Finding>) -> Answer<'py> {
    let all = findings.into_iter().map(|it| object(py, &it));
    made(py, "Findings", (all.collect::<PyResult<Vec<_>>>()?,))
}

/// Warnings as `featherline.robot_files.Findings`.
pub fn findings<'py>(py: Python<'py>, warnings: &[Warning]) -> Answer<'py> {
    collected(py, warnings.iter().map(Finding::from))
}

/// Repairs as `featherline.robot_files.Repairs`.
pub fn repairs<'py>(py: Python<'py>, repairs: &Repairs) -> Answer<'py> {
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
        let severity = repair.severity.word();
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
