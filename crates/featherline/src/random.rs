//! Sources of random numbers, for random configurations.
//!
//! [`SplitMix64`] is always there and needs no other crate. With the feature `rand` every generator
//! of that crate (0.10, re-exported as `featherline::rand`) is a [`RandomSource`], too.
//!
//! ```
//! use featherline::{random::SplitMix64, samples};
//!
//! let model = samples::double_pendulum();
//! let q = model.random_configuration(&mut SplitMix64::new(7));
//! assert_eq!(q, model.random_configuration(&mut SplitMix64::new(7)));
//! ```

/// A source of random numbers.
pub trait RandomSource {
    /// A number drawn uniformly from \[0, 1).
    fn uniform(&mut self) -> f64;
}

#[cfg(feature = "rand")]
impl<R: rand::Rng + ?Sized> RandomSource for R {
    fn uniform(&mut self) -> f64 {
        rand::RngExt::random(self)
    }
}

/// A small generator for tests and examples: 64 bits of state, period 2⁶⁴, the same numbers on
/// every platform. Not for cryptography.
///
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (2014), Figure 17.
///
/// ```
/// use featherline::random::{RandomSource, SplitMix64};
///
/// let mut source = SplitMix64::new(1);
/// assert!((0.0..1.0).contains(&source.uniform()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator that begins with a seed; every seed is as good as another.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl RandomSource for SplitMix64 {
    fn uniform(&mut self) -> f64 {
        // The upper 53 bits: as many as a significand has.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        // Vigna, <https://prng.di.unimi.it/splitmix64.c>, begun with 1234567, as Rosetta Code
        // lists.
        let mut source = SplitMix64::new(1_234_567);
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(published.map(|_| source.next()), published);
    }

    #[test]
    fn uniform_numbers_have_the_mean_and_the_variance_of_the_interval() {
        let mut source = SplitMix64::new(3);
        let numbers: Vec<f64> = (0..100_000).map(|_| source.uniform()).collect();
        let mean = numbers.iter().sum::<f64>() / 1e5;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1e5;
        // Five standard deviations of the two estimates: 5·√(1/12/10⁵) and 5·√(1/180/10⁵).
        assert!((mean - 0.5).abs() < 4.6e-3, "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 1.2e-3, "{variance}");
    }
}
