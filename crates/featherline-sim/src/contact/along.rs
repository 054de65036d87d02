//! Lengths within a step.

use featherline::model::{Length, LengthGradient, Model};
use featherline_constraint::nonsmooth::{Law, RobotRows, Rows, Set};

/// A length with its value and its gradient where a step begins: l̇ = Σ c v.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Along {
    pub length: Length,
    pub value: f64,
    /// The gradient, by coordinates.
    pub row: Vec<(usize, f64)>,
    gradient: LengthGradient,
}

impl Along {
    pub fn new(length: Length) -> Self {
        Self {
            length,
            value: 0.0,
            row: Vec::new(),
            gradient: LengthGradient::default(),
        }
    }

    /// Finds its value and gradient where `robot` has been placed.
    pub fn find(&mut self, model: &Model, robot: &RobotRows, q: &[f64]) {
        self.value = self
            .length
            .evaluate(q, robot.placements(), &mut self.gradient);
        robot.length_row(model, &self.gradient, &mut self.row);
    }

    /// l̇ of a velocity.
    pub fn rate(&self, v: &[f64]) -> f64 {
        self.row.iter().map(|(k, factor)| factor * v[*k]).sum()
    }

    /// Adds a force along it, times the gradient.
    pub fn add_force(&self, force: f64, out: &mut [f64]) {
        for (k, factor) in &self.row {
            out[*k] += force * factor;
        }
    }

    /// Adds a row with a law, of the rate times a sign; none where nothing moves it. Whether there
    /// is one.
    pub fn push(&self, sign: f64, law: Law, rows: &mut Rows) -> bool {
        if self.row.is_empty() {
            return false;
        }
        rows.push_coordinates(&self.row, sign, law);
        true
    }
}

/// The law of an impulse λ = clamp(h (f − g u⁺), ±h bound), as u + b + R λ = 0, of g > 0.
#[inline(always)]
pub(super) fn linear_law(force: f64, gain: f64, bound: f64, h: f64) -> Law {
    Law {
        set: Set::Interval { bound: bound * h },
        bias: [-force / gain, 0.0, 0.0],
        compliance: (h * gain).recip(),
    }
}
