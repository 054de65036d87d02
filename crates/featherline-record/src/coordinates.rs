//! Names and units of the entries of q and v.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::Joint;

/// The kind of quantity that an entry measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// An angle in rad; its rate in rad/s, its force in N·m.
    Angle,
    /// A length in m; its rate in m/s, its force in N.
    Length,
    /// An entry of a quaternion or of a (cos, sin) pair.
    Ratio,
}

impl Measure {
    /// The unit of the entry itself.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Angle => "rad",
            Self::Length => "m",
            Self::Ratio => "",
        }
    }

    /// The unit of the entry's rate.
    pub fn rate_unit(self) -> String {
        format!("{}/s", self.unit())
    }

    /// The unit of the entry's generalised force.
    pub fn force_unit(self) -> &'static str {
        match self {
            Self::Angle => "N·m",
            Self::Length => "N",
            Self::Ratio => "",
        }
    }
}

/// An entry of q or v.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The joint's name.
    pub joint: String,
    /// The joint's name, with the component's after a dot where the joint has several.
    pub label: String,
    /// The kind of quantity that the entry measures.
    pub measure: Measure,
}

type Component = (&'static str, Measure);

/// The entries of q, in order.
///
/// ```
/// use featherline::samples;
/// use featherline_record::coordinates::{Measure, configuration};
///
/// let entries = configuration(&samples::double_pendulum());
/// assert_eq!(entries[1].label, "elbow");
/// assert_eq!(entries[1].measure, Measure::Angle);
/// ```
pub fn configuration(model: &Model) -> Vec<Entry> {
    entries(model, configuration_components)
}

/// The entries of v, in order; forces and accelerations have the same.
///
/// ```
/// use featherline::samples;
/// use featherline_record::coordinates::velocity;
///
/// let entries = velocity(&samples::double_pendulum());
/// assert_eq!(entries[0].measure.rate_unit(), "rad/s");
/// assert_eq!(entries[0].measure.force_unit(), "N·m");
/// ```
pub fn velocity(model: &Model) -> Vec<Entry> {
    entries(model, velocity_components)
}

/// The measures of the degrees of freedom of a joint of some kind.
pub fn of_kind(kind: &JointKind) -> Vec<Measure> {
    let components = velocity_components(kind).into_iter();
    components.map(|(_, measure)| measure).collect()
}

fn entries(model: &Model, components: fn(&JointKind) -> Vec<(String, Measure)>) -> Vec<Entry> {
    let own = model.joints().iter().filter(|j| j.mimic.is_none());
    own.flat_map(|joint| {
        components(&joint.kind)
            .into_iter()
            .map(|(component, measure)| Entry {
                joint: joint.name.clone(),
                label: label(joint, &component),
                measure,
            })
    })
    .collect()
}

fn label(joint: &Joint, component: &str) -> String {
    match component {
        "" => joint.name.clone(),
        _ => format!("{}.{component}", joint.name),
    }
}

fn configuration_components(kind: &JointKind) -> Vec<(String, Measure)> {
    use Measure::{Angle, Length, Ratio};
    let names: &[Component] = match kind {
        JointKind::RevoluteUnbounded { .. } => &[("cos", Ratio), ("sin", Ratio)],
        JointKind::Planar => &[("x", Length), ("y", Length), ("cos", Ratio), ("sin", Ratio)],
        JointKind::Spherical => &[("qx", Ratio), ("qy", Ratio), ("qz", Ratio), ("qw", Ratio)],
        JointKind::FreeFlyer => &[
            ("x", Length),
            ("y", Length),
            ("z", Length),
            ("qx", Ratio),
            ("qy", Ratio),
            ("qz", Ratio),
            ("qw", Ratio),
        ],
        JointKind::Ellipsoid { .. } => &[("x", Angle), ("y", Angle), ("z", Angle)],
        JointKind::Composite(_) => return of_parts(kind, configuration_components),
        // Where q is a vector, its entries are those of v.
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Helical { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Universal { .. }
        | JointKind::Translation
        | JointKind::SphericalZyx => return velocity_components(kind),
    };
    owned(names)
}

fn velocity_components(kind: &JointKind) -> Vec<(String, Measure)> {
    use Measure::{Angle, Length};
    let names: &[Component] = match kind {
        JointKind::Revolute { .. }
        | JointKind::RevoluteUnbounded { .. }
        | JointKind::Helical { .. } => &[("", Angle)],
        JointKind::Prismatic { .. } => &[("", Length)],
        JointKind::Cylindrical { .. } => &[("angle", Angle), ("shift", Length)],
        JointKind::Universal { .. } => &[("first", Angle), ("second", Angle)],
        JointKind::Planar => &[("x", Length), ("y", Length), ("turn", Angle)],
        JointKind::Translation => &[("x", Length), ("y", Length), ("z", Length)],
        JointKind::Spherical | JointKind::Ellipsoid { .. } => {
            &[("x", Angle), ("y", Angle), ("z", Angle)]
        }
        JointKind::SphericalZyx => &[("yaw", Angle), ("pitch", Angle), ("roll", Angle)],
        JointKind::FreeFlyer => &[
            ("x", Length),
            ("y", Length),
            ("z", Length),
            ("rx", Angle),
            ("ry", Angle),
            ("rz", Angle),
        ],
        JointKind::Composite(_) => return of_parts(kind, velocity_components),
        JointKind::Fixed => &[],
    };
    owned(names)
}

fn owned(names: &[Component]) -> Vec<(String, Measure)> {
    names.iter().map(|&(n, m)| (n.to_owned(), m)).collect()
}

/// Components of a composite joint: those of its parts, numbered from 1.
fn of_parts(
    kind: &JointKind,
    components: fn(&JointKind) -> Vec<(String, Measure)>,
) -> Vec<(String, Measure)> {
    let JointKind::Composite(composite) = kind else {
        return Vec::new();
    };
    let parts = composite.parts().iter().enumerate();
    parts
        .flat_map(|(i, part)| {
            components(&part.kind)
                .into_iter()
                .map(move |(name, measure)| {
                    let dot = if name.is_empty() { "" } else { "." };
                    (format!("{}{dot}{name}", i + 1), measure)
                })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::samples::{RandomTree, random_tree};

    #[test]
    fn every_entry_of_every_kind_has_a_name() {
        let shape = RandomTree {
            joints: 30,
            branching: 0.5,
            every_kind: true,
            mimic_joints: true,
            floating: true,
        };
        for seed in 0..8 {
            let model = random_tree(seed, &shape);
            assert_eq!(configuration(&model).len(), model.nq());
            assert_eq!(velocity(&model).len(), model.nv());
        }
    }
}
