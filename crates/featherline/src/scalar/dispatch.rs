//! Choice of instruction set at run time.
//!
//! Without a fused multiply-add in the instruction set, [`f64::mul_add`] is a call into the
//! mathematics library. A binary built for the baseline of its architecture therefore has to enter
//! each kernel through a function compiled with the wider set, and where the processor lacks that,
//! with another scalar. Everything a kernel calls must be `#[inline(always)]`: a call that stays a
//! call falls out of the feature context.

#[cfg(target_arch = "x86_64")]
use super::WideInstructions;
use super::{Form, Plain, Scalar, WithoutFusion};
use crate::words::Words;
use std::sync::atomic::{AtomicU8, Ordering};

/// A computation whose body is compiled once for each instruction set that it gains by.
///
/// Closures do not inherit the instruction set of the function that they are inlined into; a type
/// with a method that is always inlined does.
pub trait Kernel {
    /// The result of the computation.
    type Output;

    /// The only instruction set that the computation is compiled for; none for all of them up to
    /// the [widest](Self::WIDEST). A
    /// kernel that is generic over the scalar has that of its [`Scalar`](super::Scalar).
    const INSTRUCTION_SET: Option<InstructionSet> = None;

    /// The widest instruction set that the computation is compiled for, unless it is for one alone.
    /// Most kernels of single states gain nothing by AVX-512: those that gain 3 % say so.
    const WIDEST: InstructionSet = InstructionSet::Avx2;

    /// Runs the computation. Implementations must be `#[inline(always)]`, and so must all that they
    /// call.
    fn run(self) -> Self::Output;

    /// Runs the computation in the form that suits the instruction set: as above, unless an
    /// implementation views its data as the form's scalars.
    #[inline(always)]
    fn run_as<F: Form>(self, _: F) -> Self::Output
    where
        Self: Sized,
    {
        self.run()
    }
}

/// The instruction sets that kernels are compiled for, each including the ones before it.
///
/// | processor | chosen |
/// |---|---|
/// | x86-64 with AVX-512 F, DQ, VL and BW, AVX2 and FMA (Intel since 2017, AMD since Zen 4) | `Avx512` |
/// | x86-64 with AVX2 and FMA (Intel since 2013, AMD since 2015) | `Avx2` |
/// | any other: vectors of 128 bits, on AArch64 with fused operations, on x86-64 without | `Baseline` |
/// | WebAssembly: numbers one by one, without fused operations | `Baseline` |
///
/// ```
/// use featherline::scalar::InstructionSet;
///
/// assert!(InstructionSet::in_use() <= InstructionSet::available());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionSet {
    /// The instructions that every processor of the architecture has. On x86-64 that is vectors of
    /// 128 bits without fused multiply-add: products and sums are rounded one by one.
    Baseline,
    /// Vectors of 256 bits, sixteen registers, fused multiply-add.
    Avx2,
    /// Vectors of 512 bits, thirty-two registers, fused multiply-add.
    Avx512,
}

impl Words for InstructionSet {
    const WHAT: &'static str = "instruction set";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("baseline", Self::Baseline),
        ("sse2", Self::Baseline),
        ("avx2", Self::Avx2),
        ("avx512", Self::Avx512),
    ];
}

/// The one set that kernels of plain numbers are compiled for; none for all of them.
///
/// One in debug builds with this variable, as those of featherline's own repository are
/// (`.cargo/config.toml`): with all sets its tests take nearly twice as long to compile. The step
/// `instruction-sets` of its checks compiles all.
#[cfg(any(feature = "batch", target_arch = "x86_64"))]
pub(crate) const ONLY: Option<InstructionSet> = match option_env!("FEATHERLINE_DEBUG_SET") {
    Some(set) if cfg!(all(debug_assertions, target_arch = "x86_64")) => match set.as_bytes() {
        b"avx2" => Some(InstructionSet::Avx2),
        b"all" => None,
        _ => panic!("FEATHERLINE_DEBUG_SET is `avx2` or `all`"),
    },
    _ => None,
};

/// The instruction set in use plus one; zero before it was looked up.
static IN_USE: AtomicU8 = AtomicU8::new(0);

/// The best instruction set of this processor plus one; zero before it was looked up.
static AVAILABLE: AtomicU8 = AtomicU8::new(0);

impl InstructionSet {
    /// The best instruction set that this processor has.
    #[inline(always)]
    pub fn available() -> Self {
        match AVAILABLE.load(Ordering::Relaxed) {
            3 => Self::Avx512,
            2 => Self::Avx2,
            1 => Self::Baseline,
            _ => {
                let found = Self::detected();
                AVAILABLE.store(found as u8 + 1, Ordering::Relaxed);
                found
            }
        }
    }

    #[cold]
    fn detected() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                let has_avx512 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw");
                return if has_avx512 { Self::Avx512 } else { Self::Avx2 };
            }
        }
        Self::Baseline
    }

    /// The instruction set that [`dispatch`] enters kernels with: the best available, unless
    /// [`limit`](Self::limit) lowered it.
    #[inline(always)]
    pub fn in_use() -> Self {
        match IN_USE.load(Ordering::Relaxed) {
            3 => Self::Avx512,
            2 => Self::Avx2,
            1 => Self::Baseline,
            _ => Self::first_use(),
        }
    }

    // Not inlined into the many places where kernels are entered.
    #[cold]
    #[inline(never)]
    fn first_use() -> Self {
        Self::Avx512.limit()
    }

    /// Makes the whole process use this instruction set, or the best available if that is less, and
    /// returns which.
    ///
    /// For tests and measurements of narrower processors on a wider one. Results of single states
    /// stay the same to the last bit among sets with fused operations, and differ by roundings on
    /// the baseline of x86-64, also those of kernels in other threads; a batch keeps the set that
    /// it was made with. Kernels of a debug build that was compiled with
    /// `FEATHERLINE_DEBUG_SET=avx2` run with AVX2 whatever is chosen here.
    ///
    /// ```
    /// use featherline::scalar::InstructionSet;
    ///
    /// assert_eq!(InstructionSet::Baseline.limit(), InstructionSet::Baseline);
    /// assert_eq!(InstructionSet::Avx512.limit(), InstructionSet::available());
    /// ```
    #[cold]
    pub fn limit(self) -> Self {
        let chosen = self.min(Self::available());
        IN_USE.store(chosen as u8 + 1, Ordering::Relaxed);
        chosen
    }
}

/// Whether the instruction set that everything is compiled for has a fused multiply-add.
const FUSED: bool = cfg!(any(
    target_feature = "fma",
    not(any(
        target_arch = "x86",
        target_arch = "x86_64",
        target_family = "wasm"
    ))
));

/// Runs a kernel of few operations: for lanes as [`dispatch`] does, since each operation is a call
/// outside of it; for other numbers where it stands.
#[inline(always)]
pub fn dispatch_lanes<S: Scalar, K: Kernel>(kernel: K) -> K::Output {
    if S::IS_LANES {
        return dispatch(kernel);
    }
    kernel.run()
}

/// Runs a kernel with the best instruction set that this processor has (see [`InstructionSet`]), up
/// to the kernel's [widest](Kernel::WIDEST).
///
/// Fused multiply-add is the same on all processors that have it, and so are results, to the last
/// bit. On x86-64 without AVX2 and FMA, and in WebAssembly, where it is a call into the mathematics
/// library, the library's kernels round products and sums one by one instead
/// ([`Scalar::Unfused`](super::Scalar::Unfused)); one of your own does so if it [says
/// how](Kernel::run_as), and calls [`f64::mul_add`] otherwise. Cost: one load and one
/// well-predicted branch.
///
/// # Panics
/// If the kernel is for [one instruction set](Kernel::INSTRUCTION_SET) alone, which the processor
/// lacks.
///
/// ```
/// use featherline::kernel::{Kernel, dispatch};
/// use featherline::scalar::Scalar;
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
#[allow(unsafe_code)] // entering functions compiled for instructions that were detected
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let own = const { own_set(K::INSTRUCTION_SET) };
        let set = match own {
            None => InstructionSet::in_use().min(K::WIDEST),
            Some(only) if only <= InstructionSet::available() => only,
            Some(_) => unavailable(),
        };
        // The constant conditions keep a kernel from being compiled for other sets than its own.
        if const { may_be::<K>(InstructionSet::Avx512) } && set == InstructionSet::Avx512 {
            // SAFETY: the processor has what is available, and `limit` never raises what is in use
            // above that.
            return unsafe { run_with_avx512(kernel) };
        }
        if const { may_be::<K>(InstructionSet::Avx2) } && set == InstructionSet::Avx2 {
            // SAFETY: the processor has what is available, and `limit` never raises what is in use
            // above that.
            return unsafe { run_with_avx2(kernel) };
        }
        if const { !may_be::<K>(InstructionSet::Baseline) } {
            unavailable();
        }
    }
    run_portably(kernel)
}

#[cfg(target_arch = "x86_64")]
#[cold]
fn unavailable() -> ! {
    panic!(
        "a number type, or a debug build for AVX2 alone, needs an instruction set which this \
         processor lacks; FEATHERLINE_DEBUG_SET=all builds for all sets"
    )
}

/// The only set that a kernel of this one is compiled for; none for all.
#[cfg(target_arch = "x86_64")]
const fn own_set(kernel: Option<InstructionSet>) -> Option<InstructionSet> {
    match kernel {
        Some(_) => kernel,
        None => ONLY,
    }
}

/// Whether a kernel may run with a set.
#[cfg(target_arch = "x86_64")]
const fn may_be<K: Kernel>(set: InstructionSet) -> bool {
    match own_set(K::INSTRUCTION_SET) {
        Some(only) => only as u8 == set as u8,
        None => set as u8 <= K::WIDEST as u8,
    }
}

// None is inlined: a kernel that is called from another one stays a function of its own, so that
// the caller's code remains small enough for registers and caches.

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
#[allow(unsafe_code)] // the proof of what the attribute above demands
fn run_with_avx512<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function runs on processors with AVX2 and FMA only.
    kernel.run_as(unsafe { WideInstructions::detected() })
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
#[allow(unsafe_code)] // the proof of what the attribute above demands
fn run_with_avx2<K: Kernel>(kernel: K) -> K::Output {
    // SAFETY: this function runs on processors with AVX2 and FMA only.
    kernel.run_as(unsafe { WideInstructions::detected() })
}

#[inline(never)]
fn run_portably<K: Kernel>(kernel: K) -> K::Output {
    if const { FUSED } {
        kernel.run_as(Plain)
    } else {
        kernel.run_as(WithoutFusion)
    }
}
