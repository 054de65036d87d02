//! End stops that do not yield: impulses and displacements after each step of an integrator.

use crate::matrix::Thrown;
use featherline::{Model, Workspace};
use featherline_constraint::{LoopWorkspace, assemble_holding, project_velocities};
use nalgebra::{DMatrix, DVector};

/// Sweeps over the stops that are reached, and the change of an impulse, of the largest, that ends
/// them.
const SWEEPS: usize = 200;
const SETTLED: f64 = 1e-10;

/// The limits of coordinates that are displacements, as inelastic end stops.
///
/// A coordinate that begins beyond its limit has its stop where it is; the stop moves in with it.
pub struct Stops {
    stops: Vec<Stop>,
    /// The impulse of each stop in the last step, in N·m·s or N·s, by coordinates.
    pub impulses: Vec<f64>,
}

struct Stop {
    idx_q: usize,
    idx_v: usize,
    lower: f64,
    upper: f64,
    /// Where the stops are now: the limits, wide enough for the start.
    now: (f64, f64),
}

impl Stops {
    pub fn new(model: &Model, q: &[f64]) -> Self {
        let mut stops = Vec::new();
        // A joint with as many entries in q as in v has displacements.
        for joint in model.joints().iter().filter(|it| it.nq == it.nv) {
            for i in 0..joint.nq {
                let (lower, upper) = (joint.limits.lower[i], joint.limits.upper[i]);
                if lower.is_finite() || upper.is_finite() {
                    let idx_q = joint.idx_q + i;
                    stops.push(Stop {
                        idx_q,
                        idx_v: joint.idx_v + i,
                        lower,
                        upper,
                        now: (lower.min(q[idx_q]), upper.max(q[idx_q])),
                    });
                }
            }
        }
        Self {
            stops,
            impulses: vec![0.0; model.nv()],
        }
    }

    /// Ends the motion into stops that were reached in a step, and moves coordinates out of them.
    pub fn act(
        &mut self,
        model: &Model,
        ws: &mut Workspace<f64>,
        mut loops: Option<&mut LoopWorkspace>,
        q: &mut [f64],
        v: &mut [f64],
    ) -> Thrown<()> {
        self.impulses.fill(0.0);
        // 1 at a lower stop, −1 at an upper one: the sign of an impulse.
        let mut reached: Vec<(usize, f64)> = Vec::new();
        let mut moved = q.to_vec();
        for stop in &mut self.stops {
            let (lower, upper) = stop.now;
            if q[stop.idx_q] <= lower {
                reached.push((stop.idx_v, 1.0));
            } else if q[stop.idx_q] >= upper {
                reached.push((stop.idx_v, -1.0));
            }
            moved[stop.idx_q] = q[stop.idx_q].max(lower).min(upper);
            let at = moved[stop.idx_q];
            stop.now = (stop.lower.min(at), stop.upper.max(at));
        }
        if reached.is_empty() {
            return Ok(());
        }
        let held: Vec<usize> = reached.iter().map(|(k, _)| *k).collect();
        match &mut loops {
            None => q.copy_from_slice(&moved),
            // Where loops do not let coordinates back, the impulses keep them from going further.
            Some(loops) => {
                if assemble_holding(model, loops, &mut moved, &held).is_ok() {
                    q.copy_from_slice(&moved);
                }
            }
        }
        if reached.iter().all(|&(k, sign)| sign * v[k] >= 0.0) {
            return Ok(());
        }
        // P M⁻¹ E, the change of velocities by unit impulses: P keeps loops closed.
        let (nv, count) = (model.nv(), reached.len());
        let mut rows = vec![0.0; nv * count];
        for (column, &(k, sign)) in reached.iter().enumerate() {
            rows[k * count + column] = sign;
        }
        model.ltdl(ws, q)?.solve_rows(&mut rows, count)?;
        let mut response = DMatrix::from_row_slice(nv, count, &rows);
        if let Some(loops) = loops {
            project_velocities(model, loops, q, &mut response)?;
        }
        let mut found = DVector::from_column_slice(v);
        let mut impulses = vec![0.0_f64; count];
        // 0 ≤ λ ⊥ Eᵀ v' ≥ 0 by projected Gauss-Seidel: each stop in turn ends its own motion.
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for (column, &(k, sign)) in reached.iter().enumerate() {
                let mobility = sign * response[(k, column)];
                // What loops do not let move has none.
                if mobility <= 1e-12 {
                    continue;
                }
                let before = impulses[column];
                impulses[column] = (before - sign * found[k] / mobility).max(0.0);
                let more = impulses[column] - before;
                found.axpy(more, &response.column(column), 1.0);
                change = change.max(more.abs());
            }
            let largest = impulses.iter().fold(0.0_f64, |most, x| most.max(*x));
            if change <= SETTLED * largest {
                break;
            }
        }
        v.copy_from_slice(found.as_slice());
        for (&(k, sign), impulse) in reached.iter().zip(&impulses) {
            self.impulses[k] += sign * impulse;
        }
        Ok(())
    }
}
