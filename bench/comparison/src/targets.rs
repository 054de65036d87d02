//! Featherline's aims, beside Pinocchio built for this machine.

use crate::form::Form;

/// The aims of one call.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Target {
    /// featherline's time by the reference's: at most this.
    single: f64,
    /// The reference's time for one state by featherline's in a batch: at least this, with AVX-512.
    batch_double: f64,
    /// The same in single precision.
    batch_single: f64,
}

const fn target(single: f64, batch_double: f64, batch_single: f64) -> Target {
    Target {
        single,
        batch_double,
        batch_single,
    }
}

/// By what a call is measured; none for calls without an aim.
fn of(call: &str) -> Option<Target> {
    Some(match call {
        "rnea" | "bias" => target(0.5, 12.0, 22.0),
        "aba" | "crba" => target(0.6, 10.0, 18.0),
        "crba_factor_solve" => target(0.5, 10.0, 18.0),
        "forward_kinematics" | "joint_jacobians" | "com" => target(0.6, 12.0, 22.0),
        "minverse" | "ccrba" | "all_terms" => target(0.6, 8.0, 15.0),
        "rnea_derivatives" => target(0.5, 5.0, 9.0),
        "aba_derivatives" => target(0.45, 5.0, 9.0),
        _ => return None,
    })
}

/// The greatest allowed ratio of featherline's time to the reference's. Batches are measured by how
/// many times as many states they do a second; on a machine without AVX-512 half as many suffice.
pub fn greatest_ratio(call: &str, form: Form, has_avx512: bool) -> Option<f64> {
    let target = of(call)?;
    let halved = if has_avx512 { 1.0 } else { 0.5 };
    Some(match form {
        Form::Single | Form::ProgramSingle => target.single,
        Form::BatchDouble | Form::ProgramBatchDouble => 1.0 / (target.batch_double * halved),
        Form::BatchSingle | Form::ProgramBatchSingle => 1.0 / (target.batch_single * halved),
    })
}

/// The least part of the core's peak that arithmetic in lanes is to reach, in per cent; none for
/// calls without such an aim.
pub fn least_percent_of_peak(call: &str, form: Form) -> Option<f64> {
    (matches!(call, "rnea" | "aba") && !form.is_single()).then_some(35.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_half_as_fast_without_avx512() {
        assert_eq!(greatest_ratio("aba", Form::BatchDouble, true), Some(0.1));
        assert_eq!(greatest_ratio("aba", Form::BatchDouble, false), Some(0.2));
        assert_eq!(greatest_ratio("aba", Form::Single, false), Some(0.6));
        assert_eq!(greatest_ratio("unknown", Form::Single, true), None);
    }

    #[test]
    fn lanes_alone_are_measured_by_the_peak() {
        assert_eq!(least_percent_of_peak("aba", Form::BatchSingle), Some(35.0));
        assert_eq!(least_percent_of_peak("aba", Form::Single), None);
        assert_eq!(least_percent_of_peak("crba", Form::BatchSingle), None);
    }
}
