//! Robots in the form that takes the fewest operations.
//!
//! The joint forces don't depend on where the frames of bodies lie, nor on whether mass on an axis
//! belongs to the body before or behind it. Offline both are free to choose, so that
//!
//! * constant placements are screws about one axis (`frames`);
//! * seven of ten inertial parameters are left of each body, and zeros among them save more
//!   (`base_parameters`);
//! * what the base, which is at rest, and the leaves don't need is never computed, by folding
//!   constants and tracing.

mod base_parameters;
mod elementary;
mod forward_dynamics;
mod frames;
mod inverse_dynamics;
mod kinematics;
mod lean;
mod mass_matrix;
mod search;
mod transformation;
mod window;

pub use elementary::NotCanonical;

use elementary::{ElementaryJoint, elementary_joints};
use featherline::Model;
use featherline::kernel;
use featherline::model::EliminationTree;
use frames::{Body, Choice};

/// A robot in canonical frames with base parameters.
///
/// Joint forces depend neither on where the frames of bodies lie, nor on whether mass on a joint's
/// axis belongs to the body before or behind it. In canonical frames, constant placements are
/// screws about one axis (Khalil and Kleinfinger 1986); regrouped to base parameters, seven of ten
/// inertial parameters are left of a body on a revolute joint (Gautier and Khalil 1990). Joints of
/// several degrees of freedom whose coordinates are displacements one after the other are chains of
/// simple joints; a free-flyer may be the root.
///
/// Its methods are generic over the scalar: they compute, count, and leave a
/// [`Graph`](crate::Graph) behind. [`Quantity::trace_lean`](crate::Quantity::trace_lean) chooses
/// between them.
///
/// ```
/// use featherline::{Workspace, samples};
/// use featherline_compile::CanonicalModel;
///
/// let model = samples::double_pendulum();
/// let (q, v, a) = ([0.3, -0.2], [0.1, 0.4], [1.0, 2.0_f64]);
/// let tau = CanonicalModel::new(&model)?.inverse_dynamics(&q, &v, &a);
/// let mut ws = Workspace::new(&model);
/// let kernel = model.rnea(&mut ws, &q, &v, &a)?;
/// assert!((tau[0] - kernel[0]).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What a link costs
/// Counted by hand for a revolute joint inside a chain, in multiplications + additions, sine and
/// cosine apart. *General* is a link with all of a, α, d and all seven parameters; *tapered* one of
/// `samples::tapered_chain`, where d = 0, the first moment lies along x and the second moments are
/// diagonal with yy = zz.
///
/// | inverse dynamics | general | tapered |
/// |---|---|---|
/// | q and the constant part of the angle | 0 + 1 | |
/// | ω by two rotations, and q̇ | 8 + 5 | 8 + 5 |
/// | α likewise, with ω × z q̇ and q̈ | 10 + 7 | 10 + 7 |
/// | squares, products and elements of U | 6 + 12 | 4 + 3 |
/// | a by two rotations, a U e_x and d U e_z | 14 + 10 | 11 + 7 |
/// | force U h, and the children's | 6 + 6 | 3 + 3 |
/// | moment of E, h × a, and the children's | 17 + 17 | 7 + 7 |
/// | force and moment to the parent | 20 + 12 | 18 + 10 |
/// | **together** | **81 + 70** | **61 + 42** |
///
/// Khalil and Kleinfinger (1987) give 92n − 127 and 81n − 117 for the general chain; the textbook's
/// Newton-Euler takes 93N − 108 and 81N − 100 (Featherstone 2008, table 10.1).
///
/// | forward dynamics by articulated bodies | tapered |
/// |---|---|
/// | ω, α, a, U, force and moment as above, with q̈ = 0 and without the children's | 43 + 25 |
/// | U/D, u/D and the bias that passes the joint, and one division | 11 + 6 |
/// | the projection Y − U Uᵀ/D, 15 elements | 15 + 15 |
/// | its rotations about z and x | 40 + 35 |
/// | its translation, and the parent's own inertia | 10 + 19 |
/// | bias force and moment to the parent | 18 + 16 |
/// | acceleration from the parent, beyond that with q̈ = 0 | 18 + 10 |
/// | q̈ | 5 + 6 |
/// | **together** | **160 + 132** |
///
/// The textbook's articulated bodies take 224N − 259 and 205N − 248.
#[derive(Clone, Debug)]
pub struct CanonicalModel {
    bodies: Vec<Body>,
    nq: usize,
    nv: usize,
    reflected_inertia: Vec<f64>,
    elimination_tree: EliminationTree,
}

impl CanonicalModel {
    /// The canonical form of a robot, with the choices that are good for most.
    ///
    /// # Errors
    /// [`NotCanonical`] for a robot with joints that have none.
    pub fn new(model: &Model) -> Result<Self, NotCanonical> {
        let tree = elementary_joints(model)?;
        let choices = vec![Choice::default(); tree.len()];
        Ok(Self::with_choices(model, &tree, &choices))
    }

    fn with_choices(model: &Model, tree: &[ElementaryJoint], choices: &[Choice]) -> Self {
        let mut bodies = frames::bodies(tree, choices, model.gravity());
        base_parameters::regroup(&mut bodies, choices);
        Self {
            bodies,
            nq: model.nq(),
            nv: model.nv(),
            reflected_inertia: kernel::reflected_inertias(model).to_vec(),
            elimination_tree: kernel::elimination_tree(model).clone(),
        }
    }
}
