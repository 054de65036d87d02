//! The centre of mass of the whole robot alone.

use super::joint_pass::place_one;
use crate::error::Error;
use crate::model::link_parameters;
use crate::model::{Class, JointId, Model};
use crate::scalar::{Scalar, kernel};
use crate::spatial::AxialRotation;
use crate::spatial::{Se3, Vec3};
use crate::workspace::{Scratch, Workspace};

kernel!(
    /// The centre of mass from the first moments of subtrees, each handed on to what carries it: in
    /// one pass from the leaves to the root, which places nothing in the world.
    fn whole_center_of_mass<S: Scalar>(model: &Model, ws: &mut Scratch<S>, q: &[S]) -> Vec3<S> {
        let links = &model.links[..];
        let n = links.len();
        let places = &model.place_in_path[..n];
        let subtrees = &mut ws.composite[..n];
        let column = &mut ws.subspaces.column[..];
        let (mut mass, mut moment) = (S::zero(), Vec3::zero());
        for i in (1..n).rev() {
            let link = &links[i];
            let own = link_parameters(&ws.parameters, i, link);
            let (mut m, mut h) = (own.mass, own.first_moment);
            if i + 1 < n && links[i + 1].parent == i {
                let carried = &subtrees[places[i]];
                m += carried.mass;
                h += carried.first_moment;
            }
            let placement = if link.class == Class::Revolute {
                // The turn by itself, and then what is constant.
                let (sin, cos) = q[link.idx_q].sin_cos();
                h = AxialRotation { sin, cos }.apply(h);
                Se3::constant(&link.placement)
            } else {
                let mut placement = Se3::identity();
                place_one(model, i, q, &mut placement, column);
                placement
            };
            let h = placement.rotation.mul_vec_add(h, placement.translation * m);
            if link.parent == 0 {
                mass += m;
                moment += h;
                continue;
            }
            let above = &mut subtrees[places[link.parent]];
            if model.is_last_child(i) {
                (above.mass, above.first_moment) = (m, h);
            } else {
                above.mass += m;
                above.first_moment += h;
            }
        }
        moment * mass.recip()
    }
);

impl Model {
    /// The centre of mass of the whole robot in the world, in m, and nothing else: what places no
    /// body in the world takes less time than [`centers_of_mass`](Self::centers_of_mass).
    ///
    /// `q` has nq entries. Cost O(n). Source: Orin and Goswami 2008.
    ///
    /// # Errors
    /// [`Error::Size`], [`Error::WorkspaceMismatch`], [`Error::NoMass`] if the robot has none, and
    /// [`Error::NotFinite`], [`Error::ZeroRotation`] or [`Error::Overflow`] for a configuration
    /// that has no finite result.
    ///
    /// ```
    /// use featherline::{Workspace, samples};
    ///
    /// let model = samples::double_pendulum();
    /// let mut ws = Workspace::new(&model);
    /// // Two equal rods of 1 m hang down, one from the other.
    /// assert_eq!(model.center_of_mass(&mut ws, &[0.0, 0.0])?.to_array(), [0.0, 0.0, -1.0]);
    /// # Ok::<(), featherline::Error>(())
    /// ```
    pub fn center_of_mass<S: Scalar>(
        &self,
        ws: &mut Workspace<S>,
        q: &[S],
    ) -> Result<Vec3<S>, Error> {
        ws.check(self)?;
        self.check_q(q)?;
        let ws = &mut ws.scratch;
        let center = whole_center_of_mass(self, ws, q);
        if center.is_finite() {
            return Ok(center);
        }
        let error = self.explain_not_finite("a placement", q, &[], None);
        Err(if let Error::Overflow { .. } = error {
            self.explain_no_center(ws, JointId::UNIVERSE)
        } else {
            error
        })
    }
}
