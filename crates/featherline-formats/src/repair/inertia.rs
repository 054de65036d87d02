//! Moments of inertia that no body has.

use super::proposal::{Proposal, list, number, numbers, value};
use super::round::{Problem, Round};
use crate::digits::rounded;
use crate::principal::principal;
use crate::urdf::MOMENTS;
use crate::value::largest;
use crate::xml::{Attribute, Element};
use featherline::spatial::{Sym3, Vec3};

/// Significant digits of moments that are written: beyond what any file is measured to, and near
/// enough for every check.
const DIGITS: usize = 9;

/// The moments of inertia that a body can have and that are nearest to the ones given; those that a
/// body can have stay what they are. Both are about the centre of mass, in kg·m².
///
/// A body can have the moments J exactly if its second moments of mass, Σ = ½ tr(J) 1 − J, have no
/// negative eigenvalue (P. Wensing, S. Kim and J.-J. Slotine, *Linear matrix inequalities for
/// physically consistent inertial parameter identification*, 2018): then no principal moment is
/// negative, and none is greater than the sum of the two others. The nearest Σ in the Frobenius
/// norm has the same eigenvectors, and zeros for the negative eigenvalues (N. Higham, *Computing a
/// nearest symmetric positive semidefinite matrix*, 1988). So the principal axes stay, and so do
/// mass and centre, which Σ does not depend on.
///
/// ```
/// use featherline::spatial::{Sym3, Vec3};
/// use featherline_formats::repair::possible_moments;
///
/// // 3 > 1 + 1: the second moments 1.5, 1.5, −0.5 become 1.5, 1.5, 0.
/// let moments = possible_moments(&Sym3::diagonal(Vec3::new(1.0, 1.0, 3.0)));
/// assert_eq!(moments, Sym3::diagonal(Vec3::new(1.5, 1.5, 3.0)));
/// ```
pub fn possible_moments(moments: &Sym3<f64>) -> Sym3<f64> {
    let (axes, own) = principal(moments);
    // Σ = ½ tr(J) 1 − J
    let half = own.iter().sum::<f64>() / 2.0;
    let second = own.map(|it| half - it);
    if second.iter().all(|it| *it >= 0.0) {
        return *moments;
    }
    let nearest = second.map(|it| it.max(0.0));
    // J = tr(Σ) 1 − Σ
    let trace: f64 = nearest.iter().sum();
    let [a, b, c] = nearest.map(|it| trace - it);
    Sym3::diagonal(Vec3::new(a, b, c)).conjugated_by(&axes)
}

/// Moments as a file gives them, and their attributes: URDF has six, MJCF has one of three numbers
/// or of six.
type StatedMoments<'a> = (Sym3<f64>, Vec<Attribute<'a>>);

/// Moments that a body can have in place of those that none has.
pub(super) fn possible(round: &Round<'_>, problem: Problem) -> Option<Proposal> {
    let element = round.element(problem.place)?;
    let (moments, attributes) = match element.tag() {
        "inertia" => of_urdf(element)?,
        "body" => of_mjcf(element.children().find(|it| it.tag() == "inertial")?)?,
        _ => return None,
    };
    let nearest = possible_moments(&moments);
    if nearest == moments {
        return None;
    }
    let old = moments.to_elements();
    let written = printed(&moments, &nearest);
    let [xx, xy, xz, yy, yz, zz] = written;
    let edits = match &attributes[..] {
        [one] if numbers(one)?.len() == 3 => vec![value(one, &list(&[xx, yy, zz]))],
        [one] => vec![value(one, &list(&[xx, yy, zz, xy, xz, yz]))],
        six => {
            let changed = six.iter().zip(written).zip(old);
            let changed = changed.filter(|((_, new), old)| new != old);
            changed
                .map(|((attribute, new), _)| value(attribute, &number(new)))
                .collect()
        }
    };
    let principal = moments.eigenvalues().map(|it| number(rounded(it, 4)));
    let reason = format!(
        "no body has the principal moments {} kg·m² (one is negative, or greater than the sum of the others): replace \
         them by the nearest ones that a body can have, about the same axes, with the same mass and centre",
        principal.join(", ")
    );
    Some(problem.proposal(reason, edits))
}

/// The elements of possible moments as they are written. Rounding may make them impossible again:
/// then all principal moments are a little greater.
fn printed(stated: &Sym3<f64>, nearest: &Sym3<f64>) -> [f64; 6] {
    let (old, new) = (stated.to_elements(), nearest.to_elements());
    let scale = largest(&new);
    let with = |margin: f64| {
        let [xx, xy, xz, yy, yz, zz] = new;
        let more = [xx + margin, xy, xz, yy + margin, yz, zz + margin];
        let mut written = old;
        for (written, new) in written.iter_mut().zip(more) {
            // A number that only rounding changes stays as it is written.
            if (*written - new).abs() > 1e-12 * scale {
                *written = rounded(new, DIGITS);
            }
        }
        written
    };
    let is_possible = |[xx, xy, xz, yy, yz, zz]: &[f64; 6]| {
        let moments = Sym3::new(*xx, *xy, *xz, *yy, *yz, *zz);
        possible_moments(&moments) == moments
    };
    let margins = [0.0, 1e-11, 1e-9, 1e-7, 1e-5];
    let mut written = margins.into_iter().map(|it| with(it * scale));
    written.find(is_possible).unwrap_or_else(|| with(0.0))
}

fn of_urdf(element: Element<'_>) -> Option<StatedMoments<'_>> {
    let mut attributes = Vec::new();
    let mut values = [0.0; 6];
    for (value, name) in values.iter_mut().zip(MOMENTS) {
        let attribute = element.attribute(name)?;
        *value = *numbers(&attribute)?.first()?;
        attributes.push(attribute);
    }
    let [xx, xy, xz, yy, yz, zz] = values;
    Some((Sym3::new(xx, xy, xz, yy, yz, zz), attributes))
}

fn of_mjcf(element: Element<'_>) -> Option<StatedMoments<'_>> {
    let diagonal = element.attribute("diaginertia");
    let attribute = diagonal.or_else(|| element.attribute("fullinertia"))?;
    let moments = match numbers(&attribute)?[..] {
        [xx, yy, zz] => Sym3::diagonal(Vec3::new(xx, yy, zz)),
        [xx, yy, zz, xy, xz, yz] => Sym3::new(xx, xy, xz, yy, yz, zz),
        _ => return None,
    };
    Some((moments, vec![attribute]))
}
