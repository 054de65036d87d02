//! The reference numbers of robots that URDF cannot express.

use crate::{paths, python};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Arguments {
    /// Write the numbers of these descriptions only (names without folder and ending).
    #[arg(long, num_args = 1.., value_name = "NAME")]
    only: Vec<String>,
}

/// Writes a file in `conformance/golden` for every description.
pub fn run(arguments: &Arguments) -> Result<()> {
    let conformance = paths::root().join("conformance");
    let descriptions = descriptions(&conformance.join("descriptions"))?;
    for name in &arguments.only {
        if !descriptions.iter().any(|(known, _)| known == name) {
            let known: Vec<&str> = descriptions.iter().map(|(name, _)| name.as_str()).collect();
            bail!(
                "no description is named `{name}`; there are: {}",
                known.join(", ")
            );
        }
    }
    let interpreter = python::environment()?;
    for (name, description) in descriptions {
        if !arguments.only.is_empty() && !arguments.only.contains(&name) {
            continue;
        }
        let out = conformance
            .join("golden")
            .join(&name)
            .with_extension("json");
        println!("{name}");
        python::run(
            python::reference(&interpreter)
                .arg("golden")
                .arg("--description")
                .arg(description)
                .arg("--out")
                .arg(out),
        )?;
    }
    Ok(())
}

/// Names and paths of all descriptions, by name.
fn descriptions(folder: &std::path::Path) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json")
            && let Some(name) = path.file_stem().and_then(|stem| stem.to_str())
        {
            found.push((name.to_owned(), path));
        }
    }
    found.sort();
    Ok(found)
}
