//! Values of attributes.

use crate::error::ErrorCause;
use crate::location::Source;
use crate::report::{Fault, Outcome, Report, fault};
use crate::xml::{Attribute, Element, shortened};
use featherline::scalar::Scalar;
use featherline::spatial::{Mat3, Quaternion, Vec3};
use std::f64::consts::FRAC_PI_2;

/// An element that can stand once in another.
pub(crate) fn single<'a>(
    parent: Element<'a>,
    tag: &'static str,
    report: &Report<'_>,
) -> Outcome<Option<Element<'a>>> {
    let mut found = parent.children().filter(|child| child.tag() == tag);
    let first = found.next();
    match (first, found.next()) {
        (Some(first), Some(second)) => {
            let (element, first_line) = (tag, report.line(first.source()));
            let cause = ErrorCause::DuplicateElement {
                element,
                first_line,
            };
            Err(fault(second.source(), cause))
        }
        _ => Ok(first),
    }
}

/// A required attribute.
pub(crate) fn required<'a>(element: Element<'a>, name: &'static str) -> Outcome<Attribute<'a>> {
    let attribute = name;
    let missing = || fault(element.source(), ErrorCause::MissingAttribute { attribute });
    element.attribute(name).ok_or_else(missing)
}

/// A required name.
pub(crate) fn required_name<'a>(element: Element<'a>, name: &'static str) -> Outcome<&'a str> {
    let attribute = required(element, name)?;
    if attribute.value.trim().is_empty() {
        let cause = ErrorCause::EmptyName { attribute: name };
        return Err(fault(attribute.source, cause));
    }
    Ok(attribute.value)
}

/// A finite number.
pub(crate) fn number(element: Element<'_>, name: &'static str) -> Outcome<Option<f64>> {
    Ok(numbers::<1>(element, name)?.map(|[value]| value))
}

/// A required finite number.
pub(crate) fn required_number(element: Element<'_>, name: &'static str) -> Outcome<f64> {
    required(element, name)?;
    // The attribute is there, so that the default is never taken.
    Ok(number(element, name)?.unwrap_or_default())
}

/// A required finite number that is not negative.
pub(crate) fn required_not_negative(element: Element<'_>, name: &'static str) -> Outcome<f64> {
    let value = required_number(element, name)?;
    match value >= 0.0 {
        true => Ok(value),
        false => Err(negative(element, name, value)),
    }
}

/// The error of a negative number, at its attribute.
pub(crate) fn negative(element: Element<'_>, attribute: &'static str, value: f64) -> Box<Fault> {
    let source = element.attribute(attribute).map(|it| it.source);
    let cause = ErrorCause::Negative { attribute, value };
    fault(source.unwrap_or(element.source()), cause)
}

/// The error of another count of numbers than there should be.
pub(crate) fn number_count(
    source: Source,
    attribute: &'static str,
    expected: usize,
    found: usize,
) -> Box<Fault> {
    let cause = ErrorCause::NumberCount {
        attribute,
        expected,
        found,
    };
    fault(source, cause)
}

/// A bound that stands for none in files whose readers know no infinity: they need a number, and
/// some keep it in single precision or square it. No joint has such a speed or force.
pub(crate) const NO_BOUND: f64 = 1e30;

/// A number that may be infinite: no bound. [`NO_BOUND`] and more, such as the greatest double,
/// count as infinite.
pub(crate) fn bound(element: Element<'_>, name: &'static str) -> Outcome<Option<f64>> {
    let Some(attribute) = element.attribute(name) else {
        return Ok(None);
    };
    let unbounded = |value: f64| match value.abs() >= NO_BOUND {
        true => f64::INFINITY.copysign(value),
        false => value,
    };
    match infinite(attribute.value.trim()) {
        Some(value) => Ok(Some(value)),
        None => Ok(number(element, name)?.map(unbounded)),
    }
}

/// Two numbers that may be infinite: no bounds.
pub(crate) fn bounds(element: Element<'_>, name: &'static str) -> Outcome<Option<[f64; 2]>> {
    let Some(attribute) = element.attribute(name) else {
        return Ok(None);
    };
    let words: Vec<&str> = attribute.value.split_ascii_whitespace().collect();
    let &[lower, upper] = &words[..] else {
        // The error is that of finite numbers.
        return numbers::<2>(element, name);
    };
    let one = |word| match infinite(word) {
        Some(value) => Ok(value),
        None => finite(word, name, attribute.source),
    };
    Ok(Some([one(lower)?, one(upper)?]))
}

/// The value of a word for infinity. A digit in it means a number that is too large.
fn infinite(word: &str) -> Option<f64> {
    let value = word.parse::<f64>().ok()?;
    let is_word = value.is_infinite() && !word.contains(|c: char| c.is_ascii_digit());
    is_word.then_some(value)
}

/// N finite numbers, separated by blanks.
pub(crate) fn numbers<const N: usize>(
    element: Element<'_>,
    name: &'static str,
) -> Outcome<Option<[f64; N]>> {
    let Some(attribute) = element.attribute(name) else {
        return Ok(None);
    };
    let mut values = [0.0; N];
    let mut found = 0;
    for word in attribute.value.split_ascii_whitespace() {
        let value = finite(word, name, attribute.source)?;
        if let Some(place) = values.get_mut(found) {
            *place = value;
        }
        found += 1;
    }
    if found != N {
        return Err(number_count(attribute.source, name, N, found));
    }
    Ok(Some(values))
}

/// At most so many finite numbers, separated by blanks; none if the attribute is missing.
pub(crate) fn some_numbers(
    element: Element<'_>,
    name: &'static str,
    most: usize,
) -> Outcome<Vec<f64>> {
    let Some(attribute) = element.attribute(name) else {
        return Ok(Vec::new());
    };
    let words = attribute.value.split_ascii_whitespace();
    let values = words.map(|word| finite(word, name, attribute.source));
    let values = values.collect::<Outcome<Vec<f64>>>()?;
    if values.len() > most {
        return Err(number_count(attribute.source, name, most, values.len()));
    }
    Ok(values)
}

/// A finite number.
fn finite(word: &str, name: &'static str, source: Source) -> Outcome<f64> {
    let parsed = word.parse::<f64>();
    if let Some(value) = parsed.clone().ok().filter(|it| it.is_finite()) {
        return Ok(value);
    }
    let (attribute, found) = (name, shortened(word));
    let cause = match parsed {
        Ok(_) => ErrorCause::NotFinite { attribute, found },
        Err(_) => ErrorCause::NotANumber { attribute, found },
    };
    Err(fault(source, cause))
}

/// The largest absolute value; zero of none.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, it| most.max(it.abs()))
}

/// A vector.
pub(crate) fn vector(element: Element<'_>, name: &'static str) -> Outcome<Option<Vec3<f64>>> {
    Ok(numbers::<3>(element, name)?.map(|[x, y, z]| Vec3::new(x, y, z)))
}

/// Sine and cosine of an angle. No decimal number is exactly π/2: the double nearest to a multiple
/// of it is read as the multiple, so that zeros of the rotation are exact, which compiled programs
/// use.
pub(crate) fn exact_sin_cos(angle: f64) -> (f64, f64) {
    let quarters = (angle / FRAC_PI_2).round();
    if quarters.abs() > 8.0 || (angle - quarters * FRAC_PI_2).abs() > f64::EPSILON * angle.abs() {
        return Scalar::sin_cos(angle);
    }
    // At most eight quarters, so that the remainder is one of four.
    match quarters.rem_euclid(4.0) as u8 {
        0 => (0.0, 1.0),
        1 => (1.0, 0.0),
        2 => (0.0, -1.0),
        _ => (-1.0, 0.0),
    }
}

/// The rotation of roll, pitch and yaw.
pub(crate) fn roll_pitch_yaw(angles: [f64; 3]) -> Mat3<f64> {
    let [roll, pitch, yaw] = angles.map(exact_sin_cos);
    Mat3::from_sin_cos_of_roll_pitch_yaw(roll, pitch, yaw)
}

/// The rotation of a quaternion x, y, z, w of any length but zero.
pub(crate) fn quaternion(xyzw: [f64; 4]) -> Option<Mat3<f64>> {
    let largest = largest(&xyzw);
    let [x, y, z, w] = xyzw.map(|value| value / largest);
    (largest != 0.0).then(|| Quaternion::new(x, y, z, w).normalised().to_rotation())
}

#[cfg(test)]
mod tests {
    use super::exact_sin_cos;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn quarter_turns_are_exact_and_other_angles_are_not_touched() {
        assert_eq!(exact_sin_cos(0.0), (0.0, 1.0));
        assert_eq!(exact_sin_cos(FRAC_PI_2), (1.0, 0.0));
        assert_eq!(exact_sin_cos(-FRAC_PI_2), (-1.0, 0.0));
        assert_eq!(exact_sin_cos(-PI), (0.0, -1.0));
        assert_eq!(exact_sin_cos(1.5 * PI), (-1.0, 0.0));
        // π/2 rounded to eight or thirteen digits is another angle.
        for angle in [
            0.3,
            FRAC_PI_2 - 2.7e-8,
            FRAC_PI_2 - 9e-13,
            5.4e-8 - PI,
            1e9 * PI,
        ] {
            let (sin, cos) = exact_sin_cos(angle);
            assert!((sin - angle.sin()).abs() < 1e-15 && (cos - angle.cos()).abs() < 1e-15);
            assert!(sin != 0.0 && cos != 0.0);
        }
    }
}
