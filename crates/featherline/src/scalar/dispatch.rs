//! Choice of instruction set at run time.
//!
//! Without a fused multiply-add in the instruction set, [`f64::mul_add`] is a call into the mathematics library. A
//! binary built for the baseline of its architecture therefore has to enter each kernel through a function compiled
//! with the wider set. Everything a kernel calls must be `#[inline(always)]`: a call that stays a call falls out of the
//! feature context.

/// A computation whose body is compiled once for each instruction set.
///
/// Closures do not inherit the instruction set of the function that they are inlined into; a type with a method that is
/// always inlined does.
pub trait Kernel {
    /// What the computation returns.
    type Output;

    /// Runs the computation. Implementations must be `#[inline(always)]`, and so must all that they call.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the best instruction set that this processor has.
///
/// Fused multiply-add is exact in the same way in hardware and in the library, so the result does not depend on the
/// processor. Cost: one load and one well-predicted branch.
///
/// ```
/// use featherline::scalar::{dispatch, Kernel, Scalar};
///
/// struct Dot<'a>(&'a [f64], &'a [f64]);
///
/// impl Kernel for Dot<'_> {
///     type Output = f64;
///     #[inline(always)]
///     fn run(self) -> f64 {
///         let mut sum = 0.0;
///         for (&a, &b) in self.0.iter().zip(self.1) {
///             sum = Scalar::mul_add(a, b, sum);
///         }
///         sum
///     }
/// }
///
/// assert_eq!(dispatch(Dot(&[1.0, 2.0], &[3.0, 4.0])), 11.0);
/// ```
#[inline(always)]
#[allow(unsafe_code)] // entering a function compiled for instructions that were just detected
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has both features, as the condition above has just established.
            return unsafe { run_with_fma(kernel) };
        }
    }
    run_portably(kernel)
}

// Neither is inlined: a kernel that is called from another one stays a function of its own, so that the caller's code
// remains small enough for registers and caches.

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn run_with_fma<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[inline(never)]
fn run_portably<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
