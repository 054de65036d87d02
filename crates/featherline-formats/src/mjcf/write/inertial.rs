//! Inertias.

use super::{Writer, pose, vector};
use crate::description::{Inertial, Link};
use crate::principal::principal;
use crate::xml::{number, numbers};
use featherline::spatial::{Se3, Sym3};

/// The least principal moment that MuJoCo takes from `fullinertia`.
const LEAST_OF_FULL: f64 = 1e-14;
/// The bound that MuJoCo's mass and moments of a moving body must exceed.
pub(super) const LEAST_OF_MOVING: f64 = 1e-15;
/// The rounding error of a moment that is zero, relative to the greatest.
const ROUNDING: f64 = 1e-15;

impl Writer<'_, '_, '_> {
    /// Writes the inertia of a link, if it has one.
    pub(super) fn inertial(&mut self, link: &Link) {
        let Some(inertial) = &link.inertial else {
            return;
        };
        let (mut attributes, moments) = attributes(inertial);
        // The position is required.
        if inertial.placement.translation == featherline::spatial::Vec3::zero() {
            attributes.insert(0, ("pos", vector(inertial.placement.translation)));
        }
        self.out.empty("inertial", &attributes);
        let [least, middle, greatest] = sorted(moments);
        let why = if least < -ROUNDING * greatest || inertial.mass < 0.0 {
            "negative moments of inertia"
        } else if least + middle < greatest * (1.0 - ROUNDING) {
            "moments of inertia that break the triangle inequality"
        } else {
            return;
        };
        let what = format!("the inertia of link `{}`", link.name);
        self.refused(inertial.source, what, why);
    }
}

type Attributes = Vec<(&'static str, String)>;

/// The attributes of an inertia, and its principal moments.
fn attributes(inertial: &Inertial) -> (Attributes, [f64; 3]) {
    let Inertial {
        placement,
        mass,
        moments,
        ..
    } = inertial;
    let mass = ("mass", number(*mass));
    let [xx, xy, xz, yy, yz, zz] = moments.to_elements();
    let stated = |at: &Se3<f64>, name, moments: &[f64]| -> Attributes {
        let mut attributes = pose(at);
        attributes.extend([mass, (name, numbers(moments))]);
        attributes
    };
    if (xy, xz, yz) == (0.0, 0.0, 0.0) {
        let own = [xx, yy, zz];
        return (stated(placement, "diaginertia", &own), own);
    }
    let (axes, own) = principal(moments);
    let [least, _, greatest] = sorted(own);
    if least < LEAST_OF_FULL && least >= -ROUNDING * greatest {
        let at = placement.compose(&Se3::from_rotation(axes));
        let own = own.map(|it| it.max(0.0));
        return (stated(&at, "diaginertia", &own), own);
    }
    let turned: Sym3<f64> = moments.conjugated_by(&placement.rotation);
    let [xx, xy, xz, yy, yz, zz] = turned.to_elements();
    let at = Se3::from_translation(placement.translation);
    (stated(&at, "fullinertia", &[xx, yy, zz, xy, xz, yz]), own)
}

/// Whether MuJoCo takes the mass and the moments for those of a moving body.
pub(super) fn moves(inertial: &Inertial) -> bool {
    let [least, ..] = sorted(attributes(inertial).1);
    inertial.mass >= LEAST_OF_MOVING && least >= LEAST_OF_MOVING
}

fn sorted(mut moments: [f64; 3]) -> [f64; 3] {
    moments.sort_by(f64::total_cmp);
    moments
}
