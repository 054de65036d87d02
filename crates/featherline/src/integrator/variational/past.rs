//! Guesses from the steps that lie behind.

/// How many past steps a guess is made from.
const PAST: usize = 4;

/// Mean velocities of past steps, the last one first.
#[derive(Clone, Debug)]
pub(super) struct Past {
    velocities: [Box<[f64]>; PAST],
    known: usize,
    /// How long the known steps were, 0 before the first.
    step: f64,
}

impl Past {
    /// For so many velocities.
    pub fn new(size: usize) -> Self {
        Self {
            velocities: std::array::from_fn(|_| vec![0.0; size].into()),
            known: 0,
            step: 0.0,
        }
    }

    /// Where nothing is known but the velocity now, which the caller writes to the slice that is returned; the mean velocity of the
    /// last step is there.
    pub fn begin(&mut self) -> &mut [f64] {
        self.step = 0.0;
        &mut self.velocities[0]
    }

    /// The mean velocity of the last step, or what the caller began with.
    pub fn last(&self) -> &[f64] {
        &self.velocities[0]
    }

    /// Guesses the displacement in a step of `h`: the polynomial through the mean velocities of past steps, if they were as
    /// long.
    pub fn guess(&self, h: f64, displacement: &mut [f64]) {
        let [a, b, c, d] = &self.velocities;
        let known = if self.step == h { self.known } else { 1 };
        for (k, displacement) in displacement.iter_mut().enumerate() {
            let velocity = match known {
                1 => a[k],
                2 => 2.0 * a[k] - b[k],
                3 => 3.0 * (a[k] - b[k]) + c[k],
                _ => 4.0 * (a[k] + c[k]) - 6.0 * b[k] - d[k],
            };
            *displacement = h * velocity;
        }
    }

    /// Keeps the mean velocity of a step of `h`.
    pub fn remember(&mut self, h: f64, displacement: &[f64]) {
        if self.step != h {
            (self.known, self.step) = (0, h);
        }
        self.velocities.rotate_right(1);
        for (velocity, d) in self.velocities[0].iter_mut().zip(displacement) {
            *velocity = d / h;
        }
        self.known = (self.known + 1).min(PAST);
    }
}
