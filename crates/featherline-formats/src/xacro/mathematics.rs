//! The functions of Python's `math`.

use super::budget::{Outcome, Refusal};
use super::functions::{converted, whole};
use super::value::Value;

/// A function of numbers.
pub(super) fn mathematical(name: &str, values: &[Value]) -> Option<Outcome<Value>> {
    let numbers = values.iter().map(converted).collect::<Outcome<Vec<f64>>>();
    let unary: Option<fn(f64) -> f64> = match name {
        "sin" => Some(f64::sin),
        "cos" => Some(f64::cos),
        "tan" => Some(f64::tan),
        "asin" => Some(f64::asin),
        "acos" => Some(f64::acos),
        "atan" => Some(f64::atan),
        "sinh" => Some(f64::sinh),
        "cosh" => Some(f64::cosh),
        "tanh" => Some(f64::tanh),
        "asinh" => Some(f64::asinh),
        "acosh" => Some(f64::acosh),
        "atanh" => Some(f64::atanh),
        "cbrt" => Some(f64::cbrt),
        "exp2" => Some(f64::exp2),
        "expm1" => Some(f64::exp_m1),
        "log1p" => Some(f64::ln_1p),
        "sqrt" => Some(f64::sqrt),
        "exp" => Some(f64::exp),
        "log10" => Some(f64::log10),
        "log2" => Some(f64::log2),
        "radians" => Some(f64::to_radians),
        "degrees" => Some(f64::to_degrees),
        "floor" => Some(f64::floor),
        "ceil" => Some(f64::ceil),
        "trunc" => Some(f64::trunc),
        _ => None,
    };
    let binary: Option<fn(f64, f64) -> f64> = match name {
        "atan2" => Some(f64::atan2),
        "pow" => Some(f64::powf),
        "hypot" => Some(f64::hypot),
        "copysign" => Some(f64::copysign),
        "fmod" => Some(|a, b| a % b),
        "log" => Some(|a, b| a.ln() / b.ln()),
        _ => None,
    };
    let is_test = matches!(name, "isnan" | "isinf" | "isfinite");
    if unary.is_none() && binary.is_none() && !is_test {
        return None;
    }
    let numbers = match numbers {
        Ok(numbers) => numbers,
        Err(error) => return Some(Err(error)),
    };
    Some(match (&numbers[..], unary, binary) {
        ([x], ..) if name == "isnan" => Ok(Value::Bool(x.is_nan())),
        ([x], ..) if name == "isinf" => Ok(Value::Bool(x.is_infinite())),
        ([x], ..) if name == "isfinite" => Ok(Value::Bool(x.is_finite())),
        // Natural, without a base.
        ([x], ..) if name == "log" => real(name, x.ln(), &numbers),
        ([x], Some(function), _) if matches!(name, "floor" | "ceil" | "trunc") => {
            Ok(whole(function(*x)))
        }
        ([x], Some(function), _) => real(name, function(*x), &numbers),
        ([a, b], _, Some(function)) => real(name, function(*a, *b), &numbers),
        _ => Err(Refusal(format!(
            "`{name}` does not take {} values",
            numbers.len()
        ))),
    })
}

/// A number, unless there is none of the arguments.
fn real(name: &str, value: f64, arguments: &[f64]) -> Outcome<Value> {
    match value.is_nan() && !arguments.iter().any(|it| it.is_nan()) {
        true => Err(Refusal(format!("`{name}` is not defined there"))),
        false => Ok(Value::Float(value)),
    }
}

/// By Euclid.
pub(super) fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
