//! A hash of everything that a model says.

use super::{Drive, Frame, Joint, Limits, LoopJoint, Mimic, Model, ModelData};
use crate::joint::{CompositePart, JointKind};
use crate::spatial::{Inertia, Mat3, Se3, Vec3};
use twox_hash::XxHash3_128;

/// The tag at the start of the content; a change of the data or of their order needs a new one.
const FORMAT: &str = "featherline model 1";

impl Model {
    /// A hash of everything that the model says: for caches of what was made from it, and to tell
    /// whether a stored result belongs to it.
    ///
    /// Equal models have equal hashes; different ones differ, but for one chance in 2¹²⁸: names,
    /// topology, kinds of joints and their parameters, loops, placements, inertias, mimic joints,
    /// limits, drives, frames, reference configurations and gravity all count. The hash is the same
    /// in every process and on every platform, and survives storing the model. A later version of
    /// this library that says more about robots gives other hashes. It is no protection against a
    /// forger.
    ///
    /// Cost O(size of the model), with allocation: keep it, rather than asking for it in a control
    /// loop. The function is XXH3 of 128 bits (Y. Collet, *xxHash fast digest algorithm*, 2020)
    /// over a description in which numbers are eight bytes, the lowest first, and lists and texts
    /// begin with their length.
    ///
    /// ```
    /// use featherline::samples;
    ///
    /// let model = samples::double_pendulum();
    /// let file_name = format!("pendulum-{:032x}.cache", model.content_hash());
    /// assert_eq!(model.content_hash(), samples::double_pendulum().content_hash());
    /// # assert_eq!(file_name.len(), 47);
    /// ```
    pub fn content_hash(&self) -> u128 {
        let mut content = Content(Vec::new());
        content.model(&self.data);
        XxHash3_128::oneshot(&content.0)
    }
}

/// The description that is hashed. Fields are taken out by name, so that none is forgotten.
struct Content(Vec<u8>);

impl Content {
    fn count(&mut self, count: usize) {
        self.0.extend((count as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend(text.as_bytes());
    }

    fn number(&mut self, number: f64) {
        // Models are equal whichever sign a zero has: the sum has none.
        self.0.extend((number + 0.0).to_bits().to_le_bytes());
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        for &number in numbers {
            self.number(number);
        }
    }

    fn vector(&mut self, vector: &Vec3<f64>) {
        for number in vector.to_array() {
            self.number(number);
        }
    }

    fn placement(&mut self, placement: &Se3<f64>) {
        let Se3 {
            rotation: Mat3 { x, y, z },
            translation,
        } = placement;
        for vector in [x, y, z, translation] {
            self.vector(vector);
        }
    }

    fn inertia(&mut self, inertia: &Inertia<f64>) {
        let Inertia {
            mass,
            com,
            rotational,
        } = inertia;
        self.number(*mass);
        self.vector(com);
        for number in rotational.to_elements() {
            self.number(number);
        }
    }

    fn model(&mut self, data: &ModelData) {
        let ModelData {
            name,
            gravity,
            joints,
            loop_joints,
            frames,
            reference_configurations,
        } = data;
        self.text(FORMAT);
        self.text(name);
        self.vector(gravity);
        self.count(joints.len());
        for joint in joints {
            self.joint(joint);
        }
        self.count(frames.len());
        for frame in frames {
            self.frame(frame);
        }
        self.count(reference_configurations.len());
        for (name, q) in reference_configurations {
            self.text(name);
            self.numbers(q);
        }
        // Trees keep the hash that they had before there were loops.
        if !loop_joints.is_empty() {
            self.count(loop_joints.len());
            for closing in loop_joints {
                self.loop_joint(closing);
            }
        }
    }

    fn loop_joint(&mut self, closing: &LoopJoint) {
        let LoopJoint {
            name,
            kind,
            predecessor,
            predecessor_placement,
            successor,
            successor_placement,
        } = closing;
        self.text(name);
        self.kind(kind);
        self.count(predecessor.index());
        self.placement(predecessor_placement);
        self.count(successor.index());
        self.placement(successor_placement);
    }

    fn joint(&mut self, joint: &Joint) {
        let Joint {
            name,
            kind,
            parent,
            placement,
            inertia,
            // These follow from the kinds, the order and the mimic joints.
            idx_q: _,
            nq: _,
            idx_v: _,
            nv: _,
            mimic,
            limits,
            drive,
        } = joint;
        self.text(name);
        self.kind(kind);
        self.count(parent.index());
        self.placement(placement);
        self.inertia(inertia);
        self.count(usize::from(mimic.is_some()));
        if let Some(Mimic {
            source,
            ratio,
            offset,
        }) = mimic
        {
            self.count(source.index());
            self.number(*ratio);
            self.number(*offset);
        }
        let Limits {
            lower,
            upper,
            velocity,
            effort,
            acceleration,
        } = limits;
        for bounds in [lower, upper, velocity, effort, acceleration] {
            self.numbers(bounds);
        }
        let Drive {
            armature,
            rotor_inertia,
            gear_ratio,
            damping,
            friction,
            stiffness,
            spring_reference,
        } = drive;
        for parameters in [
            armature,
            rotor_inertia,
            gear_ratio,
            damping,
            friction,
            stiffness,
            spring_reference,
        ] {
            self.numbers(parameters);
        }
    }

    fn kind(&mut self, kind: &JointKind) {
        self.text(kind.name());
        match kind {
            JointKind::Fixed
            | JointKind::Planar
            | JointKind::Translation
            | JointKind::Spherical
            | JointKind::SphericalZyx
            | JointKind::FreeFlyer => {}
            JointKind::Revolute { axis }
            | JointKind::RevoluteUnbounded { axis }
            | JointKind::Prismatic { axis }
            | JointKind::Cylindrical { axis } => self.vector(axis),
            JointKind::Helical { axis, pitch } => {
                self.vector(axis);
                self.number(*pitch);
            }
            JointKind::Universal { first, second } => {
                self.vector(first);
                self.vector(second);
            }
            JointKind::Ellipsoid { radii } => self.vector(radii),
            JointKind::Composite(composite) => {
                self.count(composite.parts().len());
                for CompositePart { placement, kind } in composite.parts() {
                    self.placement(placement);
                    self.kind(kind);
                }
            }
        }
    }

    fn frame(&mut self, frame: &Frame) {
        let Frame {
            name,
            kind,
            joint,
            placement,
        } = frame;
        self.text(name);
        self.text(kind.name());
        self.count(joint.index());
        self.placement(placement);
    }
}
