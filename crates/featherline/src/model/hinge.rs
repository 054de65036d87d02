//! Hinges whose frame has its parent's axes, perhaps in another order.

use super::link::Class;
use crate::scalar::Scalar;
use crate::spatial::{Mat3, Se3, Sym3, Vec3};

/// Which of the parent's axes are x, y and z of the hinge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// x, y and z.
    Same,
    /// y, z and x.
    Next,
    /// z, x and y.
    Previous,
}

impl Order {
    /// A vector in the parent's axes, in those of the hinge.
    #[inline(always)]
    pub fn into_link<S: Scalar>(self, v: Vec3<S>) -> Vec3<S> {
        match self {
            Self::Same => v,
            Self::Next => Vec3::new(v.y, v.z, v.x),
            Self::Previous => Vec3::new(v.z, v.x, v.y),
        }
    }

    /// A vector in the axes of the hinge, in those of the parent.
    #[inline(always)]
    pub fn out_of_link<S: Scalar>(self, v: Vec3<S>) -> Vec3<S> {
        match self {
            Self::Same => v,
            Self::Next => Vec3::new(v.z, v.x, v.y),
            Self::Previous => Vec3::new(v.y, v.z, v.x),
        }
    }

    /// A symmetric matrix in the axes of the hinge, in those of the parent.
    #[inline(always)]
    pub fn symmetric_out_of_link<S: Scalar>(self, m: &Sym3<S>) -> Sym3<S> {
        let [xx, xy, xz, yy, yz, zz] = m.to_elements();
        match self {
            Self::Same => *m,
            Self::Next => Sym3::new(zz, xz, yz, xx, xy, yy),
            Self::Previous => Sym3::new(yy, yz, xy, zz, xz, xx),
        }
    }

    /// The axes of the hinge, for those of the parent.
    #[inline(always)]
    pub fn axes<S: Scalar>(self, parent: &Mat3<S>) -> Mat3<S> {
        let Mat3 { x, y, z } = *parent;
        match self {
            Self::Same => Mat3::from_columns(x, y, z),
            Self::Next => Mat3::from_columns(y, z, x),
            Self::Previous => Mat3::from_columns(z, x, y),
        }
    }
}

/// A hinge that turns about one of the parent's axes.
#[derive(Clone, Copy, Debug)]
pub struct Hinge {
    /// The order of its axes among its parent's.
    pub order: Order,
    /// Where it is in the parent, along its own axes before it turns.
    pub offset: Vec3<f64>,
}

impl Hinge {
    /// The hinge of a joint with this input frame in the parent, if it is one.
    pub fn of(class: Class, placement: &Se3<f64>) -> Option<Self> {
        let (x, y, z) = (Vec3::unit(0), Vec3::unit(1), Vec3::unit(2));
        let order = match (class, placement.rotation) {
            (Class::Revolute, r) if r == Mat3::from_columns(x, y, z) => Order::Same,
            (Class::Revolute, r) if r == Mat3::from_columns(y, z, x) => Order::Next,
            (Class::Revolute, r) if r == Mat3::from_columns(z, x, y) => Order::Previous,
            _ => return None,
        };
        let offset = order.into_link(placement.translation);
        Some(Self { order, offset })
    }
}
