//! The instructions that lanes are made of: one register, one instruction for each operation.

use super::super::InstructionSet;
use super::super::sincos::Table;
use std::fmt::Debug;

/// Declares functions that need the processor's instructions.
macro_rules! need_instructions {
    ($($(#[doc = $doc:literal])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        $(
            $(#[doc = $doc])*
            ///
            /// # Safety
            /// The processor has the instructions of the [set](Self::SET).
            unsafe fn $name($($argument: $type),*) -> $result;
        )*
    };
}

/// An array of numbers that fills a vector register.
///
/// # Safety
/// All functions need a processor that has [`SET`](Self::SET). They are inlined, and become single
/// instructions where the function that they end in was compiled for that set.
pub trait Register: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// One number.
    type Float: Copy;
    /// The register.
    type Vector: Copy + Send + Sync + 'static;
    /// As many registers as there are lanes.
    type Square;
    /// One truth value a lane.
    type Mask: Copy;

    /// The instruction set that the register belongs to.
    const SET: InstructionSet;
    const EPSILON: f64;
    const TABLE: Table;

    fn load(values: Self) -> Self::Vector;
    fn store(vector: Self::Vector) -> Self;
    need_instructions! {
        fn splat(value: f64) -> Self::Vector;
        fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
        fn sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
        fn mul(a: Self::Vector, b: Self::Vector) -> Self::Vector;
        fn div(a: Self::Vector, b: Self::Vector) -> Self::Vector;
        fn mul_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
        fn sqrt(a: Self::Vector) -> Self::Vector;
        fn neg(a: Self::Vector) -> Self::Vector;
        fn abs(a: Self::Vector) -> Self::Vector;
        fn less(a: Self::Vector, b: Self::Vector) -> Self::Mask;
        fn at_most(a: Self::Vector, b: Self::Vector) -> Self::Mask;
        fn select(mask: Self::Mask, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
        fn all(mask: Self::Mask) -> bool;
        /// Sine and cosine of angles that are larger by as many quarter turns as the low bits of
        /// `count` say.
        fn turn(count: Self::Vector, sin: Self::Vector, cos: Self::Vector) -> (Self::Vector, Self::Vector);
        /// Makes rows of columns.
        fn transpose(square: Self::Square) -> Self::Square;
    }
    /// Sine and cosine, by the operations of lanes.
    fn sin_cos(angle: Self::Vector) -> (Self::Vector, Self::Vector);
    /// Whether no lane is infinite or NaN. Checks are done outside of kernels, where instructions
    /// of the set are calls, so that this and the next function do without them.
    fn is_finite(self) -> bool;
    /// Whether all lanes lie strictly between two numbers.
    fn all_between(self, low: f64, high: f64) -> bool;
    /// Sine and cosine, lane by lane.
    fn sin_cos_by_lane(self) -> (Self, Self);
    /// The angles of the vectors (`x`, `self`), lane by lane.
    fn atan2_by_lane(self, x: Self) -> Self;
}

/// Functions that need the processor's instructions; so does the trait of them.
macro_rules! instructions {
    ($(fn $name:ident $(<const $parameter:ident: $kind:ty>)? ($($argument:ident: $type:ty),*) -> $result:ty { $($body:tt)* })*) => {
        $(
            #[inline(always)]
            // SAFETY: asked for where it is declared, or of those below.
            unsafe fn $name $(<const $parameter: $kind>)? ($($argument: $type),*) -> $result {
                // SAFETY: the caller has seen to it that the processor has the instructions.
                unsafe { $($body)* }
            }
        )*
    };
}

macro_rules! impl_register {
    (
        $float:ident, $bits:ident, $n:literal, $set:ident, $vector:ty, $mask:ty,
        reduced as $table:ty, alone($x:ident) $alone:expr, sin_cos($angle:ident) $sin_cos:expr,
        add $add:ident, sub $sub:ident, mul $mul:ident, div $div:ident, mul_add $mul_add:ident, sqrt $sqrt:ident,
        transpose $transpose:ident, splat $splat:ident, xor $xor:ident, and_not $and_not:ident,
        compare($a:ident, $b:ident) less $less:expr, at_most $at_most:expr,
        masked($m:ident, $yes:ident, $no:ident) select $select:expr, all($o:ident) $all:expr,
        integers $integers:ident, floats $floats:ident, and $and:ident, sum $sum:ident, ones $ones:ident,
        shift $shift:ident, odd($count:ident) $odd:expr,
    ) => {
        impl Register for [$float; $n] {
            type Float = $float;
            type Vector = $vector;
            type Square = [$vector; $n];
            type Mask = $mask;

            const SET: InstructionSet = InstructionSet::$set;
            const EPSILON: f64 = $float::EPSILON as f64;
            const TABLE: Table = <$table as QuarterTurns>::TABLE;

            #[inline(always)]
            fn load(values: Self) -> $vector {
                // SAFETY: a register has the size of its lanes, and every bit pattern is valid in
                // both.
                unsafe { std::mem::transmute::<Self, $vector>(values) }
            }
            #[inline(always)]
            fn store(vector: $vector) -> Self {
                // SAFETY: as in `load`.
                unsafe { std::mem::transmute::<$vector, Self>(vector) }
            }
            instructions! {
                fn splat(value: f64) -> $vector { $splat(value as $float) }
                fn add(a: $vector, b: $vector) -> $vector { $add(a, b) }
                fn sub(a: $vector, b: $vector) -> $vector { $sub(a, b) }
                fn mul(a: $vector, b: $vector) -> $vector { $mul(a, b) }
                fn div(a: $vector, b: $vector) -> $vector { $div(a, b) }
                fn mul_add(a: $vector, b: $vector, c: $vector) -> $vector { $mul_add(a, b, c) }
                fn sqrt(a: $vector) -> $vector { $sqrt(a) }
                fn neg(a: $vector) -> $vector { $xor(a, $splat(-0.0)) }
                fn abs(a: $vector) -> $vector { $and_not($splat(-0.0), a) }
                fn less($a: $vector, $b: $vector) -> $mask { $less }
                fn at_most($a: $vector, $b: $vector) -> $mask { $at_most }
                fn select($m: $mask, $yes: $vector, $no: $vector) -> $vector { $select }
                fn all($o: $mask) -> bool { $all }
                fn turn(count: $vector, sin: $vector, cos: $vector) -> ($vector, $vector) {
                    const TO_SIGN: u32 = $bits::BITS - 2;
                    let $count = $integers(count);
                    let $m = $odd;
                    let two = $ones(2);
                    let sin_sign = $shift::<TO_SIGN>($and($count, two));
                    let cos_sign = $shift::<TO_SIGN>($and($sum($count, $ones(1)), two));
                    let ($yes, $no) = (cos, sin);
                    let turned_sin = $select;
                    let ($yes, $no) = (sin, cos);
                    let turned_cos = $select;
                    ($xor(turned_sin, $floats(sin_sign)), $xor(turned_cos, $floats(cos_sign)))
                }
                fn transpose(square: Self::Square) -> Self::Square { $transpose(square) }
            }

            #[inline(always)]
            fn sin_cos($angle: $vector) -> ($vector, $vector) {
                $sin_cos
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                let mut finite = true;
                for k in 0..$n {
                    finite &= self[k].is_finite();
                }
                finite
            }
            #[inline(always)]
            fn all_between(self, low: f64, high: f64) -> bool {
                let (low, high) = (low as $float, high as $float);
                let mut between = true;
                for k in 0..$n {
                    between &= low < self[k] && self[k] < high;
                }
                between
            }
            #[cold]
            #[inline(never)]
            fn sin_cos_by_lane(self) -> (Self, Self) {
                let (mut sin, mut cos) = (self, self);
                for k in 0..$n {
                    let $x = self[k];
                    (sin[k], cos[k]) = $alone;
                }
                (sin, cos)
            }
            #[inline(never)]
            fn atan2_by_lane(mut self, x: Self) -> Self {
                for k in 0..$n {
                    self[k] = self[k].atan2(x[k]);
                }
                self
            }
        }
    };
}

pub(super) use {impl_register, instructions};
