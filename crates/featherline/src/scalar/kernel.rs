//! Functions that are compiled once for each instruction set.

/// Makes a function a kernel: its body is compiled once for each
/// [instruction set](crate::scalar::InstructionSet), and a call runs what suits the processor.
///
/// For AVX-512 only with `avx512:` before the function, as kernels have that gain 3 % by it.
/// Kernels of lanes are compiled for the one set of their lanes.
///
/// The function has one type of numbers, and perhaps constants, for parameters. In the body the
/// numbers have the [form](super::Form) that suits the instruction set, and so do all arguments,
/// but those marked `#[plain]`, which stay as they are. All that the body calls must be
/// `#[inline(always)]`, or another kernel: see [`dispatch`](crate::kernel::dispatch). A function
/// without parameters, or with one of another trait of scalars, has plain arguments alone.
///
/// ```
/// use featherline::kernel;
/// use featherline::scalar::Scalar;
///
/// kernel!(
///     /// The scalar product.
///     fn dot<S: Scalar>(a: &[S], b: &[S]) -> S {
///         let mut sum = S::zero();
///         for (&a, &b) in a.iter().zip(b) {
///             sum = a.mul_add(b, sum);
///         }
///         sum
///     }
/// );
///
/// assert_eq!(dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
#[macro_export]
macro_rules! kernel {
    (avx512: $($function:tt)*) => {
        $crate::kernel!(@up to Avx512: $($function)*);
    };

    (
        @up to $widest:ident:
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident<$S:ident: Scalar $(, const $N:ident: $K:ty)*>(
            $($(#[$plain:ident])? $argument:ident: $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments)] // what is read and what is written
        $visibility fn $name<$S: $crate::scalar::Scalar $(, const $N: $K)*>(
            $($argument: $type),*
        ) $(-> $output)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn run<$S: $crate::scalar::Scalar $(, const $N: $K)*>(
                $($argument: $type),*
            ) $(-> $output)? $body

            struct Call<Arguments $(, const $N: $K)*>(Arguments);

            impl<$S: $crate::scalar::Scalar $(, const $N: $K)*> $crate::kernel::Kernel
                for Call<($($type,)*) $(, $N)*>
            {
                type Output = $crate::kernel!(@output $($output)?);
                const INSTRUCTION_SET: Option<$crate::scalar::InstructionSet> =
                    <$S as $crate::scalar::Scalar>::INSTRUCTION_SET;
                const WIDEST: $crate::scalar::InstructionSet =
                    $crate::scalar::InstructionSet::$widest;

                #[inline(always)]
                fn run(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    run::<$S $(, $N)*>($($argument),*)
                }

                #[inline(always)]
                fn run_as<F: $crate::kernel::Form>(self, form: F) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    let output = run::<F::Of<$S> $(, $N)*>(
                        $($crate::kernel!(@in_form $($plain)? $argument, form)),*
                    );
                    $crate::kernel::seen_back(output, form)
                }
            }

            $crate::kernel::dispatch(Call::<_ $(, $N)*>(($($argument,)*)))
        }
    };

    (
        @up to $widest:ident:
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident$(<$S:ident: $bound:ident>)?(
            $($argument:ident: $type:ty),* $(,)?
        ) $(-> $output:ty)? $body:block
    ) => {
        $(#[$attribute])*
        #[inline(always)]
        #[allow(clippy::too_many_arguments)]
        $visibility fn $name$(<$S: $bound>)?($($argument: $type),*) $(-> $output)? {
            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn run$(<$S: $bound>)?($($argument: $type),*) $(-> $output)? $body

            struct Call<Arguments>(Arguments);

            impl$(<$S: $bound>)? $crate::kernel::Kernel for Call<($($type,)*)> {
                type Output = $crate::kernel!(@output $($output)?);
                $(
                    const INSTRUCTION_SET: Option<$crate::scalar::InstructionSet> =
                        <$S as $crate::scalar::Scalar>::INSTRUCTION_SET;
                )?
                const WIDEST: $crate::scalar::InstructionSet =
                    $crate::scalar::InstructionSet::$widest;

                #[inline(always)]
                fn run(self) -> Self::Output {
                    let ($($argument,)*) = self.0;
                    run($($argument),*)
                }
            }

            $crate::kernel::dispatch(Call(($($argument,)*)))
        }
    };

    (@output) => { () };
    (@output $output:ty) => { $output };
    (@in_form plain $argument:ident, $form:ident) => { $argument };
    (@in_form $argument:ident, $form:ident) => {
        $crate::kernel::InForm::in_form($argument, $form)
    };

    ($($function:tt)*) => {
        $crate::kernel!(@up to Avx2: $($function)*);
    };
}

pub(crate) use kernel;
