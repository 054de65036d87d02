//! The kinetic energy of the centre of mass of each tree of a model.

use featherline::kernel::{Kernel, links};
use featherline::model::Model;
use featherline::spatial::{Force, Vec3};

/// The trees of a model, each a robot of its own that hangs on the world or floats.
#[derive(Clone, Debug)]
pub(super) struct Trees {
    /// By link: one over the mass of its tree if it hangs on the world.
    inverse_mass: Box<[f64]>,
    /// The linear momentum of what hangs on each link, itself among it.
    momentum: Box<[Vec3<f64>]>,
}

impl Trees {
    /// The trees of a model.
    pub fn new(model: &Model) -> Self {
        let joints = model.joints();
        let mut mass: Vec<f64> = joints.iter().map(|joint| joint.inertia.mass).collect();
        for (i, joint) in joints.iter().enumerate().skip(1).rev() {
            mass[joint.parent.index()] += mass[i];
        }
        let inverse = |mass: f64| if mass > 0.0 { mass.recip() } else { 0.0 };
        Self {
            inverse_mass: mass.into_iter().map(inverse).collect(),
            momentum: vec![Vec3::zero(); joints.len()].into(),
        }
    }
}

/// Twice the kinetic energy of the trees' centres of mass.
pub(super) struct CenterOfMassEnergy<'a, C> {
    pub model: &'a Model,
    pub trees: &'a mut Trees,
    /// The momenta of the bodies, each along its own axes.
    pub momentum: &'a [Force<f64>],
    /// Brings a vector along the axes of a body to those of its parent.
    pub carry: C,
}

impl<C: Fn(usize, Vec3<f64>) -> Vec3<f64>> Kernel for CenterOfMassEnergy<'_, C> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let (inverse_mass, momentum) = (&self.trees.inverse_mass, &mut self.trees.momentum);
        for (total, own) in momentum.iter_mut().zip(self.momentum) {
            *total = own.linear;
        }
        let mut energy = 0.0;
        for (i, link) in links(self.model).iter().enumerate().skip(1).rev() {
            match link.parent {
                0 => energy = momentum[i].norm_squared().mul_add(inverse_mass[i], energy),
                parent => momentum[parent] += (self.carry)(i, momentum[i]),
            }
        }
        energy
    }
}
