//! What actuators do to joints, as a simulation can use it.

use super::{Actuator, Configuration, ForceLaw, Robot, START_CONFIGURATIONS, Source, Transmission};
use crate::warning::{Warning, WarningCause};
use crate::xml::shortened;
use featherline::Workspace;
use featherline::model::JointId;

/// The force of an actuator on a joint of one degree of freedom: τ = τ₀ − k q − d q̇, at most
/// `effort` either way.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct JointActuation {
    /// The joint, which mimics no other.
    pub joint: JointId,
    /// τ₀, in N·m (N).
    pub force: f64,
    /// k ≥ 0, in N·m/rad (N/m).
    pub stiffness: f64,
    /// d ≥ 0, in N·m·s/rad (N·s/m).
    pub damping: f64,
    /// In N·m (N); infinite without a bound.
    pub effort: f64,
}

/// What the actuators of a robot do, and which of them are left out.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Actuation {
    /// In the order of the description.
    pub joints: Vec<JointActuation>,
    /// Actuators that are no springs, dampers and constant forces of one joint.
    pub warnings: Vec<Warning>,
}

impl Robot {
    /// What the actuators do with the controls of a named configuration, such as a keyframe of
    /// MJCF; without one, and where it says nothing, controls are zero. Controls are kept in their
    /// ranges.
    ///
    /// Motors, springs and dampers of a joint are used, with gear and force range. Others are left
    /// out, with a warning. Cost: linear in the number of actuators, and a mass matrix where a
    /// damping ratio is given.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body><joint name='j'/><geom size='0.1'/></body></worldbody>
    ///     <actuator><position joint='j' gear='2' kp='10' kv='1' forcerange='-3 3'/></actuator>
    ///     <keyframe><key name='up' qpos='0' ctrl='0.5'/></keyframe></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// // τ = 2 f with f = 10 (0.5 − 2 q) − 2 q̇
    /// let up = robot.actuation(Some("up")).joints[0];
    /// assert_eq!((up.force, up.stiffness, up.damping, up.effort), (10.0, 40.0, 4.0, 6.0));
    /// assert_eq!(robot.actuation(None).joints[0].force, 0.0);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn actuation(&self, configuration: Option<&str>) -> Actuation {
        let description = &self.description;
        let mut configurations = description.configurations.iter();
        let named = configuration.and_then(|name| configurations.find(|it| it.name == name));
        let control = |index: usize| {
            let controls = |it: &Configuration| {
                let mut own = it.controls.iter();
                own.find(|(actuator, _)| *actuator == index).map(|it| it.1)
            };
            named.and_then(controls).unwrap_or(0.0)
        };
        let mut joints = Vec::new();
        let mut warnings: Vec<(Source, WarningCause)> = Vec::new();
        for (index, actuator) in description.actuators.iter().enumerate() {
            match self.joint_actuation(actuator, control(index)) {
                Ok((own, is_even)) => {
                    joints.push(own);
                    if !is_even {
                        let what = format!("the force range of {}", called(actuator));
                        let reading = "simulations take the greater bound on both sides";
                        warnings
                            .push((actuator.source, WarningCause::Simplified { what, reading }));
                    }
                }
                Err(reading) => {
                    let what = called(actuator);
                    warnings.push((actuator.source, WarningCause::Simplified { what, reading }));
                }
            }
        }
        let sources: Vec<Source> = warnings.iter().map(|(source, _)| *source).collect();
        let locations = description.sources.locations(&sources);
        let located = locations.into_iter().zip(warnings);
        Actuation {
            joints,
            warnings: located
                .map(|(location, (_, cause))| Warning { location, cause })
                .collect(),
        }
    }

    /// What an actuator does, and whether its force range is the same either way; or why it does
    /// nothing.
    fn joint_actuation(
        &self,
        actuator: &Actuator,
        control: f64,
    ) -> Result<(JointActuation, bool), &'static str> {
        let Some(law) = &actuator.law else {
            return Err("simulations have no force of this kind, and it does nothing");
        };
        let (Transmission::Joint(joint) | Transmission::JointInParent(joint)) =
            actuator.transmission
        else {
            return Err("simulations drive single joints, and it does nothing");
        };
        let own = self.description.joints.get(joint);
        let id = own.and_then(|it| self.model.joint_id(&it.name).ok());
        let Some(id) = id.filter(|id| {
            // A mimic joint has no entries of its own.
            let kind = &self.model.joint(*id).kind;
            kind.nq() == 1 && kind.nv() == 1
        }) else {
            return Err("simulations drive joints of one degree of freedom, and it does nothing");
        };
        // l = g (r q + o) of a joint that mimics the one of q
        let (joint, ratio, offset) = match &self.model.joint(id).mimic {
            None => (id, 1.0, 0.0),
            Some(mimic) => (mimic.source, mimic.ratio, mimic.offset),
        };
        let gear = actuator.gear[0] * ratio;
        // τ = g f
        let stiffness = -gear * gear * law.bias[1];
        let damping = -gear * gear * law.bias[2] + self.relative_damping(law, stiffness, joint);
        if stiffness < 0.0 || damping < 0.0 {
            return Err(
                "its force grows with the length or the speed, and simulations leave it out",
            );
        }
        let by_offset = law.bias[1] * actuator.gear[0] * offset;
        let force = gear * (law.constant(control) + by_offset);
        let [least, greatest] = actuator
            .force_range
            .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let bound = least.abs().max(greatest.abs());
        let own = JointActuation {
            joint,
            force,
            stiffness,
            damping,
            effort: gear.abs() * bound,
        };
        let is_finite = [force, stiffness, damping].iter().all(|it| it.is_finite());
        match is_finite && !own.effort.is_nan() {
            true => Ok((own, least == -greatest)),
            false => Err("its force is not finite, and simulations leave it out"),
        }
    }

    /// 2 ζ √(k m), with the entry m of the mass matrix in the reference configuration.
    fn relative_damping(&self, law: &ForceLaw, stiffness: f64, joint: JointId) -> f64 {
        if law.damping_ratio == 0.0 {
            return 0.0;
        }
        let reference = self.model.reference_configurations();
        let reference = reference.get(START_CONFIGURATIONS[1]).cloned();
        let q = reference.unwrap_or_else(|| self.model.neutral_configuration());
        let mut ws = Workspace::new(&self.model);
        let k = self.model.joint(joint).idx_v;
        let inertia = self.model.crba(&mut ws, &q).map(|it| it[(k, k)]);
        2.0 * law.damping_ratio * (stiffness * inertia.unwrap_or(0.0)).sqrt()
    }
}

/// What an actuator is called in messages.
fn called(actuator: &Actuator) -> String {
    match actuator.name.is_empty() {
        true => format!("an actuator of the kind `{}`", shortened(&actuator.kind)),
        false => format!(
            "the actuator `{}` of the kind `{}`",
            shortened(&actuator.name),
            shortened(&actuator.kind)
        ),
    }
}
