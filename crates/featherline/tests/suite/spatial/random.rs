//! Seeded random values.

use featherline::spatial::{Force, Mat3, Motion, Quaternion, Se3, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A source of random spatial quantities of size about one.
pub struct Random(ChaCha8Rng);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number in [−1, 1).
    pub fn number(&mut self) -> f64 {
        self.0.random_range(-1.0..1.0)
    }

    /// A number in [low, high).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.random_range(low..high)
    }

    pub fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.number(), self.number(), self.number())
    }

    pub fn direction(&mut self) -> Vec3<f64> {
        let v = self.vector();
        v * v.norm().recip()
    }

    pub fn quaternion(&mut self) -> Quaternion<f64> {
        Quaternion::new(self.number(), self.number(), self.number(), self.number()).normalised()
    }

    pub fn rotation(&mut self) -> Mat3<f64> {
        self.quaternion().to_rotation()
    }

    pub fn placement(&mut self) -> Se3<f64> {
        Se3::new(self.rotation(), self.vector())
    }

    pub fn motion(&mut self) -> Motion<f64> {
        Motion::new(self.vector(), self.vector())
    }

    pub fn force(&mut self) -> Force<f64> {
        Force::new(self.vector(), self.vector())
    }
}
