//! Forces and rows in the coordinates that a constraint asks for.
//!
//! A row block K of the held frame's axes becomes A K, and its multipliers A⁻ᵀ λ: with R the
//! rotation of the held frame and X its action on motions, A is R for points, R twice for frames in
//! `LocalWorldAligned`, X for frames in `World`, whose A⁻ᵀ is X*.

use super::constraint::FrameConstraintKind;
use super::workspace::{ConstraintWorkspace, Settings};
use crate::loops::workspace::Loop;
use featherline::kernel::{Scratch, links};
use featherline::kinematics::ReferenceFrame;
use featherline::model::Model;
use featherline::spatial::{Force, Se3};

/// The held frame in the world, from the placements of links in their parents'.
fn placed(model: &Model, scratch: &Scratch<f64>, held: &Loop) -> Se3<f64> {
    let (mut body, mut frame) = (held.joint.successor.index(), held.output);
    while body != 0 {
        frame = scratch.placement[body].compose(&frame);
        body = links(model)[body].parent;
    }
    frame
}

/// Places the held frames whose references need it. The links have been placed.
pub(super) fn place(
    model: &Model,
    scratch: &Scratch<f64>,
    held: &[Loop],
    settings: &mut [Settings],
) {
    for (held, settings) in held.iter().zip(settings) {
        if !settings.is_local() {
            settings.placement = placed(model, scratch, held);
        }
    }
}

/// A force of the held frame, in the reference's coordinates.
#[inline(always)]
pub(super) fn stated(settings: &Settings, force: &Force<f64>) -> Force<f64> {
    match settings.reference {
        ReferenceFrame::Local => *force,
        ReferenceFrame::LocalWorldAligned => {
            let rotation = &settings.placement.rotation;
            let angular = rotation.mul_vec(force.angular);
            Force::new(rotation.mul_vec(force.linear), angular)
        }
        ReferenceFrame::World => settings.placement.act_force(force),
    }
}

/// The multipliers of one constraint as a force.
#[inline(always)]
pub(super) fn force_of(multipliers: &[f64]) -> Force<f64> {
    let mut entries = [0.0; 6];
    entries[..multipliers.len()].copy_from_slice(multipliers);
    Force::from_array(entries)
}

/// The factor of a row block from the left: A for rows of motions, A⁻ᵀ for multipliers.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    Motion,
    Force,
}

/// Transforms the row blocks of a matrix, with (r, c) at `r * row_stride + c * column_stride`.
pub(super) fn state_rows(
    held: &[Loop],
    settings: &[Settings],
    side: Side,
    elements: &mut [f64],
    columns: usize,
    (row_stride, column_stride): (usize, usize),
) {
    for (held, settings) in held.iter().zip(settings) {
        if settings.is_local() {
            continue;
        }
        let Some(kind) = settings.kind else { continue };
        let matrix = action(kind, settings, side);
        let (first, count) = (held.row, kind.rows());
        for c in 0..columns {
            let mut own = [0.0; 6];
            for (r, entry) in own.iter_mut().enumerate().take(count) {
                *entry = elements[(first + r) * row_stride + c * column_stride];
            }
            for (r, row) in matrix.iter().enumerate().take(count) {
                let mut sum = 0.0;
                for k in 0..count {
                    sum = f64::mul_add(row[k], own[k], sum);
                }
                elements[(first + r) * row_stride + c * column_stride] = sum;
            }
        }
    }
}

fn action(kind: FrameConstraintKind, settings: &Settings, side: Side) -> [[f64; 6]; 6] {
    let placement = match (kind, settings.reference) {
        (FrameConstraintKind::Frame, ReferenceFrame::World) => settings.placement,
        _ => Se3::from_rotation(settings.placement.rotation),
    };
    match side {
        Side::Motion => placement.action_matrix(),
        Side::Force => placement.dual_action_matrix(),
    }
}

impl ConstraintWorkspace {
    /// Writes the forces of all constraints and the multipliers, from λ.
    pub(super) fn state_forces(&mut self) {
        let rows = self.system.rows;
        let (held, settings) = (&self.held[..self.acting], &self.settings[..self.acting]);
        let multipliers = &self.multipliers[..rows];
        self.forces.fill(Force::zero());
        for (held, settings) in held.iter().zip(settings) {
            let own = &multipliers[held.rows()];
            let force = stated(settings, &force_of(own)).to_array();
            self.stated[held.rows()].copy_from_slice(&force[..own.len()]);
            self.forces[settings.index] = match settings.kind {
                None => crate::loops::rows::transmitted(&held.basis, own),
                Some(_) => force_of(&self.stated[held.rows()]),
            };
        }
    }
}
