//! Golden files: the reference numbers of one description.

use crate::reference::{Array, Robot, State};
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The version of the format that is read.
const FORMAT: u64 = 1;

/// The reference numbers of one description.
#[derive(Clone, Debug)]
pub struct Golden {
    /// The name of the description.
    pub description: String,
    /// The fraction at which configurations are interpolated.
    pub interpolation: f64,
    /// The robot as the reference sees it.
    pub robot: Robot,
    /// Its states.
    pub states: Vec<State>,
}

#[derive(Deserialize)]
struct File {
    format: u64,
    description: String,
    interpolation: f64,
    #[serde(flatten)]
    robot: Robot,
    shapes: BTreeMap<String, Vec<usize>>,
    states: Vec<Values>,
}

#[derive(Deserialize)]
struct Values {
    errors: BTreeMap<String, String>,
    values: BTreeMap<String, Vec<f64>>,
}

/// Reads a golden file.
///
/// # Errors
/// If the file cannot be read, has another format, or an array does not have the shape that is
/// stated for its name.
pub fn read(path: &Path) -> Result<Golden> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let file: File = serde_json::from_str(&text)
        .with_context(|| format!("{} is no golden file", path.display()))?;
    ensure!(
        file.format == FORMAT,
        "{} has format {}, and this program reads {FORMAT}",
        path.display(),
        file.format
    );
    let mut states = Vec::new();
    for (index, state) in file.states.into_iter().enumerate() {
        let mut arrays = BTreeMap::new();
        for (name, values) in state.values {
            let shape = file.shapes.get(&name).cloned();
            let shape = shape.with_context(|| format!("`{name}` has no shape"))?;
            ensure!(
                shape.iter().product::<usize>() == values.len(),
                "`{name}` has {} entries, and its shape is {shape:?}",
                values.len()
            );
            arrays.insert(name, Array { shape, values });
        }
        states.push(State {
            index,
            missing: state.errors,
            arrays,
        });
    }
    Ok(Golden {
        description: file.description,
        interpolation: file.interpolation,
        robot: file.robot,
        states,
    })
}
