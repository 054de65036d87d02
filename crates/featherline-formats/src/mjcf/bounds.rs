//! Bounds of inertias: `boundmass`, `boundinertia`, `balanceinertia`.

use super::compiler::Compiler;
use crate::principal::principal;
use featherline::spatial::{Inertia, Sym3, Vec3};

/// An inertia within the bounds of the compiler, which are those of its principal moments.
pub(super) fn bounded(inertia: Inertia<f64>, compiler: &Compiler) -> Inertia<f64> {
    let mass = inertia.mass.max(compiler.bound_mass);
    let mut rotational = inertia.rotational;
    if compiler.bound_inertia > 0.0 || compiler.balance_inertia {
        let (axes, moments) = principal(&rotational);
        let raised = moments.map(|moment| moment.max(compiler.bound_inertia));
        if raised != moments {
            let [a, b, c] = raised;
            rotational = Sym3::diagonal(Vec3::new(a, b, c)).conjugated_by(&axes);
        }
        let sum: f64 = raised.iter().sum();
        if compiler.balance_inertia && raised.iter().any(|moment| sum - moment < *moment) {
            rotational = Sym3::scalar(sum / 3.0);
        }
    }
    Inertia::new(mass, inertia.com, rotational)
}
