//! The packages of the workspace and what each is compiled to, as cargo tells them.

use crate::{ci, python};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub manifest_path: PathBuf,
    pub targets: Vec<Target>,
    features: BTreeMap<String, Vec<String>>,
    /// The registries that it may go to; all where there is no list.
    publish: Option<Vec<String>>,
    metadata: Option<serde_json::Value>,
}

impl Package {
    pub fn is_published(&self) -> bool {
        self.publish.is_none()
    }

    /// The name of its file, without the ending, and of the folder in it.
    pub fn file_stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// The features that its documentation is made with.
    pub fn documented_features(&self) -> Vec<&str> {
        let all =
            |metadata: &serde_json::Value| metadata.pointer("/docs/rs/all-features")?.as_bool();
        match self.metadata.as_ref().and_then(all) {
            Some(true) => self.features.keys().map(String::as_str).collect(),
            Some(false) | None => Vec::new(),
        }
    }
}

#[derive(Deserialize)]
pub struct Target {
    pub name: String,
    kind: Vec<String>,
    /// Whether `cargo test` links it with a harness.
    pub test: bool,
}

impl Target {
    pub fn is_example(&self) -> bool {
        self.kind.iter().any(|kind| kind == "example")
    }
}

/// All packages of the workspace.
pub fn packages() -> Result<Vec<Package>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let text = python::output(ci::cargo().args(arguments))?;
    let metadata: Metadata =
        serde_json::from_str(&text).context("cargo's metadata has another form")?;
    Ok(metadata.packages)
}

/// The names of all examples.
pub fn examples() -> Result<Vec<String>> {
    let targets = packages()?.into_iter().flat_map(|package| package.targets);
    let examples = targets.filter(Target::is_example);
    Ok(examples.map(|target| target.name).collect())
}
