//! Writes the samples with closed loops as featherline's models, from which the peers' are made.

use anyhow::{Context, Result};
use clap::Parser;
use featherline::{Model, samples};
use std::fs;
use std::path::PathBuf;

/// Those whose loops a peer can close: by balls, or by a hinge across the plane in which all lies,
/// for which a ball does as well.
const LINKAGES: [fn() -> Model; 5] = [
    samples::four_bar,
    samples::parallelogram,
    samples::six_bar,
    samples::stewart,
    samples::delta,
];

#[derive(Parser)]
#[command(about = "Write the linkages of featherline's samples as JSON")]
struct Arguments {
    /// Where to write the files NAME.featherline.json.
    folder: PathBuf,
}

fn main() -> Result<()> {
    let Arguments { folder } = Arguments::parse();
    for linkage in LINKAGES {
        let model = linkage();
        let path = folder.join(format!("{}.featherline.json", model.name()));
        fs::write(&path, serde_json::to_string(&model)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
