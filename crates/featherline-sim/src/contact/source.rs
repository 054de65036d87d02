//! Where contacts come from.

use super::MovedBodies;
use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline_constraint::nonsmooth::Contact;

/// How two surfaces yield at a point of contact: with the depth δ, the normal force is
/// k δ + d δ̇, and never pulls. It is taken at the end of each step: stable for any stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// The stiffness k in N/m, more than zero.
    pub stiffness: f64,
    /// The damping d in N·s/m, not negative.
    pub damping: f64,
}

impl Softness {
    /// The bias b and the compliance R of a contact with a gap, in a step of `h` seconds: the
    /// impulse λ = h (−k (φ + h u) − d u) makes u + b + R λ = 0. Before they touch, φ > 0, damping
    /// counts from where they do.
    pub(super) fn row(&self, gap: f64, h: f64) -> (f64, f64) {
        // R = 1/(h (h k + d)), b = φ k/(h k + d)
        let sum = h.mul_add(self.stiffness, self.damping);
        let bias = if gap > 0.0 {
            gap / h
        } else {
            gap * self.stiffness / sum
        };
        (bias, (h * sum).recip())
    }

    /// Whether its numbers are finite and as stated.
    pub(super) fn is_valid(&self) -> bool {
        let Self { stiffness, damping } = *self;
        stiffness.is_finite() && stiffness > 0.0 && damping.is_finite() && damping >= 0.0
    }
}

/// Finds the points at which bodies touch, or may touch within a step.
///
/// A collision model is one; a closure is another, for shapes that one knows in closed form.
pub trait ContactSource {
    /// Adds the contacts with a gap up to `range` (in m) to `out`. `placements` are the output
    /// frames of the joints in the world, the universe's first.
    ///
    /// Contacts of the same two bodies stand together, and the same scene gives the same order.
    ///
    /// # Errors
    /// The source's own, which ends the simulation.
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

    /// The largest distance of a body's surfaces from its joint's output frame, in m: how far its
    /// rotation reaches. A metre where nothing is said.
    fn radius(&self, body: JointId) -> f64 {
        let _ = body;
        1.0
    }

    /// How a contact that it found yields; none of what is rigid.
    fn softness(&self, contact: &Contact) -> Option<Softness> {
        let _ = contact;
        None
    }

    /// Takes the placements and velocities of [moved bodies](MovedBodies) in a step: before
    /// [`find`](Self::find), and again at the end of the step where something rebounds.
    fn place_moved(&mut self, moved: &MovedBodies) {
        let _ = moved;
    }

    /// The greatest speed in m/s of a surface that moves by itself in the step.
    fn fastest_surface(&self) -> f64 {
        0.0
    }

    /// The pairs of bodies that can touch, where that is known beforehand: recordings have columns
    /// for them.
    fn body_pairs(&self) -> Vec<[JointId; 2]> {
        Vec::new()
    }
}

impl<F: FnMut(&[Se3<f64>], f64, &mut Vec<Contact>)> ContactSource for F {
    fn find(
        &mut self,
        placements: &[Se3<f64>],
        range: f64,
        out: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        self(placements, range, out);
        Ok(())
    }
}

/// Nothing touches anything.
impl ContactSource for () {
    fn find(
        &mut self,
        _: &[Se3<f64>],
        _: f64,
        _: &mut Vec<Contact>,
    ) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
        Ok(())
    }
}
