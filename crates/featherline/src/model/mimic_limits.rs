//! The range of a joint that its mimic joints' limits leave.

use super::{Joint, Mimic, ModelWarning};
use crate::joint::configuration::Group;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Rounding of a limit that comes through the law of a mimic joint, beside its size.
const ROUNDING: f64 = 1e-12;

/// The displacements between which a joint may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub lower: f64,
    pub upper: f64,
}

impl Range {
    /// All displacements that a joint of one degree of freedom may take by itself.
    fn of(joint: &Joint) -> Self {
        if joint.kind.group() == Group::So2 {
            // Bounds of a (cos, sin) pair mean nothing; its mimic joints see the angle in this
            // range.
            Self {
                lower: -PI,
                upper: PI,
            }
        } else {
            Self {
                lower: joint.limits.lower[0],
                upper: joint.limits.upper[0],
            }
        }
    }

    /// The part in which a mimic joint respects its own limits; none where nothing is left.
    fn respecting(self, mimic_joint: &Joint, law: &Mimic) -> Option<Self> {
        if mimic_joint.kind.group() == Group::So2 {
            return Some(self);
        }
        let Self { lower, upper } = Self::of(mimic_joint);
        if law.ratio == 0.0 {
            return (lower..=upper).contains(&law.offset).then_some(self);
        }
        let ends = [lower, upper].map(|bound| (bound - law.offset) / law.ratio);
        let least = self.lower.max(ends[0].min(ends[1]));
        let greatest = self.upper.min(ends[0].max(ends[1]));
        let rounding = ROUNDING * least.abs().max(1.0);
        (least <= greatest + rounding).then_some(Self {
            lower: least,
            // Ends that meet but for rounding are one point.
            upper: greatest.max(least),
        })
    }
}

/// For each mimicked joint, the range in which it and all its mimic joints respect their
/// limits. A joint that has no such range is left out, with a warning.
pub(super) fn mimic_limits(joints: &[Joint]) -> (BTreeMap<usize, Range>, Vec<ModelWarning>) {
    let mut ranges: BTreeMap<usize, Option<Range>> = BTreeMap::new();
    let mut warnings = Vec::new();
    for joint in joints {
        let Some(law) = &joint.mimic else { continue };
        let source = law.source.index();
        let range = ranges
            .entry(source)
            .or_insert_with(|| Some(Range::of(&joints[source])));
        let Some(before) = *range else { continue };
        *range = before.respecting(joint, law);
        if range.is_none() {
            warnings.push(ModelWarning::ContradictoryLimits {
                mimicked: joints[source].name.clone(),
                mimic: joint.name.clone(),
            });
        }
    }
    let found = ranges
        .into_iter()
        .filter_map(|(i, range)| Some((i, range?)));
    (found.collect(), warnings)
}
