//! How a scalar keeps the three components of a vector.
//!
//! Three doubles fill no vector register, and a compiler that is given them one by one computes
//! them one by one. With a fourth number beside them they are one register: a product of matrix and
//! vector is three instructions in place of nine. Scalars that are vectors themselves gain nothing
//! from that and keep three plain components. Therefore each scalar chooses its [`Triple`], and
//! everything that is made of vectors follows.

use super::Scalar;
use std::fmt::Debug;

/// Three components of a vector, and the operations on all of them at once.
///
/// The provided methods work component by component. An implementation that overrides one gives the
/// same result, to the last bit.
pub trait Triple<S: Scalar>: Copy + Debug + Send + Sync + 'static {
    /// The triple with the given components.
    fn new(x: S, y: S, z: S) -> Self;

    /// The triple of constants.
    #[inline(always)]
    fn constant(v: &Padded) -> Self {
        let v = &v.components;
        Self::new(S::constant(v.x), S::constant(v.y), S::constant(v.z))
    }

    /// The components.
    fn components(&self) -> &TripleComponents<S>;

    /// The components, to be written.
    fn components_mut(&mut self) -> &mut TripleComponents<S>;

    /// The sum.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let (a, b) = (self.components(), other.components());
        Self::new(a.x + b.x, a.y + b.y, a.z + b.z)
    }

    /// The difference.
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        let (a, b) = (self.components(), other.components());
        Self::new(a.x - b.x, a.y - b.y, a.z - b.z)
    }

    /// The opposite.
    #[inline(always)]
    fn negated(self) -> Self {
        let a = self.components();
        Self::new(-a.x, -a.y, -a.z)
    }

    /// `self * factor`.
    #[inline(always)]
    fn scaled(self, factor: S) -> Self {
        let a = self.components();
        Self::new(a.x * factor, a.y * factor, a.z * factor)
    }

    /// `self * factor + addend`.
    #[inline(always)]
    fn scaled_add(self, factor: S, addend: Self) -> Self {
        let (a, b) = (self.components(), addend.components());
        Self::new(
            a.x.mul_add(factor, b.x),
            a.y.mul_add(factor, b.y),
            a.z.mul_add(factor, b.z),
        )
    }

    /// The scalar product.
    #[inline(always)]
    fn dot(self, other: Self) -> S {
        let (a, b) = (self.components(), other.components());
        a.x.mul_add(b.x, a.y.mul_add(b.y, a.z * b.z))
    }

    /// The vector product `self × other`.
    #[inline(always)]
    fn cross(self, other: Self) -> Self {
        let (a, b) = (self.components(), other.components());
        Self::new(
            a.y.mul_add(b.z, -(a.z * b.y)),
            a.z.mul_add(b.x, -(a.x * b.z)),
            a.x.mul_add(b.y, -(a.y * b.x)),
        )
    }

    /// `self × other + addend`.
    #[inline(always)]
    fn cross_add(self, other: Self, addend: Self) -> Self {
        let (a, b, c) = (self.components(), other.components(), addend.components());
        Self::new(
            a.y.mul_add(b.z, (-a.z).mul_add(b.y, c.x)),
            a.z.mul_add(b.x, (-a.x).mul_add(b.z, c.y)),
            a.x.mul_add(b.y, (-a.y).mul_add(b.x, c.z)),
        )
    }

    /// `self × (0, 0, z)`.
    #[inline(always)]
    fn cross_along_z(self, z: S) -> Self {
        let a = self.components();
        Self::new(a.y * z, -(a.x * z), S::zero())
    }

    /// `self + (0, 0, z)`.
    #[inline(always)]
    fn plus_along_z(self, z: S) -> Self {
        let a = self.components();
        Self::new(a.x, a.y, a.z + z)
    }

    /// The rows of the matrix with the given columns.
    #[inline(always)]
    fn transposed(columns: [Self; 3]) -> [Self; 3] {
        let [x, y, z] = &columns;
        let (x, y, z) = (x.components(), y.components(), z.components());
        [
            Self::new(x.x, y.x, z.x),
            Self::new(x.y, y.y, z.y),
            Self::new(x.z, y.z, z.z),
        ]
    }

    /// The scalar products of three vectors with one: the product of the transposed matrix with
    /// `v`.
    #[inline(always)]
    fn dots(columns: [Self; 3], v: Self) -> Self {
        let [x, y, z] = columns;
        Self::new(x.dot(v), y.dot(v), z.dot(v))
    }
}

/// Three numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TripleComponents<S> {
    /// First component.
    pub x: S,
    /// Second component.
    pub y: S,
    /// Third component.
    pub z: S,
}

impl<S: Scalar> Triple<S> for TripleComponents<S> {
    #[inline(always)]
    fn new(x: S, y: S, z: S) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    fn components(&self) -> &TripleComponents<S> {
        self
    }

    #[inline(always)]
    fn components_mut(&mut self) -> &mut TripleComponents<S> {
        self
    }
}

/// Three doubles in the room of four.
///
/// The layout is that of a vector register, whose fourth number is zero or of no interest.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub struct Padded<S = f64> {
    components: TripleComponents<S>,
    padding: S,
}

impl<S: Scalar> Triple<S> for Padded<S> {
    #[inline(always)]
    fn new(x: S, y: S, z: S) -> Self {
        Self {
            components: TripleComponents { x, y, z },
            padding: S::zero(),
        }
    }

    #[inline(always)]
    fn components(&self) -> &TripleComponents<S> {
        &self.components
    }

    #[inline(always)]
    fn components_mut(&mut self) -> &mut TripleComponents<S> {
        &mut self.components
    }
}
