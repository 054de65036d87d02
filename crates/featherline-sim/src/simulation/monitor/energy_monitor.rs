//! The error of an energy, and the kinetic energy that it is relative to.

/// The part of a kinetic energy beyond which an error is no longer one of a motion that is known.
const UNSOUND: f64 = 0.5;

/// The part of an energy that is rounding.
const ROUNDING: f64 = 1e-12;

/// Follows an energy: its change since the first sample, and the greatest kinetic energy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnergyMonitor {
    first: Option<f64>,
    last: f64,
    peak: f64,
    greatest_sound: f64,
    greatest_kinetic: f64,
    greatest_size: f64,
    /// That of all samples, sound or not.
    greatest_of_all: f64,
}

impl EnergyMonitor {
    /// Takes the energy of a sample.
    pub(super) fn add(&mut self, kinetic: f64, potential: f64) {
        self.last = kinetic + potential;
        self.first.get_or_insert(self.last);
        let error = self.change(self.last).abs();
        self.peak = self.peak.max(error);
        self.greatest_kinetic = self.greatest_kinetic.max(kinetic);
        self.greatest_of_all = self.greatest_of_all.max(kinetic + potential.abs());
        if error <= UNSOUND * kinetic {
            self.greatest_sound = self.greatest_sound.max(kinetic);
            self.greatest_size = self.greatest_size.max(kinetic + potential.abs());
        }
    }

    /// Counts what the last energy has become by an impact as if it had always been so.
    pub(super) fn allow(&mut self, energy: f64) {
        if let Some(first) = &mut self.first {
            *first += energy - self.last;
        }
        self.last = energy;
    }

    /// Whether there was a sample.
    pub(super) fn has_begun(&self) -> bool {
        self.first.is_some()
    }

    /// The first and the last energy.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.first.unwrap_or(self.last), self.last)
    }

    /// The change of an energy since the first one.
    pub(super) fn change(&self, energy: f64) -> f64 {
        energy - self.first.unwrap_or(energy)
    }

    /// The greatest change since the first sample.
    pub(super) fn peak(&self) -> f64 {
        self.peak
    }

    /// The greatest kinetic energy of the samples whose error is at most half of their own: where a
    /// motion blows up, kinetic energy and error grow as one, and the error would never look larger
    /// than the whole. Of all samples if there is none of that kind.
    pub(super) fn scale(&self) -> f64 {
        if self.greatest_sound > 0.0 {
            self.greatest_sound
        } else {
            self.greatest_kinetic
        }
    }

    /// Whether nothing moves but by rounding: the kinetic energy is at most `part` of the whole. A
    /// motion that blows up has most of its energy in motion.
    pub(super) fn rests(&self, part: f64) -> bool {
        self.greatest_kinetic <= part * self.greatest_of_all
            || self.scale() <= part * self.greatest_size
    }

    /// Whether the error is more than rounding.
    pub(super) fn shows(&self) -> bool {
        self.peak > ROUNDING * self.greatest_size
    }
}
