//! Bodies of the world that the user moves, and what they pull.

use super::{Configuration, Description, Joint, Motion, Robot};
use featherline::joint::JointKind;
use featherline::model::JointId;
use featherline::spatial::Se3;

/// A body of the world whose pose the user gives while time goes on: a `mocap` body of MJCF.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MovedBody {
    /// The name of its link.
    pub name: String,
    /// The index of its link.
    pub link: usize,
    /// Its placement in the world by the file: that of the model's frames and of its shapes.
    pub reference: Se3<f64>,
    /// Its placement in the world at the start.
    pub start: Se3<f64>,
}

/// A weld or a point of a [`Loop`](super::Loop) between a moved body and a robot, which pulls the
/// robot after the body. It is no loop joint of the model: a body that moves away from what the
/// robot reaches leaves it open.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Coupling {
    /// The name of the loop.
    pub name: String,
    /// The moved body, by its index in [`Robot::moved_bodies`].
    pub moved: usize,
    /// The frame of the moved body in the world, while the body is at its reference.
    pub target: Se3<f64>,
    /// The joint that carries the other end.
    pub joint: JointId,
    /// The frame of that end in the joint's output frame.
    pub placement: Se3<f64>,
    /// Whether it holds the orientation too: a weld.
    pub is_weld: bool,
    /// How it yields.
    pub law: CouplingLaw,
}

/// How a weld or a point yields, as MuJoCo has it (Computation, *Constraint model*): with the
/// distance r the reference acceleration is −b ṙ − k r, and the regularisation R is (1 − d)/d times
/// the inverse inertia of the coupled body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingLaw {
    /// k in 1/s².
    pub stiffness: f64,
    /// b in 1/s.
    pub damping: f64,
    /// The impedance d, more than 0 and less than 1: that of MuJoCo beyond the width of `solimp`.
    pub impedance: f64,
}

/// The bounds of impedances in MuJoCo (`mjMINIMP`, `mjMAXIMP`).
const IMPEDANCES: [f64; 2] = [1e-4, 0.9999];

impl CouplingLaw {
    /// The law of `solref` and of the second number of `solimp`: a time constant T in s and a
    /// damping ratio ζ, or −k and −b where both are negative.
    ///
    /// ```
    /// use featherline_formats::description::CouplingLaw;
    ///
    /// let law = CouplingLaw::new([0.02, 1.0], 0.95);
    /// assert_eq!(law.damping, 2.0 / (0.95 * 0.02));
    /// // Critical damping: b² = 4 k, but for the impedance.
    /// assert!((law.damping * law.damping - 4.0 * law.stiffness / 0.95).abs() < 1e-9);
    /// ```
    pub fn new([time_constant, damping_ratio]: [f64; 2], impedance: f64) -> Self {
        let [least, greatest] = IMPEDANCES;
        let d = impedance.clamp(least, greatest);
        let (stiffness, damping) = if time_constant > 0.0 && damping_ratio > 0.0 {
            let period = time_constant * damping_ratio;
            ((d * period * period).recip(), 2.0 / (d * time_constant))
        } else {
            (-time_constant.min(0.0) / d, -damping_ratio.min(0.0) / d)
        };
        Self {
            stiffness,
            damping,
            impedance: d,
        }
    }
}

impl Default for CouplingLaw {
    /// MuJoCo's: a time constant of 0.02 s, critical damping, the impedance 0.95.
    fn default() -> Self {
        Self::new([0.02, 1.0], 0.95)
    }
}

impl Description {
    /// Of each link, the moved one that it is fixed to, or is.
    pub(crate) fn carriers(&self) -> Vec<Option<usize>> {
        let links = self.links.iter().enumerate();
        let mut carriers: Vec<_> = links.map(|(k, link)| link.is_moved.then_some(k)).collect();
        let fixed = |it: &&Joint| it.motion == Motion::Fixed;
        // Joints may stand in any order: as many passes as links are fixed one to another.
        loop {
            let mut changes = false;
            for joint in self.joints.iter().filter(fixed) {
                if let Some(&Some(carrier)) = carriers.get(joint.parent)
                    && let Some(own) = carriers.get_mut(joint.child)
                    && own.is_none()
                {
                    *own = Some(carrier);
                    changes = true;
                }
            }
            if !changes {
                return carriers;
            }
        }
    }
}

impl Robot {
    /// The bodies of the world that the user moves, where a configuration puts them, by default the
    /// robot's [start](Self::start). Cost O(links).
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body name='hand' mocap='true' pos='0 0 1'/></worldbody>
    ///     <keyframe><key name='up' mpos='0 0 2'/></keyframe></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// let hand = &robot.moved_bodies(Some("up"))[0];
    /// assert_eq!((&hand.name[..], hand.reference.translation.z), ("hand", 1.0));
    /// assert_eq!(hand.start.translation.z, 2.0);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn moved_bodies(&self, configuration: Option<&str>) -> Vec<MovedBody> {
        let links = &self.description.links;
        if !links.iter().any(|link| link.is_moved) {
            return Vec::new();
        }
        let mut all = self.description.configurations.iter();
        let own = match configuration {
            Some(name) => all.find(|it| it.name == name),
            None => self.start(),
        };
        let placed = |link| {
            let placed = own.map_or(&[][..], |it: &Configuration| &it.moved);
            placed.iter().find(|(own, _)| *own == link).map(|it| it.1)
        };
        let places = self.link_placements();
        let moved = links.iter().zip(places).enumerate();
        let moved = moved.filter(|(_, (link, (joint, _)))| {
            // A fixed joint that was kept, or a joint above, carries it.
            link.is_moved && *joint == JointId::UNIVERSE
        });
        moved
            .map(|(link, (own, (_, reference)))| MovedBody {
                name: own.name.clone(),
                link,
                reference,
                start: placed(link).unwrap_or(reference),
            })
            .collect()
    }

    /// The moved body that a link is part of, by its index in `moved`.
    pub fn moved_body_of(&self, moved: &[MovedBody], link: usize) -> Option<usize> {
        let carrier = *self.description.carriers().get(link)?;
        moved.iter().position(|it| Some(it.link) == carrier)
    }

    /// The couplings of moved bodies with robots, in the order of the loops. Cost O(links) for each
    /// loop.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><body name='hand' mocap='true'/>
    ///     <body name='tool'><freejoint/><geom size='0.1'/></body></worldbody>
    ///     <equality><weld body1='hand' body2='tool'/></equality></mujoco>";
    /// let robot = featherline_formats::load_str(text)?;
    /// assert!(robot.model.loop_joints().is_empty());
    /// assert!(robot.couplings()[0].is_weld);
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn couplings(&self) -> Vec<Coupling> {
        let moved = self.moved_bodies(None);
        let mut couplings = Vec::new();
        if moved.is_empty() {
            return couplings;
        }
        let places = self.link_placements();
        for closing in &self.description.loops {
            let ends = [&closing.predecessor, &closing.successor];
            for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                let carrier = self.moved_body_of(&moved, end.0);
                let (Some(moved), Some(own), Some(pulled)) =
                    (carrier, places.get(end.0), places.get(other.0))
                else {
                    continue;
                };
                if pulled.0 != JointId::UNIVERSE {
                    couplings.push(Coupling {
                        name: closing.name.clone(),
                        moved,
                        target: own.1.compose(&end.1),
                        joint: pulled.0,
                        placement: pulled.1.compose(&other.1),
                        is_weld: closing.kind == JointKind::Fixed,
                        law: closing.law,
                    });
                }
            }
        }
        couplings
    }
}
