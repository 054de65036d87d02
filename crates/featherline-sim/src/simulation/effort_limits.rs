//! Limits of effort: the most that the motor of a joint gives.

use featherline::model::Model;

/// The limits of effort of a robot's joints, which bound the sum of what controllers, joint forces
/// of a caller and [`Drives`](crate::contact::Drives) ask for: τ = clamp(τ, ±effort).
///
/// Simulations keep them unless [`without_effort_limits`](super::Simulator::without_effort_limits)
/// leaves them out. Gravity, damping, contacts and forces on bodies are no effort. A limit of 0
/// leaves a joint without a motor; mimic joints have the limit of the joint that they follow.
///
/// ```
/// use featherline_sim::simulation::EffortLimits;
///
/// let robot = featherline_formats::load_str(
///     "<robot name='r'><link name='a'/>
///      <link name='b'><inertial><mass value='1'/>
///        <inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>
///      <joint name='j' type='continuous'><parent link='a'/><child link='b'/>
///        <limit effort='10' velocity='2'/></joint></robot>",
/// )?;
/// let mut tau = [-100.0];
/// EffortLimits::of(&robot.model).bound(&mut tau);
/// assert_eq!(tau, [-10.0]);
/// # Ok::<(), featherline_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffortLimits {
    /// nv entries; empty where nothing is bounded.
    efforts: Vec<f64>,
}

impl EffortLimits {
    /// Those of a model's joints.
    pub fn of(model: &Model) -> Self {
        let mut efforts = vec![f64::INFINITY; model.nv()];
        for joint in model.joints().iter().skip(1) {
            if joint.mimic.is_none() {
                let own = &mut efforts[joint.idx_v..joint.idx_v + joint.nv];
                own.copy_from_slice(&joint.limits.effort);
            }
        }
        match efforts.iter().all(|it| it.is_infinite()) {
            true => Self::none(),
            false => Self { efforts },
        }
    }

    /// No limits.
    pub fn none() -> Self {
        Self::default()
    }

    /// Keeps joint forces, nv entries in N·m (N), within ±effort.
    pub fn bound(&self, tau: &mut [f64]) {
        for (tau, effort) in tau.iter_mut().zip(&self.efforts) {
            *tau = tau.max(-effort).min(*effort);
        }
    }
}
