//! Singular configurations of the loops along a motion.

use super::SimulationWarning;
use crate::integrator::gauss::Gauss;
use featherline::model::Model;
use featherline_constraint::LoopWorkspace;
use featherline_constraint::kernel::{PassageTest, regularity, remove_opening_velocity};

/// Conditions from which on a sudden rise is looked at.
const SUSPECT: f64 = 1e2;

/// A condition that rises so many times in a step goes through a singularity in the next one.
const SUDDEN: f64 = 4.0;

/// The part of the greatest impulse from which on loop joints are strained like that one.
const ALIKE: f64 = 0.5;

/// Follows how regular loops are from step to step.
#[derive(Clone, Debug)]
pub(in super::super) struct Singularity {
    last: f64,
    held: PassageTest,
    turned: Gauss,
    is_told: bool,
}

impl Singularity {
    /// Of loops whose workspace knows the generic redundancy.
    pub(in super::super) fn new(ws: &LoopWorkspace) -> Self {
        Self {
            last: f64::INFINITY,
            held: PassageTest::new(ws),
            turned: Gauss::new(PassageTest::count(ws)),
            is_told: false,
        }
    }

    /// Looks at the loops in the configuration `q` at the time `t`, and warns once that they are
    /// singular, or were since the last look: by their condition, how it rose, and whether the
    /// motion passed through a singularity. They must be closed: elsewhere the redundancy is not
    /// the generic one.
    pub(in super::super) fn look(
        &mut self,
        model: &Model,
        ws: &mut LoopWorkspace,
        t: f64,
        q: &[f64],
    ) -> Option<SimulationWarning> {
        if self.is_told {
            return None;
        }
        let loops = regularity(model, ws, q).ok()?;
        let is_sudden = loops.condition >= SUSPECT && loops.condition > SUDDEN * self.last;
        self.last = loops.condition;
        let passed = self.held.compare(ws, &mut self.turned.matrix)
            && self.turned.factorize().is_ok()
            && self.turned.determinant_is_negative();
        if !(loops.is_singular() || is_sudden || passed) {
            return None;
        }
        self.is_told = true;
        let joints = strained(model, ws, q);
        Some(SimulationWarning::SingularLoops { t, joints, loops })
    }
}

/// The loop joints that take the greatest impulses to keep loops closed in any motion, and those
/// that take half as much: near a singular configuration one combination of forces does all but
/// nothing, and is large wherever it is asked for anything.
fn strained(model: &Model, ws: &mut LoopWorkspace, q: &[f64]) -> Vec<String> {
    // Of no symmetry of a robot.
    let mut apart: Vec<f64> = (0..model.nv()).map(|k| (2.3 * k as f64).cos()).collect();
    let Ok(impulses) = remove_opening_velocity(model, ws, q, &mut apart) else {
        return Vec::new();
    };
    let greatest = impulses.iter().copied().fold(0.0, f64::max);
    let joints = model.loop_joints().iter().zip(&impulses);
    let strained = joints.filter(|(_, impulse)| **impulse >= ALIKE * greatest);
    strained.map(|(joint, _)| joint.name.clone()).collect()
}
