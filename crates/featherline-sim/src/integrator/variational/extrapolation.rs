//! Initial guesses of a step by extrapolation of the previous ones.

use featherline::kernel;

/// How many differences of velocities are kept: one more than a guess is made from, to judge it by.
const MOST: usize = 12;

/// The extrapolation of the mean velocities of previous steps.
///
/// The polynomial through the mean velocities of the last p steps, of one length, expects of the
/// next one the sum of the backward differences ∇⁰ to ∇ᵖ⁻¹, and the difference ∇ᵖ is by how much it
/// was wrong about the last one. So each velocity has the p that would have been best in the last
/// two steps: a smooth motion is known from many steps, a lively one from few.
#[derive(Clone, Debug)]
pub(super) struct Extrapolation {
    /// Backward differences of the mean velocities, from the order zero: the last velocity itself.
    differences: [Box<[f64]>; MOST],
    /// How many of them are known.
    known: usize,
    /// How long the known steps were, 0 before the first.
    step: f64,
    /// The mean velocity that is expected of a next step of that length.
    expected: Box<[f64]>,
    /// Memory: the newest difference, the sum of those below it, the least error.
    newest: Box<[f64]>,
    sum: Box<[f64]>,
    least: Box<[f64]>,
}

impl Extrapolation {
    /// For so many velocities.
    pub fn new(size: usize) -> Self {
        let velocities = || -> Box<[f64]> { vec![0.0; size].into() };
        Self {
            differences: std::array::from_fn(|_| velocities()),
            known: 0,
            step: 0.0,
            expected: velocities(),
            newest: velocities(),
            sum: velocities(),
            least: velocities(),
        }
    }

    /// Where nothing is known but the velocity now, which the caller writes to the slice that is
    /// returned; the mean velocity of the last step is there.
    pub fn begin(&mut self) -> &mut [f64] {
        self.step = 0.0;
        &mut self.differences[0]
    }

    /// The mean velocity of the last step, or what the caller began with.
    pub fn last(&self) -> &[f64] {
        &self.differences[0]
    }

    /// Guesses the displacement in a step of `h`.
    pub fn guess(&self, h: f64, displacement: &mut [f64]) {
        if self.step != h {
            return self.hold(h, displacement);
        }
        for (displacement, velocity) in displacement.iter_mut().zip(&self.expected) {
            *displacement = h * velocity;
        }
    }

    /// The displacement in a step of `h` if the mean velocity stays what it was: a guess that is
    /// never wild.
    pub fn hold(&self, h: f64, displacement: &mut [f64]) {
        for (displacement, velocity) in displacement.iter_mut().zip(self.last()) {
            *displacement = h * velocity;
        }
    }

    /// Keeps the mean velocity of a step of `h`.
    pub fn remember(&mut self, h: f64, displacement: &[f64]) {
        if self.step != h {
            (self.known, self.step) = (0, h);
        }
        for (newest, d) in self.newest.iter_mut().zip(displacement) {
            *newest = d / h;
        }
        judge_orders(self);
        self.known = (self.known + 1).min(MOST);
    }
}

kernel!(
    /// Brings the differences up to a step whose mean velocity is the newest one, and finds what
    /// they expect of the next.
    fn judge_orders(extrapolation: &mut Extrapolation) {
        let Extrapolation {
            differences,
            known,
            expected,
            newest,
            sum,
            least,
            ..
        } = extrapolation;
        let n = newest.len();
        // Slices of one length, which loops need not check.
        let (expected, newest) = (&mut expected[..n], &mut newest[..n]);
        let (sum, least) = (&mut sum[..n], &mut least[..n]);
        sum.fill(0.0);
        least.fill(f64::INFINITY);
        for (order, difference) in differences.iter_mut().enumerate().take(*known + 1) {
            let difference = &mut difference[..n];
            for k in 0..n {
                let (now, before) = (newest[k], difference[k]);
                // A difference that was not known before has nothing to say about the step before.
                let before_last = if order < *known { before } else { now };
                let error = now.abs() + before_last.abs();
                let is_better = order > 0 && error < least[k];
                least[k] = if is_better { error } else { least[k] };
                expected[k] = if is_better { sum[k] } else { expected[k] };
                sum[k] += now;
                difference[k] = now;
                newest[k] = now - before;
            }
        }
        if *known == 0 {
            expected.copy_from_slice(sum);
        }
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: f64 = 0.5;

    /// By how much the guess is wrong about a function's next value, after so many.
    fn error(f: impl Fn(f64) -> f64, steps: usize) -> f64 {
        let mut past = Extrapolation::new(1);
        for k in 0..steps {
            past.remember(STEP, &[STEP * f(k as f64)]);
        }
        let mut guess = [0.0];
        past.guess(STEP, &mut guess);
        (guess[0] / STEP - f(steps as f64)).abs()
    }

    #[test]
    fn polynomials_are_continued_once_their_degree_shows() {
        let cubic = |t: f64| 3.0 - t + 0.5 * t * t - 0.25 * t * t * t;
        // Four values make a cubic, a fifth says that it is one.
        assert!(error(cubic, 4) > 0.1);
        // Rounding of values of size 30.
        assert!(error(cubic, 5) < 1e-13);
        assert!(error(cubic, 12) < 1e-12);
    }

    #[test]
    fn what_jumps_to_and_fro_is_not_taken_for_a_polynomial() {
        let noise = |t: f64| 1.0 + 1e-3 * (37.0 * t * t).sin();
        // Differences of noise double from order to order: those of the eighth would be wrong by a
        // quarter.
        assert!((8..40).all(|steps| error(noise, steps) < 0.02));
    }

    #[test]
    fn steps_of_another_length_say_nothing_but_the_velocity() {
        let mut past = Extrapolation::new(1);
        for k in 0..5 {
            past.remember(STEP, &[STEP * k as f64]);
        }
        let mut guess = [0.0];
        past.guess(0.1, &mut guess);
        assert!((guess[0] - 0.1 * 4.0).abs() < 1e-15);
        past.remember(0.1, &[0.1 * 7.0]);
        past.guess(0.1, &mut guess);
        assert!((guess[0] - 0.1 * 7.0).abs() < 1e-15);
        past.begin()[0] = 2.0;
        past.guess(0.1, &mut guess);
        assert!((guess[0] - 0.1 * 2.0).abs() < 1e-15);
    }
}
