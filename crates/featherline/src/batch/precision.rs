//! The number types that batches are computed in.

use super::pack::Pack;
use super::worker::Worker;
use crate::model::Model;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::scalar::Lanes;
#[cfg(target_arch = "x86_64")]
use crate::scalar::Unfused;
use crate::scalar::form::WideInstructions;
use crate::scalar::{InstructionSet, ONLY, Scalar, WideProof};

/// The number type of a batch: `f64` or `f32`.
///
/// Its vector registers exist only where their instructions are proved
/// ([`WideProof`](crate::scalar::WideProof)).
pub trait Precision: Scalar + sealed::Registers {}

impl Precision for f64 {}
impl Precision for f32 {}

pub(super) mod sealed {
    use super::*;

    /// The registers that hold numbers of this type. Bounds name them too, also outside of this
    /// crate: only a type that proves their instructions makes them types.
    pub trait Registers: Scalar + Pack<Element = Self> {
        /// A register of the baseline.
        type Least: Pack<Element = Self>;
        /// A register of AVX2.
        type Narrow<P: WideProof>: Pack<Element = Self>;
        /// A register of AVX-512.
        type Wide<P: WideProof>: Pack<Element = Self>;
        /// The widest that kernels are compiled for.
        type Widest<P: WideProof>: Pack<Element = Self>;
    }

    macro_rules! impl_registers {
        ($float:ty, $one:ty, $least:literal, $narrow:literal, $wide:literal) => {
            // Processors without AVX2 have no fused multiplication and addition, and are rare.
            // Lanes for them would be a third of what a program with batches compiles.
            #[cfg(target_arch = "x86_64")]
            impl Registers for $float {
                type Least = $one;
                type Narrow<P: WideProof> = Lanes<$float, $narrow>;
                type Wide<P: WideProof> = Lanes<$float, $wide>;
                type Widest<P: WideProof> =
                    Lanes<$float, { if ONLY.is_none() { $wide } else { $narrow } }>;
            }
            #[cfg(target_arch = "aarch64")]
            impl Registers for $float {
                type Least = Lanes<$float, $least>;
                type Narrow<P: WideProof> = Self::Least;
                type Wide<P: WideProof> = Self::Least;
                type Widest<P: WideProof> = Self::Least;
            }
            #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
            impl Registers for $float {
                type Least = $float;
                type Narrow<P: WideProof> = $float;
                type Wide<P: WideProof> = $float;
                type Widest<P: WideProof> = $float;
            }
        };
    }

    impl_registers!(f64, f64, 2, 4, 8);
    impl_registers!(f32, Unfused<f32>, 4, 8, 16);
}

/// All threads' memory, in the registers that the processor has.
pub(super) enum Workers<T: Precision> {
    Least(Vec<Worker<T::Least>>),
    Narrow(Vec<Worker<T::Narrow<WideInstructions>>>),
    Wide(Vec<Worker<T::Widest<WideInstructions>>>),
}

impl<T: Precision> Workers<T> {
    pub fn new(model: &Model, threads: usize) -> Self {
        match InstructionSet::in_use() {
            InstructionSet::Baseline => Self::Least(workers(model, threads)),
            InstructionSet::Avx2 => Self::Narrow(workers(model, threads)),
            InstructionSet::Avx512 => Self::Wide(workers(model, threads)),
        }
    }
}

fn workers<S: Pack>(model: &Model, threads: usize) -> Vec<Worker<S>>
where
    S::Element: Precision,
{
    (0..threads).map(|_| Worker::new(model)).collect()
}

/// Does the same with the workers whatever their registers.
macro_rules! with_workers {
    ($workers:expr, $list:ident => $result:expr) => {
        match $workers {
            Workers::Least($list) => $result,
            Workers::Narrow($list) => $result,
            Workers::Wide($list) => $result,
        }
    };
}

pub(super) use with_workers;
