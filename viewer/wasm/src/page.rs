//! What the page of the viewer computes of a robot besides.

use crate::matrix::{Thrown, vector};
use crate::robot::Robot;
use featherline::spatial::Motion;
use featherline_control::{Goal, InverseKinematics};
use featherline_formats::model_file;
use wasm_bindgen::prelude::wasm_bindgen;

/// What an error of a frame that is held counts beside one of the point that is moved.
const HELD: f64 = 100.0;

#[wasm_bindgen]
impl Robot {
    /// The robot as the text of a model file.
    #[wasm_bindgen(js_name = modelFile)]
    pub fn model_file(&self) -> String {
        model_file::to_string(&self.model)
    }

    /// The axes along which joints move, in the world: for each joint in order and each degree of
    /// freedom of its kind, 6 entries [linear; angular] of a unit velocity at the joint's origin.
    #[wasm_bindgen(js_name = jointAxes)]
    pub fn joint_axes(&mut self, q: &[f64]) -> Thrown<Vec<f64>> {
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        let mut axes = Vec::new();
        for id in self.model.joint_ids() {
            let joint = self.model.joint(id);
            let mut own = q[joint.idx_q..joint.idx_q + joint.kind.nq()].to_vec();
            if let Some(mimic) = joint.mimic {
                // The displacement of a mimic joint is its own: q = ratio · q_source + offset.
                own[0] = mimic.ratio.mul_add(own[0], mimic.offset);
            }
            let mut columns = vec![Motion::zero(); joint.kind.nv()];
            joint.kind.evaluate(&own, &mut columns);
            let rotation = kinematics.placement(id).rotation;
            for column in columns {
                axes.extend((rotation * column.linear).to_array());
                axes.extend((rotation * column.angular).to_array());
            }
        }
        Ok(axes)
    }

    /// Moves a point of a frame, in its own coordinates, to a position in the world, or as near as
    /// the robot reaches from `q` on. The frames `held` stay where they are, as far as the weight
    /// of 100 on their goals goes. Returns the configuration.
    #[wasm_bindgen(js_name = reachPosition)]
    pub fn reach_position(
        &mut self,
        q: &[f64],
        frame: &str,
        point: &[f64],
        position: &[f64],
        held: Vec<String>,
    ) -> Thrown<Vec<f64>> {
        let target = self.model.target(frame)?;
        let goal = Goal::position(target, vector("position", position)?);
        let mut goals = vec![goal.at(vector("point", point)?)];
        let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
        for name in held {
            let target = self.model.target(&name)?;
            let placement = kinematics.placement(target);
            goals.push(Goal::placement(target, placement).weight(HELD));
        }
        let mut q = q.to_vec();
        // From here on, without jumps.
        let mut solver = InverseKinematics::new(&self.model)?.restarts(0);
        solver.solve(&goals, &mut q)?;
        Ok(q)
    }
}
