//! Large operations: inlined into kernels, but calls where code is to be small.

/// An expression of many operations in the scalar `S`: inlined, as kernels need it that are
/// compiled for an instruction set, but a call for
/// [compact](crate::scalar::Scalar::IS_COMPACT) scalars.
///
/// Their kernels have no instruction set of their own, which a closure would not inherit.
macro_rules! large {
    ($S:ident, $operation:expr) => {
        if const { $S::IS_COMPACT } {
            $crate::scalar::large::call(|| $operation)
        } else {
            $operation
        }
    };
}

pub(crate) use large;

/// Does something out of line.
#[inline(never)]
pub(crate) fn call<R>(operation: impl FnOnce() -> R) -> R {
    operation()
}
