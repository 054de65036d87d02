//! What the page of the viewer computes of a robot besides.

use crate::matrix::{Thrown, vector};
use crate::robot::Robot;
use featherline::model::JointId;
use featherline::random::SplitMix64;
use featherline::spatial::Motion;
use featherline_control::{Goal, InverseKinematics, Linkage};
use featherline_formats::model_file;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// What an error of a frame that is held counts beside one of the point that is moved.
const HELD: f64 = 100.0;

/// In m and rad, how near a point comes to the pointer: a hundredth of a pixel.
const REACHED: f64 = 1e-5;

/// The most iterations in a picture; those of linkages assemble loops.
const MOST_ITERATIONS: usize = 40;
const MOST_ITERATIONS_OF_LINKAGES: usize = 6;

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

    /// Moves a point of a joint's body, in the joint's output frame, to a position in the world, or
    /// as near as the robot reaches from `q` on. The bodies of the joints `held`, by index, stay
    /// where they are, as far as the weight of 100 on their goals goes. Returns the configuration.
    #[wasm_bindgen(js_name = reachPosition)]
    pub fn reach_position(
        &mut self,
        q: &[f64],
        joint: usize,
        point: &[f64],
        position: &[f64],
        held: &[usize],
    ) -> Thrown<Vec<f64>> {
        let goal = Goal::position(self.joint(joint)?, vector("position", position)?);
        let mut goals = vec![goal.at(vector("point", point)?)];
        for &index in held {
            let target = self.joint(index)?;
            let kinematics = self.model.forward_kinematics(&mut self.ws, q)?;
            let placement = kinematics.placement(target);
            goals.push(Goal::placement(target, placement).weight(HELD));
        }
        let mut q = q.to_vec();
        // From here on, without jumps, and with the next picture soon.
        let solver = InverseKinematics::new(&self.model)?.restarts(0);
        let most = match self.model.loop_joints().is_empty() {
            true => MOST_ITERATIONS,
            false => MOST_ITERATIONS_OF_LINKAGES,
        };
        let mut solver = solver.tolerance(REACHED).max_iterations(most);
        solver.solve(&goals, &mut q)?;
        Ok(q)
    }

    /// Moves a configuration by a tangent vector, as far as loops and limits let it, while other
    /// coordinates follow: q, then the share of the motion that was made.
    pub fn drive(&self, q: &[f64], motion: &[f64]) -> Thrown<Vec<f64>> {
        let mut q = q.to_vec();
        let share = Linkage::new(&self.model)?.drive(&mut q, motion)?;
        q.push(share);
        Ok(q)
    }

    /// A random configuration of a linkage within limits, that is reached from `q` while its loops
    /// stay closed.
    pub fn wander(&self, q: &[f64], seed: u64) -> Thrown<Vec<f64>> {
        let mut q = q.to_vec();
        Linkage::new(&self.model)?.wander(&mut q, &mut SplitMix64::new(seed))?;
        Ok(q)
    }
}

impl Robot {
    /// A joint by its index, as the page counts them: names of joints and links may be the same.
    fn joint(&self, index: usize) -> Thrown<JointId> {
        let unknown = || JsError::new(&format!("the robot has no joint {index}"));
        let found = self.model.joint_ids().find(|id| id.index() == index);
        found.ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Links have the names of joints, each of another one.
    const CROSSED: &str = "<robot name='r'><link name='base'/>
        <link name='two'><inertial><mass value='1'/><origin xyz='0 0 0.5'/>
          <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
        <link name='one'><inertial><mass value='1'/><origin xyz='0 0 0.5'/>
          <inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
        <joint name='one' type='revolute'><parent link='base'/><child link='two'/>
          <axis xyz='0 1 0'/><limit lower='-3' upper='3' effort='1' velocity='1'/></joint>
        <joint name='two' type='revolute'><parent link='two'/><child link='one'/>
          <origin xyz='0 0 1'/><axis xyz='0 1 0'/>
          <limit lower='-3' upper='3' effort='1' velocity='1'/></joint></robot>";

    #[test]
    fn a_point_of_a_body_is_reached_though_a_link_has_its_joints_name() {
        let Ok(mut robot) = Robot::new(CROSSED, false, None) else {
            panic!("the robot is read");
        };
        let q = [0.4, 0.7];
        let point = [0.1, 0.0, 0.8];
        let place = |robot: &mut Robot, q: &[f64]| {
            let Ok(all) = robot.joint_placements(q) else {
                panic!("the configuration is valid");
            };
            let m = &all[32..];
            [0, 1, 2].map(|i| {
                let turned = m[i] * point[0] + m[4 + i] * point[1] + m[8 + i] * point[2];
                turned + m[12 + i]
            })
        };
        let wanted = place(&mut robot, &q);
        // A goal that is where the point is moves nothing.
        let Ok(found) = robot.reach_position(&q, 2, &point, &wanted, &[]) else {
            panic!("the goal is valid");
        };
        for (found, expected) in found.iter().zip(q) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }
}
