//! Sample models (feature `samples`, on by default), and random ones with every kind of joint
//! (feature `random`).
//!
//! Everything is reproducible: the same arguments give the same model.

mod humanoid;
mod linkages;
#[cfg(feature = "random")]
mod random;

pub use humanoid::humanoid;
pub use linkages::{bennett, delta, four_bar, parallelogram, six_bar, stewart};
#[cfg(feature = "random")]
pub use random::{RandomTree, random_loops, random_tree};

use crate::joint::JointKind;
use crate::model::{JointSpec, Model, ModelBuilder, ModelError};
use crate::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};

/// Two rods of 1 kg and 1 m, hinged about y at `shoulder` and `elbow`, and hanging down.
pub fn double_pendulum() -> Model {
    let build = || -> Result<Model, ModelError> {
        let moment = 1.0 / 12.0;
        let com = Vec3::new(0.0, 0.0, -0.5);
        let rod = Inertia::new(1.0, com, Sym3::diagonal(Vec3::new(moment, moment, 1e-4)));
        let mut builder = ModelBuilder::new("double_pendulum");
        let hinge = |name, parent| JointSpec::new(name, parent, JointKind::revolute_y());
        let upper = builder.add_joint(hinge("shoulder", ModelBuilder::UNIVERSE));
        let end = Se3::from_translation(Vec3::new(0.0, 0.0, -1.0));
        let lower = builder.add_joint(hinge("elbow", upper).placement(end));
        builder.add_body(upper, "upper_rod", Se3::identity(), rod);
        builder.add_body(lower, "lower_rod", Se3::identity(), rod);
        Ok(builder.build()?.model)
    };
    // The figures above are physically sound, and every name is used once.
    build().expect("the sample is a valid model")
}

/// A snake: `links` equal cylinders of 0.2 kg and 0.1 m joined by hinges about y and z in turn, the
/// first one hinged to the world.
///
/// ```
/// let snake = featherline::samples::snake(100);
/// assert_eq!(snake.nv(), 100);
/// ```
pub fn snake(links: usize) -> Model {
    let (length, radius, mass) = (0.1, 0.03, 0.2);
    let along = mass * radius * radius / 2.0;
    let across = mass * (3.0 * radius * radius + length * length) / 12.0;
    let com = Vec3::new(length / 2.0, 0.0, 0.0);
    let cylinder = Inertia::new(mass, com, Sym3::diagonal(Vec3::new(along, across, across)));
    let mut builder = ModelBuilder::new(format!("snake_{links}"));
    let mut parent = ModelBuilder::UNIVERSE;
    for i in 0..links {
        let kind = if i % 2 == 0 {
            JointKind::revolute_y()
        } else {
            JointKind::revolute_z()
        };
        let offset = if i == 0 { 0.0 } else { length };
        let placement = Se3::from_translation(Vec3::new(offset, 0.0, 0.0));
        let joint = JointSpec::new(format!("joint_{i}"), parent, kind).placement(placement);
        parent = builder.add_joint(joint);
        builder.add_body(parent, format!("link_{i}"), Se3::identity(), cylinder);
    }
    // The figures above are physically sound, and every name is used once.
    builder.build().expect("the sample is a valid model").model
}

/// The serial chain on which operations are counted in the literature: `links` thin-walled tubes on
/// hinges about z, each hinge turned against the one before by 1.5 rad about the tube's axis, each
/// tube nine tenths of the one before.
///
/// Tube i lies along x, is 0.9^i long, a tenth as wide, and weighs 0.9^3i (in m and kg, i from 0).
/// Source: the tree that Featherstone's `spatial_v2` (2012) documents as `autoTree(links, 1, 1.5,
/// 0.9)`, which Nori 2017 measures on.
///
/// ```
/// let chain = featherline::samples::tapered_chain(30);
/// assert_eq!(chain.nv(), 30);
/// ```
pub fn tapered_chain(links: usize) -> Model {
    let (sin, cos) = 1.5_f64.sin_cos();
    let skew = Mat3::from_columns(
        Vec3::unit(0),
        Vec3::new(0.0, cos, sin),
        Vec3::new(0.0, -sin, cos),
    );
    let mut builder = ModelBuilder::new(format!("tapered_chain_{links}"));
    let mut parent = ModelBuilder::UNIVERSE;
    let mut placement = Se3::identity();
    for i in 0..links {
        let length = 0.9_f64.powi(i as i32);
        let (mass, radius) = (length.powi(3), length / 20.0);
        let along = mass * radius * radius;
        let across = along / 2.0 + mass * length * length / 12.0;
        let com = Vec3::new(length / 2.0, 0.0, 0.0);
        let tube = Inertia::new(mass, com, Sym3::diagonal(Vec3::new(along, across, across)));
        let joint = JointSpec::new(format!("joint_{i}"), parent, JointKind::revolute_z());
        parent = builder.add_joint(joint.placement(placement));
        builder.add_body(parent, format!("tube_{i}"), Se3::identity(), tube);
        placement = Se3::new(skew, Vec3::new(length, 0.0, 0.0));
    }
    // The figures above are physically sound, and every name is used once.
    builder.build().expect("the sample is a valid model").model
}
