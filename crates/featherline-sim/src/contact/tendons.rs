//! Tendons and equalities of lengths within a step.

use super::along::{Along, linear_law};
use featherline::model::{Length, LengthEquality, Model, Tendon};
use featherline_constraint::nonsmooth::{Law, RobotRows, Rows, Set, approach};

/// The part of an equality's error that a step undoes.
const RECOVERY: f64 = 0.2;

/// The speed in m/s and rad/s at which an equality that is violated is closed.
const RECOVERY_SPEED: f64 = 0.1;

/// The tendons and the equalities of a robot, with their lengths where a step begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Tendons {
    tendons: Vec<(Tendon, Along)>,
    /// The rate of each length after a step in which nothing acts, where its inertia feels that.
    pub ahead: Vec<Option<f64>>,
    equalities: Vec<(LengthEquality, Along, Option<Along>)>,
    /// The gradient of an equality's error.
    row: Vec<(usize, f64)>,
    /// Memory to look ahead with.
    pub memory: [Vec<f64>; 3],
}

impl Tendons {
    pub fn new(tendons: Vec<Tendon>, equalities: Vec<LengthEquality>) -> Self {
        let along = |it: Tendon| {
            let length = Along::new(it.length.clone());
            (it, length)
        };
        let both = |it: LengthEquality| {
            let [one, other] = [Some(it.length.clone()), it.other.clone()];
            let [one, other] = [one, other].map(|length| length.map(Along::new));
            one.map(|one| (it, one, other))
        };
        let feels = |it: &Tendon| {
            let is_constant = matches!(it.length, Length::Coordinates { .. });
            (it.armature != 0.0 && !is_constant).then_some(0.0)
        };
        Self {
            ahead: tendons.iter().map(feels).collect(),
            tendons: tendons.into_iter().map(along).collect(),
            equalities: equalities.into_iter().filter_map(both).collect(),
            row: Vec::new(),
            memory: Default::default(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.tendons.is_empty() && self.equalities.is_empty()
    }

    /// Takes how the lengths change there: `robot` has been placed there.
    pub fn find_ahead(&mut self, model: &Model, robot: &RobotRows, q: &[f64], v: &[f64]) {
        for ((_, along), ahead) in self.tendons.iter_mut().zip(&mut self.ahead) {
            if let Some(ahead) = ahead {
                along.find(model, robot, q);
                *ahead = along.rate(v);
            }
        }
    }

    /// Finds the lengths where `robot` has been placed.
    pub fn find(&mut self, model: &Model, robot: &RobotRows, q: &[f64]) {
        for (_, along) in &mut self.tendons {
            along.find(model, robot, q);
        }
        for (_, along, other) in &mut self.equalities {
            for own in [Some(along), other.as_mut()].into_iter().flatten() {
                own.find(model, robot, q);
            }
        }
    }

    /// The energy of springs and of changes of length, in J, where the lengths were found last.
    pub fn energy(&self, v: &[f64]) -> f64 {
        let own = |(tendon, along): &(Tendon, Along)| {
            let (stretch, rate) = (tendon.stretch(along.value), along.rate(v));
            0.5 * (tendon.stiffness * stretch * stretch + tendon.armature * rate * rate)
        };
        self.tendons.iter().map(own).sum()
    }

    /// Adds the rows of a step of `h` seconds from the velocity `v`; `found` is called for each.
    pub fn push(&mut self, v: &[f64], h: f64, rows: &mut Rows, mut found: impl FnMut(usize)) {
        // Which tendon, and which of its rows.
        let mut mark = |index: usize, which: usize, is_there: bool| {
            if is_there {
                found(4 * index + which);
            }
        };
        for (index, (tendon, along)) in self.tendons.iter().enumerate() {
            // h f = −h k (s + h u⁺) − h d u⁺ − a (u⁺ − u + h J̇ v), with the stretch s at its start
            let rate = along.rate(v);
            let change = self.ahead[index].map_or(0.0, |ahead| ahead - rate);
            let stretch = tendon.stretch(along.value);
            let is_slack = stretch == 0.0;
            let stiffness = if is_slack { 0.0 } else { tendon.stiffness };
            let inertia = tendon.armature / h;
            let force = inertia.mul_add(rate - change, -stiffness * stretch);
            let gain = h.mul_add(stiffness, tendon.damping) + inertia;
            if gain > 0.0 {
                let law = linear_law(force, gain, f64::INFINITY, h);
                mark(index, 0, along.push(1.0, law, rows));
            }
            if tendon.friction > 0.0 {
                let bound = tendon.friction * h;
                let law = Law::rigid(Set::Interval { bound });
                mark(index, 1, along.push(1.0, law, rows));
            }
            let [least, greatest] = tendon.range;
            let bounds = [(along.value - least, 1.0), (greatest - along.value, -1.0)];
            for (which, (gap, sign)) in bounds.into_iter().enumerate() {
                if gap.is_finite() {
                    let mut law = Law::rigid(Set::NonNegative);
                    law.bias[0] = approach(gap, h);
                    mark(index, 2 + which, along.push(sign, law, rows));
                }
            }
        }
        for (index, (equality, along, other)) in self.equalities.iter().enumerate() {
            // y − p(x) = 0, whose rate is ẏ − p'(x) ẋ
            let x = other
                .as_ref()
                .map_or(equality.reference[1], |along| along.value);
            let (value, slope) = equality.at(x);
            self.row.clear();
            self.row.extend_from_slice(&along.row);
            for (k, factor) in other.iter().flat_map(|it| &it.row) {
                let own = -slope * factor;
                let mut known = self.row.iter_mut();
                match known.find(|it| it.0 == *k) {
                    Some((_, sum)) => *sum += own,
                    None => self.row.push((*k, own)),
                }
            }
            self.row.retain(|it| it.1 != 0.0);
            if !self.row.is_empty() {
                let mut law = Law::rigid(Set::Equality);
                let closing = RECOVERY * (along.value - value) / h;
                law.bias[0] = closing.clamp(-RECOVERY_SPEED, RECOVERY_SPEED);
                rows.push_coordinates(&self.row, 1.0, law);
                found(4 * (self.tendons.len() + index));
            }
        }
    }
}
