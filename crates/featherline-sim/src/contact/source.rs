//! Where contacts come from.

use featherline::model::JointId;
use featherline::spatial::Se3;
use featherline_constraint::nonsmooth::Contact;

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
