//! Counting the arithmetic that an algorithm does.

use super::{InstructionSet, Scalar, Triangle, TripleComponents};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::fmt::{self, Debug, Formatter};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// How many operations of each kind were done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Operations {
    /// Additions and subtractions.
    pub additions: u64,
    /// Multiplications.
    pub multiplications: u64,
    /// Divisions.
    pub divisions: u64,
    /// Square roots.
    pub square_roots: u64,
    /// Evaluations of sine and cosine together.
    pub sin_cos: u64,
    /// Angles of vectors (`atan2`), absolute values, and selections that the variables decide.
    pub other: u64,
}

impl Operations {
    /// All operations together.
    pub fn total(&self) -> u64 {
        self.additions
            + self.multiplications
            + self.divisions
            + self.square_roots
            + self.sin_cos
            + self.other
    }
}

impl Sub for Operations {
    type Output = Self;
    #[inline(never)]
    fn sub(self, o: Self) -> Self {
        Self {
            additions: self.additions - o.additions,
            multiplications: self.multiplications - o.multiplications,
            divisions: self.divisions - o.divisions,
            square_roots: self.square_roots - o.square_roots,
            sin_cos: self.sin_cos - o.sin_cos,
            other: self.other - o.other,
        }
    }
}

thread_local! {
    static TALLY: Cell<Operations> = const {
        Cell::new(Operations { additions: 0, multiplications: 0, divisions: 0, square_roots: 0, sin_cos: 0, other: 0 })
    };
}

fn tally(count: impl FnOnce(&mut Operations)) {
    TALLY.with(|cell| {
        let mut operations = cell.get();
        count(&mut operations);
        cell.set(operations);
    });
}

/// A double that counts what is done with it, as one counts by hand: what is known when the model
/// is built is free.
///
/// A number is *constant* or *variable*. [`Scalar::constant`] makes constants,
/// [`OpCount::variable`] makes variables. The rules, of which the first that applies holds:
///
/// * an operation on constants alone is free, and its result is constant;
/// * a product with the constant 0 is free, and is the constant 0; so is the constant 0 divided by
///   anything;
/// * a product with the constant 1 or −1, and a quotient by one of them, is free and variable;
/// * a sum or difference with the constant 0 is free and variable;
/// * negation is free; what is constant stays constant;
/// * [`Scalar::mul_add`] is a product and a sum, each by these rules;
/// * a comparison is free; a selection decided by constants is free, and its result is what was
///   chosen; any other selection counts one `other`, and its result is variable;
/// * everything else counts one operation of its kind, and its result is variable.
///
/// A variable whose value happens to be 0 or 1 is a variable. The tallies belong to the thread.
/// Values have 52 bits of mantissa, one less than a double.
///
/// ```
/// use featherline::scalar::{OpCount, Scalar};
///
/// let (value, operations) = OpCount::measure(|| {
///     let x = OpCount::variable(3.0);
///     let two = OpCount::constant(2.0);
///     // The product and the last sum count; 2 · 2 is folded and the products with 0 and 1 vanish.
///     x * (two * two) + x * OpCount::constant(0.0) + x * OpCount::constant(1.0)
/// });
/// assert_eq!(value.value(), 15.0);
/// assert_eq!((operations.multiplications, operations.additions), (1, 1));
/// assert_eq!(operations.total(), 2);
/// ```
#[derive(Clone, Copy)]
pub struct OpCount(
    /// The bits of the value, but for the last one, which is set for a variable. In one register,
    /// since a kernel that is counted is calls with such arguments alone.
    u64,
);

/// The bit that tells a variable.
const VARIABLE: u64 = 1;

/// The outcome of a comparison between counting numbers.
#[derive(Clone, Copy, Debug)]
pub struct CountedMask {
    holds: bool,
    constant: bool,
}

impl OpCount {
    /// A number known only when the algorithm runs.
    pub fn variable(value: f64) -> Self {
        Self(value.to_bits() | VARIABLE)
    }

    /// The value.
    pub fn value(self) -> f64 {
        f64::from_bits(self.0 & !VARIABLE)
    }

    /// Whether the number is known when the model is built.
    pub fn is_constant(self) -> bool {
        self.0 & VARIABLE == 0
    }

    /// Runs `work` and returns its result with the operations done meanwhile in this thread.
    /// Measurements may be nested: the outer one includes the inner one.
    pub fn measure<R>(work: impl FnOnce() -> R) -> (R, Operations) {
        let before = TALLY.get();
        let result = work();
        (result, TALLY.get() - before)
    }

    fn folded(value: f64) -> Self {
        Self(value.to_bits() & !VARIABLE)
    }

    /// This number with another value.
    fn with_value(self, value: f64) -> Self {
        Self(value.to_bits() & !VARIABLE | self.0 & VARIABLE)
    }

    fn is(self, value: f64) -> bool {
        self.is_constant() && self.value() == value
    }

    fn is_unit(self) -> bool {
        self.is(1.0) || self.is(-1.0)
    }

    /// A result that is constant if the only argument is; otherwise `count` books the operation.
    fn of_one(self, value: f64, count: impl FnOnce(&mut Operations)) -> Self {
        if !self.is_constant() {
            tally(count);
        }
        self.with_value(value)
    }
}

impl Debug for OpCount {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpCount")
            .field("value", &self.value())
            .field("constant", &self.is_constant())
            .finish()
    }
}

impl Default for OpCount {
    fn default() -> Self {
        Self::folded(0.0)
    }
}

impl PartialEq for OpCount {
    /// Compares the values alone.
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

// Operations stay calls: inlined into every kernel they would double the time to compile them.

impl Add for OpCount {
    type Output = Self;
    #[inline(never)]
    fn add(self, other: Self) -> Self {
        let value = self.value() + other.value();
        if self.is_constant() && other.is_constant() {
            return Self::folded(value);
        }
        if !self.is(0.0) && !other.is(0.0) {
            tally(|t| t.additions += 1);
        }
        Self::variable(value)
    }
}

impl Sub for OpCount {
    type Output = Self;
    #[inline(never)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for OpCount {
    type Output = Self;
    #[inline(never)]
    fn mul(self, other: Self) -> Self {
        let value = self.value() * other.value();
        if self.is_constant() && other.is_constant() {
            return Self::folded(value);
        }
        if self.is(0.0) || other.is(0.0) {
            return Self::folded(0.0);
        }
        if !self.is_unit() && !other.is_unit() {
            tally(|t| t.multiplications += 1);
        }
        Self::variable(value)
    }
}

impl Div for OpCount {
    type Output = Self;
    #[inline(never)]
    fn div(self, other: Self) -> Self {
        let value = self.value() / other.value();
        if self.is_constant() && other.is_constant() {
            return Self::folded(value);
        }
        if self.is(0.0) {
            return Self::folded(0.0);
        }
        if !other.is_unit() {
            tally(|t| t.divisions += 1);
        }
        Self::variable(value)
    }
}

impl Neg for OpCount {
    type Output = Self;
    fn neg(self) -> Self {
        self.with_value(-self.value())
    }
}

impl AddAssign for OpCount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for OpCount {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Scalar for OpCount {
    type Mask = CountedMask;
    type Triple = TripleComponents<Self>;
    type Symmetric = Triangle<Self>;
    type Wide<P: super::WideProof> = Self;
    type Unfused = Self;

    const EPSILON: f64 = f64::EPSILON;
    const IS_COMPACT: bool = true;
    // Counts are the same on all of them.
    const INSTRUCTION_SET: Option<InstructionSet> = Some(InstructionSet::Baseline);

    fn constant(value: f64) -> Self {
        Self::folded(value)
    }

    #[inline(never)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        // The value is that of the fused operation, as of plain doubles.
        let value = self.value().mul_add(factor.value(), addend.value());
        (self * factor + addend).with_value(value)
    }

    #[inline(never)]
    fn sqrt(self) -> Self {
        self.of_one(self.value().sqrt(), |t| t.square_roots += 1)
    }

    #[inline(never)]
    fn sin_cos(self) -> (Self, Self) {
        let (sin, cos) = Scalar::sin_cos(self.value());
        let sin = self.of_one(sin, |t| t.sin_cos += 1);
        (sin, sin.with_value(cos))
    }

    #[inline(never)]
    fn atan2(self, x: Self) -> Self {
        let value = self.value().atan2(x.value());
        if self.is_constant() && x.is_constant() {
            return Self::folded(value);
        }
        tally(|t| t.other += 1);
        Self::variable(value)
    }

    #[inline(never)]
    fn abs(self) -> Self {
        self.of_one(self.value().abs(), |t| t.other += 1)
    }

    #[inline(never)]
    fn less(self, other: Self) -> CountedMask {
        CountedMask {
            holds: self.value() < other.value(),
            constant: self.is_constant() && other.is_constant(),
        }
    }

    #[inline(never)]
    fn select(mask: CountedMask, yes: Self, no: Self) -> Self {
        let chosen = if mask.holds { yes } else { no };
        if mask.constant {
            return chosen;
        }
        tally(|t| t.other += 1);
        Self::variable(chosen.value())
    }

    fn all(mask: CountedMask) -> bool {
        mask.holds
    }

    fn is_finite(self) -> bool {
        self.value().is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(work: impl FnOnce() -> OpCount) -> (bool, Operations) {
        let (result, operations) = OpCount::measure(work);
        (result.is_constant(), operations)
    }

    const FREE: Operations = Operations {
        additions: 0,
        multiplications: 0,
        divisions: 0,
        square_roots: 0,
        sin_cos: 0,
        other: 0,
    };

    #[test]
    fn model_constants_are_folded() {
        let c = OpCount::constant;
        let x = OpCount::variable(2.0);
        for work in [
            |a: OpCount, b: OpCount| a + b,
            |a, b| a * b,
            |a, b| a / b,
            |a, b| a - b,
            |a, b| Scalar::atan2(a, b),
        ] {
            assert_eq!(count(|| work(c(3.0), c(2.0))), (true, FREE));
        }
        assert_eq!(
            count(|| c(2.0).sqrt() + c(1.0).sin_cos().0 + -c(3.0).abs()),
            (true, FREE)
        );
        assert_eq!(count(|| x * c(0.0)), (true, FREE));
        assert_eq!(count(|| c(-0.0) / x), (true, FREE));
        assert_eq!(count(|| c(-1.0) * x), (false, FREE));
        assert_eq!(count(|| x / c(1.0)), (false, FREE));
        assert_eq!(count(|| x + c(0.0)), (false, FREE));
        assert_eq!(count(|| c(0.0) - x), (false, FREE));
        assert_eq!(count(|| x.mul_add(c(1.0), c(0.0))), (false, FREE));
        assert_eq!(count(|| x.mul_add(c(0.0), c(3.0))), (true, FREE));
        assert_eq!(
            count(|| OpCount::select(c(1.0).less(c(2.0)), c(5.0), x)),
            (true, FREE)
        );
    }

    #[test]
    fn variables_are_counted() {
        // Not constants, though their values are 0 and 1.
        let (x, y) = (OpCount::variable(0.0), OpCount::variable(1.0));
        let (_, done) = count(|| {
            let sum = x * y + y / (y + y).sqrt() - x.mul_add(y, y);
            let (sin, cos) = sum.sin_cos();
            OpCount::select(sin.less(cos), sin, cos).atan2(x.abs())
        });
        let expected = Operations {
            additions: 4,
            multiplications: 2,
            divisions: 1,
            square_roots: 1,
            sin_cos: 1,
            other: 3,
        };
        assert_eq!(done, expected);
        assert_eq!(done.total(), 12);
    }

    #[test]
    fn measurements_nest() {
        let x = OpCount::variable(1.5);
        let ((_, inner), outer) = OpCount::measure(|| {
            let y = x * x;
            OpCount::measure(|| y + x)
        });
        assert_eq!((inner.additions, inner.multiplications), (1, 0));
        assert_eq!((outer.additions, outer.multiplications), (1, 1));
    }
}
