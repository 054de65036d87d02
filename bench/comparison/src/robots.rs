//! The robots of the comparison, read in the way that lets every contender use the same
//! coordinates.

use anyhow::{Context, Result, bail};
use featherline::Model;
use featherline_formats::{Continuous, LoadOptions, MimicJoints, SiblingOrder};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// Reads a URDF as Pinocchio's exporter does: siblings by name, continuous joints as (cos, sin),
/// mimic joints free.
///
/// # Errors
/// If the file is no valid robot.
pub fn read(urdf: &Path, floating_base: bool) -> Result<Model> {
    let options = LoadOptions::default()
        .floating_base(floating_base)
        .continuous(Continuous::CosSin)
        .mimic(MimicJoints::Free)
        .sibling_order(SiblingOrder::Alphabetical);
    Ok(featherline_formats::load_with(urdf, &options)?.model)
}

/// Where a peer keeps the coordinates of each joint: the file that its exporter writes beside the
/// model.
#[derive(Debug, Deserialize)]
pub struct Layout {
    nq: usize,
    nv: usize,
    joints: Vec<Coordinates>,
}

/// The coordinates of one joint.
#[derive(Debug, Deserialize, PartialEq)]
struct Coordinates {
    name: String,
    parent: String,
    idx_q: usize,
    nq: usize,
    idx_v: usize,
    nv: usize,
}

impl Layout {
    /// Reads a layout.
    ///
    /// # Errors
    /// If the file cannot be read, or is no layout.
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no layout", path.display()))
    }

    /// Fails unless the model has the same joints, by name and parent, with the same places in q
    /// and v.
    ///
    /// # Errors
    /// Names the first joint that differs.
    pub fn check(&self, model: &Model) -> Result<()> {
        if (self.nq, self.nv) != (model.nq(), model.nv()) {
            bail!(
                "the peer's model has nq {} and nv {}, ours {} and {}",
                self.nq,
                self.nv,
                model.nq(),
                model.nv()
            );
        }
        let ours = model.joints();
        if self.joints.len() + 1 != ours.len() {
            bail!(
                "the peer has {} joints, we have {}",
                self.joints.len(),
                ours.len() - 1
            );
        }
        for (theirs, own) in self.joints.iter().zip(&ours[1..]) {
            let own = Coordinates {
                name: own.name.clone(),
                parent: ours[own.parent.index()].name.clone(),
                idx_q: own.idx_q,
                nq: own.nq,
                idx_v: own.idx_v,
                nv: own.nv,
            };
            if *theirs != own {
                bail!("a joint differs: the peer has {theirs:?}, we have {own:?}");
            }
        }
        Ok(())
    }
}
