use super::*;
#[cfg(target_arch = "x86_64")]
use crate::scalar::Unfused;
use crate::scalar::{Dual, Kernel, dispatch};
use crate::spatial::{Quaternion, Vec3, exp3, log3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Runs a test for each kind of lanes that the processor has: the numbers, how a number is computed
/// with alone, how many.
macro_rules! for_all_lanes {
    ($test:ident) => {
        #[cfg(not(target_arch = "x86_64"))]
        {
            $test::<f64, f64, 2>();
            $test::<f32, f32, 4>();
        }
        #[cfg(target_arch = "x86_64")]
        {
            $test::<f64, Unfused<f64>, 2>();
            $test::<f32, Unfused<f32>, 4>();
            if InstructionSet::available() >= InstructionSet::Avx2 {
                $test::<f64, f64, 4>();
                $test::<f32, f32, 8>();
            }
            if InstructionSet::available() >= InstructionSet::Avx512 {
                $test::<f64, f64, 8>();
                $test::<f32, f32, 16>();
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
impl From<Unfused<f64>> for f64 {
    fn from(number: Unfused<f64>) -> Self {
        number.0
    }
}

#[cfg(target_arch = "x86_64")]
impl From<Unfused<f32>> for f64 {
    fn from(number: Unfused<f32>) -> Self {
        number.0.into()
    }
}

/// A function of two numbers, run as kernels are.
struct Apply<S, F>(F, S, S);

impl<S: Scalar, F: Fn(S, S) -> S> Kernel for Apply<S, F> {
    type Output = S;
    const INSTRUCTION_SET: Option<InstructionSet> = S::INSTRUCTION_SET;

    #[inline(always)]
    fn run(self) -> S {
        self.0(self.1, self.2)
    }
}

fn random<T: From<f32> + Copy, const N: usize>(rng: &mut ChaCha8Rng, limit: f32) -> [T; N] {
    std::array::from_fn(|_| T::from(rng.random_range(-limit..limit)))
}

/// Fails unless a function gives each lane, to the bit, what it gives the lane's number alone.
fn same_in_each_lane<T, A, const N: usize>(
    name: &str,
    limit: f32,
    alone: impl Fn(A, A) -> A,
    together: impl Fn(Lanes<T, N>, Lanes<T, N>) -> Lanes<T, N> + Copy,
) where
    [T; N]: Register,
    T: Scalar + From<f32> + Into<f64>,
    A: Scalar + Into<f64>,
{
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..500 {
        let (a, b) = (
            random::<T, N>(&mut rng, limit),
            random::<T, N>(&mut rng, limit),
        );
        let found = dispatch(Apply(together, Lanes::new(a), Lanes::new(b))).to_array();
        for k in 0..N {
            let (a, b) = (A::constant(a[k].into()), A::constant(b[k].into()));
            let (found, expected): (f64, f64) = (found[k].into(), alone(a, b).into());
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{name} of {a:?} and {b:?}: {found} instead of {expected}"
            );
        }
    }
}

macro_rules! same {
    ($t:ident, $alone:ident, $n:ident, $limit:expr, |$a:ident, $b:ident| $result:expr) => {
        same_in_each_lane::<$t, $alone, $n>(
            stringify!($result),
            $limit,
            |$a: $alone, $b: $alone| $result,
            |$a: Lanes<$t, $n>, $b: Lanes<$t, $n>| $result,
        )
    };
}

#[test]
fn every_operation_gives_each_lane_what_it_gives_alone() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        same!(T, A, N, 10.0, |a, b| a + b);
        same!(T, A, N, 10.0, |a, b| a - b);
        same!(T, A, N, 10.0, |a, b| a * b);
        same!(T, A, N, 10.0, |a, b| a / b);
        same!(T, A, N, 10.0, |a, b| -a.mul_add(b, a));
        same!(T, A, N, 10.0, |a, b| (a * b).sqrt());
        same!(T, A, N, 10.0, |a, b| a.abs() - b);
        same!(T, A, N, 10.0, |a, b| a.atan2(b));
        same!(T, A, N, 1.0, |a, b| Scalar::select(a.less(b), a, b * b));
    }
    for_all_lanes!(check);
}

#[test]
fn sine_and_cosine_are_those_of_each_lane_alone() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        // Within the range of the reduction, and with some lanes on either side of its end.
        for limit in [1e-3, 4.0, 1e3, 1e5, 3e5, 1e30] {
            same!(T, A, N, limit, |a, b| a.sin_cos().0 + b * b.sin_cos().1);
        }
    }
    for_all_lanes!(check);
}

#[test]
fn one_lane_does_not_disturb_another() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        for spoiled in [f32::NAN, f32::INFINITY, 1e20] {
            let mut x = [T::from(0.7); N];
            x[N / 2] = T::from(spoiled);
            let sin = dispatch(Apply(
                |a: Lanes<T, N>, _| a.sin_cos().0,
                Lanes::new(x),
                Lanes::new(x),
            ));
            for (k, sin) in sin.to_array().into_iter().enumerate() {
                let expected: f64 = A::constant(x[k].into()).sin_cos().0.into();
                assert!(sin.into() == expected || k == N / 2 && expected.is_nan());
            }
        }
    }
    for_all_lanes!(check);
}

#[test]
fn exponentials_logarithms_and_quaternions_are_those_of_each_lane_alone() {
    fn chain<S: Scalar>(a: S, b: S) -> S {
        let w = Vec3::new(a, b, a * b);
        let turned = Quaternion::exp(w) * Quaternion::from_rotation(&exp3(w));
        let back = log3(&turned.normalised().to_rotation());
        back.x + turned.log().y + back.z
    }
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        // Both sides of the series' bound, in one register.
        for limit in [1e-4, 1.2, 3.0] {
            same!(T, A, N, limit, |a, b| chain(a, b));
        }
    }
    for_all_lanes!(check);
}

#[test]
fn checks_look_at_every_lane() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        assert_eq!(size_of::<Lanes<T, N>>(), N * size_of::<A>());
        let one = Lanes::<T, N>::constant(1.0);
        assert!(one.is_finite() && Lanes::all(Lanes::zero().less(one)));
        for k in 0..N {
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut x = [T::from(1.0); N];
                x[k] = T::from(bad);
                assert!(!Lanes::new(x).is_finite());
            }
            let mut x = [T::from(1.0); N];
            x[k] = T::from(-1.0);
            assert!(!Lanes::all(Lanes::zero().less(Lanes::new(x))));
            assert!(Lanes::new(x) != one && Lanes::new(x) == Lanes::new(x));
        }
    }
    for_all_lanes!(check);
}

#[test]
fn duals_of_lanes_are_lanes_of_duals() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register,
        T: Scalar + From<f32> + Into<f64>,
        A: Scalar + Into<f64>,
    {
        same!(T, A, N, 2.0, |a, b| {
            let (x, y) = (Dual::<_, 2>::variable(a, 0), Dual::variable(b, 1));
            let f = (x * y).sin_cos().0 / (x * x + y * y);
            f.tangent[0] + f.tangent[1]
        });
    }
    for_all_lanes!(check);
}

#[test]
fn a_register_is_full() {
    assert_eq!(
        (size_of::<Lanes<f64, 2>>(), align_of::<Lanes<f64, 2>>()),
        (16, 16)
    );
    assert_eq!(
        (size_of::<Lanes<f32, 4>>(), align_of::<Lanes<f32, 4>>()),
        (16, 16)
    );
    #[cfg(target_arch = "x86_64")]
    {
        assert_eq!(
            (size_of::<Lanes<f64, 4>>(), align_of::<Lanes<f64, 4>>()),
            (32, 32)
        );
        assert_eq!(
            (size_of::<Lanes<f32, 8>>(), align_of::<Lanes<f32, 8>>()),
            (32, 32)
        );
        assert_eq!(
            (size_of::<Lanes<f64, 8>>(), align_of::<Lanes<f64, 8>>()),
            (64, 64)
        );
        assert_eq!(
            (size_of::<Lanes<f32, 16>>(), align_of::<Lanes<f32, 16>>()),
            (64, 64)
        );
    }
}

#[test]
fn transposition_takes_each_number_to_its_place() {
    fn check<T, A, const N: usize>()
    where
        [T; N]: Register<Square = [<[T; N] as Register>::Vector; N]>,
        T: Scalar + From<f32> + Into<f64>,
    {
        assert_eq!(size_of::<Lanes<T, N>>(), N * size_of::<A>());
        let square = std::array::from_fn(|k| {
            Lanes::<T, N>::new(std::array::from_fn(|l| T::from((N * k + l) as f32)))
        });
        let transposed = Lanes::transpose(square);
        for k in 0..N {
            for l in 0..N {
                assert_eq!(transposed[k].to_array()[l], T::from((N * l + k) as f32));
            }
        }
    }
    for_all_lanes!(check);
}
