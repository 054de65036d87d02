//! Inverse kinematics for several goals.

use crate::matrix::{Thrown, from_matrix, vector};
use crate::robot::Robot;
use featherline_control::{Goal, InverseKinematics};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// Entries of a goal: its kind, its weight, a point of the frame, and a placement.
const GOAL: usize = 21;

#[wasm_bindgen]
impl Robot {
    /// Moves frames to goals, or as near as the robot comes from `q` on; `restarts` is the most
    /// random starts after the first.
    ///
    /// `goals` has 21 entries for each frame: 0 for a position, 1 for a rotation, 2 for a
    /// placement; the weight; the point of the frame that is meant; and the placement in the world,
    /// 16 entries by columns.
    ///
    /// Returns q; then whether the goals are reached (0 or 1), the largest errors in m and in rad,
    /// the iterations and the restarts.
    #[wasm_bindgen(js_name = inverseKinematics)]
    pub fn inverse_kinematics(
        &self,
        q: &[f64],
        frames: Vec<String>,
        goals: &[f64],
        restarts: usize,
    ) -> Thrown<Vec<f64>> {
        if goals.len() != GOAL * frames.len() {
            return Err(JsError::new("a goal has 21 entries"));
        }
        let mut all = Vec::with_capacity(frames.len());
        for (frame, entries) in frames.iter().zip(goals.chunks_exact(GOAL)) {
            let target = self.model.target(frame)?;
            let placement = from_matrix(&entries[5..])?;
            let goal = match entries[0] {
                0.0 => Goal::position(target, placement.translation),
                1.0 => Goal::rotation(target, placement.rotation),
                _ => Goal::placement(target, placement),
            };
            all.push(goal.weight(entries[1]).at(vector("point", &entries[2..5])?));
        }
        let mut q = q.to_vec();
        let mut solver = InverseKinematics::new(&self.model)?.restarts(restarts);
        let solution = solver.solve(&all, &mut q)?;
        q.extend([
            f64::from(u8::from(solution.is_reached)),
            solution.position_error,
            solution.rotation_error,
            solution.iterations as f64,
            solution.restarts as f64,
        ]);
        Ok(q)
    }
}
