//! A bound of how far pivots may be off by rounding, for a few operations a link.
//!
//! [Pivots' terms](super::rounding) are sums over the bodies below: Σ vᵀ T v, where T bounds
//! the inertias that are added up at a body, and v is how it moves while coordinate k alone is
//! moved and those below are free. If T ≤ κ I at each body, whose own inertia is I, and κ is summed
//! along the path with the most, β, then all terms together are at most β Σ vᵀ I v, and that sum is
//! the pivot itself: energy of free joints that yield. A pivot is then off by at most β roundings
//! of its own size, however long the robot is, where a bound by all that the joint carries sees
//! nothing but rounding beyond some ten thousand links.
//!
//! T is a multiple of the identity for translations and one for rotations, so that κ takes the
//! traces of the two blocks of I⁻¹. A body without an inertia of its own has no κ, and is judged by
//! its terms.

use super::rounding::most_roundings;
use crate::model::Mobility;
use crate::scalar::Scalar;
use crate::spatial::InertiaBound;
use crate::spatial::Vec3;

/// The share of a body's children in the rounding of its pivot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PivotShare<S: Scalar> {
    /// Of all of them, before their joints are crossed.
    carried: InertiaBound<S>,
    /// β, the most of any.
    most: S,
}

impl<S: Scalar> PivotShare<S> {
    /// The share of a body without children.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            carried: InertiaBound::default(),
            most: S::zero(),
        }
    }

    /// With that of other children.
    #[inline(always)]
    pub fn with(&self, other: &Self) -> Self {
        let less = self.most.less(other.most);
        Self {
            carried: self.carried.plus(&other.carried),
            most: S::select(less, other.most, self.most),
        }
    }

    /// The share that a body with this one passes to its parent: `size` is that of its inertia
    /// before its joint is crossed, and `translation` that of its placement.
    #[inline(always)]
    pub fn handed_on(
        &self,
        mobility: &Mobility,
        size: InertiaBound<S>,
        translation: Vec3<S>,
    ) -> Self {
        let Mobility {
            own,
            linear,
            angular,
        } = *mobility;
        let InertiaBound { mass, moment } = self.carried;
        let c = S::constant;
        let more = mass.mul_add(c(linear), moment.mul_add(c(angular), c(own)));
        Self {
            carried: size.far(translation.dot(translation)),
            most: self.most + more,
        }
    }

    /// Whether the pivot of a body that hands this on is more than rounding.
    #[inline(always)]
    pub fn is_clear(&self) -> bool {
        S::all(self.most.less(S::constant(most_roundings::<S>())))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounding::{ArticulatedElimination, pivots_are_clear};
    use super::*;
    use crate::Workspace;
    use crate::joint::JointKind;
    use crate::model::{JointSpec, ModelBuilder};
    use crate::samples::{RandomTree, random_tree, snake};
    use crate::spatial::{Inertia, Se3, Sym3};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// The shares of all links, of what an elimination in a workspace has carried.
    fn shares(model: &crate::Model, ws: &Workspace<f64>) -> Vec<PivotShare<f64>> {
        let count = model.links.len();
        let mut gathered = vec![PivotShare::zero(); count];
        let mut shares = gathered.clone();
        for i in (1..count).rev() {
            let mobility = Mobility::of(&model.joints()[i].inertia);
            let size = ws.scratch.rounding.carried[i];
            let far = ws.scratch.placement[i].translation;
            shares[i] = gathered[i].handed_on(&mobility, size, far);
            let parent = model.links[i].parent;
            gathered[parent] = gathered[parent].with(&shares[i]);
        }
        shares
    }

    /// Balls about one point, and a needle at the end: of its great inertia nothing is left that
    /// the first ball could see but what it is rounded by.
    fn needle() -> crate::Model {
        let ball = Sym3::diagonal(Vec3::new(1e-6, 1e-6, 1e-6));
        let needle = Sym3::diagonal(Vec3::new(1e-6, 1.0, 1.0));
        let mut builder = ModelBuilder::new("needle");
        let mut parent = ModelBuilder::UNIVERSE;
        for (name, kind, rotational) in [
            ("a", JointKind::revolute_x(), ball),
            ("b", JointKind::revolute_y(), ball),
            ("c", JointKind::revolute_y(), ball),
            ("d", JointKind::revolute_z(), needle),
        ] {
            parent = builder.add_joint(JointSpec::new(name, parent, kind));
            let inertia = Inertia::new(1.0, Vec3::zero(), rotational);
            builder.add_body(parent, name, Se3::identity(), inertia);
        }
        builder.build().unwrap().model
    }

    #[test]
    fn terms_of_pivots_are_at_most_as_many_pivots_as_the_share_says() {
        let mut models = vec![snake(50), snake(1000), needle()];
        models.extend((0..40).map(|seed| {
            random_tree(
                seed,
                &RandomTree {
                    joints: 30,
                    branching: 0.4,
                    every_kind: seed % 2 == 0,
                    mimic_joints: false,
                    floating: seed % 3 == 0,
                },
            )
        }));
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut judged, mut near) = (0, 0.0_f64);
        for model in &models {
            let mut ws = Workspace::recursive(model);
            let q = model.random_configuration(&mut rng);
            let zeros = vec![0.0; model.nv()];
            model.aba(&mut ws, &q, &zeros, &zeros).unwrap();
            let elimination = ArticulatedElimination::default();
            pivots_are_clear(model, &mut ws.scratch, elimination, model.links.len());
            let shares = shares(model, &ws);
            for (front, share) in model.coordinates.fronts.iter().zip(&shares).skip(1) {
                for k in 0..front.eliminated {
                    let row = front.square + k * (front.coordinates.len() + 1);
                    let inverse = ws.scratch.fronts.square[row];
                    let ratio = inverse * ws.scratch.rounding.terms[front.coordinates[k]];
                    if share.most.is_finite() {
                        assert!(ratio <= share.most, "{ratio:e} {:e}", share.most);
                        near = near.max(ratio / share.most);
                        judged += 1;
                    }
                }
            }
        }
        assert!(judged > 2000, "{judged}");
        // A bound that is never within a hundred of what it bounds would prove little.
        assert!(near > 0.01, "{near}");
    }

    #[test]
    fn bodies_without_an_inertia_have_no_bound() {
        let point = Inertia::new(1.0, Vec3::unit(0), Sym3::zero());
        for inertia in [Inertia::zero(), point] {
            let share = PivotShare::<f64>::zero().handed_on(
                &Mobility::of(&inertia),
                InertiaBound::default(),
                Vec3::zero(),
            );
            assert!(!share.is_clear());
        }
    }
}
