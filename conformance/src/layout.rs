//! Which of our joints, frames and coordinates are which of the reference's: joints and frames by
//! name, coordinates by the joint that they belong to.

use crate::reference::{Joint, Robot, TargetKind};
use anyhow::{Context, Result, ensure};
use featherline::Model;
use featherline::model::{FrameId, FrameKind, JointId};
use featherline::regressor::BODY_PARAMETERS;
use nalgebra::DMatrix;

/// How far masses and constants of mimic joints may be apart, relatively: a few roundings of sums
/// in another order.
const EQUAL: f64 = 1e-13;

/// A place where Jacobians are taken.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// A joint's moving frame.
    Joint(JointId),
    /// Another frame.
    Frame(FrameId),
}

/// The joints, frames and coordinates of the reference, in our numbers.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Our joints in the reference's order.
    pub joints: Vec<JointId>,
    /// Our frames in the order of the reference's `bodies`.
    pub bodies: Vec<FrameId>,
    /// Our places in the order of the reference's `targets`.
    pub targets: Vec<Anchor>,
    /// The frame of the kinematic Hessians.
    pub hessian: Option<FrameId>,
    /// For each of our entries of q, the reference's.
    q: Vec<usize>,
    /// For each of our entries of v, the reference's.
    v: Vec<usize>,
}

impl Layout {
    /// Finds everything that the reference names.
    ///
    /// # Errors
    /// If the two sides do not have the same joints, tree, coordinates, mimic joints or masses:
    /// what differs, by name.
    pub fn new(model: &Model, reference: &Robot) -> Result<Self> {
        ensure!(
            (model.nq(), model.nv()) == (reference.nq, reference.nv),
            "nq, nv are {:?}, in the reference {:?}",
            (model.nq(), model.nv()),
            (reference.nq, reference.nv)
        );
        ensure!(
            model.joint_ids().count() == reference.joints.len(),
            "there are {} joints, in the reference {}",
            model.joint_ids().count(),
            reference.joints.len()
        );
        close("the total mass", model.total_mass(), reference.total_mass)?;
        for (ours, theirs) in model.gravity().to_array().iter().zip(reference.gravity) {
            close("gravity", *ours, theirs)?;
        }
        let mut layout = Self {
            joints: Vec::new(),
            bodies: Vec::new(),
            targets: Vec::new(),
            hessian: None,
            q: vec![0; reference.nq],
            v: vec![0; reference.nv],
        };
        for theirs in &reference.joints {
            let id = model.joint_id(&theirs.name)?;
            layout.joints.push(id);
            layout
                .add_coordinates(model, id, theirs)
                .with_context(|| format!("joint `{}`", theirs.name))?;
        }
        for name in &reference.bodies {
            layout.bodies.push(model.frame_id(name)?);
        }
        for target in &reference.targets {
            let name = &target.name;
            layout.targets.push(match target.kind {
                TargetKind::Joint => Anchor::Joint(model.joint_id(name)?),
                TargetKind::Body => Anchor::Frame(model.body_id(name)?),
                TargetKind::Frame => {
                    Anchor::Frame(model.frame_id_of_kind(name, FrameKind::Operational)?)
                }
            });
        }
        if let Some(name) = &reference.hessian_joint {
            layout.hessian = Some(model.frame_id_of_kind(name, FrameKind::Joint)?);
        }
        Ok(layout)
    }

    /// Checks that a joint has the same parent and law on both sides, and notes where its
    /// coordinates are.
    fn add_coordinates(&mut self, model: &Model, id: JointId, theirs: &Joint) -> Result<()> {
        let ours = model.joint(id);
        let parent = match ours.parent {
            JointId::UNIVERSE => None,
            parent => Some(&model.joint(parent).name),
        };
        ensure!(
            parent == theirs.parent.as_ref(),
            "its parent is {parent:?}, in the reference {:?}",
            theirs.parent
        );
        ensure!(
            (ours.nq, ours.nv) == (theirs.nq, theirs.nv),
            "its nq, nv are {:?}, in the reference {:?}",
            (ours.nq, ours.nv),
            (theirs.nq, theirs.nv)
        );
        match (&ours.mimic, &theirs.mimic) {
            (None, None) => {}
            (Some(law), Some(reference)) => {
                let master = &model.joint(law.source).name;
                ensure!(
                    *master == reference.master,
                    "it mimics `{master}`, in the reference `{}`",
                    reference.master
                );
                close("its ratio", law.ratio, reference.ratio)?;
                close("its offset", law.offset, reference.offset)?;
            }
            (law, reference) => {
                anyhow::bail!("it mimics by {law:?}, in the reference {reference:?}")
            }
        }
        for k in 0..ours.nq {
            self.q[ours.idx_q + k] = theirs.idx_q + k;
        }
        for k in 0..ours.nv {
            self.v[ours.idx_v + k] = theirs.idx_v + k;
        }
        Ok(())
    }

    /// A configuration of the reference in our order.
    pub fn our_q(&self, theirs: &[f64]) -> Vec<f64> {
        self.q.iter().map(|&k| theirs[k]).collect()
    }

    /// A vector of the reference's tangent space in our order.
    pub fn our_v(&self, theirs: &[f64]) -> Vec<f64> {
        self.v.iter().map(|&k| theirs[k]).collect()
    }

    /// A configuration of ours in the reference's order.
    pub fn their_q(&self, ours: &[f64]) -> Vec<f64> {
        scatter(ours, &self.q)
    }

    /// A vector of our tangent space in the reference's order.
    pub fn their_v(&self, ours: &[f64]) -> Vec<f64> {
        scatter(ours, &self.v)
    }

    /// A matrix with a column for each degree of freedom, row by row in the reference's order of
    /// columns.
    pub fn their_columns(&self, ours: &DMatrix<f64>) -> Vec<f64> {
        let width = ours.ncols();
        let mut out = vec![0.0; ours.len()];
        for row in 0..ours.nrows() {
            for (k, &theirs) in self.v.iter().enumerate() {
                out[row * width + theirs] = ours[(row, k)];
            }
        }
        out
    }

    /// A matrix over the tangent space, row by row in the reference's order of rows and columns.
    pub fn their_matrix(&self, ours: &DMatrix<f64>) -> Vec<f64> {
        let n = self.v.len();
        let mut out = vec![0.0; n * n];
        for (i, &row) in self.v.iter().enumerate() {
            for (k, &column) in self.v.iter().enumerate() {
                out[row * n + column] = ours[(i, k)];
            }
        }
        out
    }

    /// The parameters of all bodies, `count` a body, in the reference's order of joints.
    ///
    /// This is all that the two orders differ by: the ten of a body are m, m c (x, y, z), and xx,
    /// xy, yy, xz, yz, zz about the joint's origin on both sides.
    pub fn their_parameters(&self, ours: &[f64], count: usize) -> Vec<f64> {
        let bodies = self.joints.iter().map(|joint| joint.index() - 1);
        let rows = bodies.map(|body| &ours[body * count..][..count]);
        rows.flatten().copied().collect()
    }

    /// A matrix with a row for each degree of freedom and ten columns for each body, row by row.
    pub fn their_regressor(&self, ours: &DMatrix<f64>) -> Vec<f64> {
        let mut rows = vec![Vec::new(); self.v.len()];
        for (ours, &theirs) in ours.row_iter().zip(&self.v) {
            let row: Vec<f64> = ours.iter().copied().collect();
            rows[theirs] = self.their_parameters(&row, BODY_PARAMETERS);
        }
        rows.concat()
    }

    /// A Hessian, entry (row, j, k) of ours at `row + 6 (j + nv k)`, as the reference's array \[6,
    /// nv, nv\].
    pub fn their_hessian(&self, ours: &[f64]) -> Vec<f64> {
        let n = self.v.len();
        let mut out = vec![0.0; 6 * n * n];
        for row in 0..6 {
            for (j, &column) in self.v.iter().enumerate() {
                for (k, &direction) in self.v.iter().enumerate() {
                    out[(row * n + column) * n + direction] = ours[row + 6 * (j + n * k)];
                }
            }
        }
        out
    }
}

fn scatter(values: &[f64], to: &[usize]) -> Vec<f64> {
    let mut out = vec![0.0; values.len()];
    for (&value, &k) in values.iter().zip(to) {
        out[k] = value;
    }
    out
}

fn close(what: &str, ours: f64, theirs: f64) -> Result<()> {
    ensure!(
        (ours - theirs).abs() <= EQUAL * theirs.abs().max(1.0),
        "{what} is {ours}, in the reference {theirs}"
    );
    Ok(())
}
