//! Impulses of the step before, to begin the next one with.

use super::{ContactImpulse, Drives, TimeStepping};
use crate::contact::drives::DriveRow;
use featherline::spatial::Vec3;

/// The contact, limit or other constraint of a row, by which the next step finds the row's impulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Contact { feature: u64, bodies: [usize; 2] },
    Limit { index: usize, is_upper: bool },
    Friction { index: usize },
    Drive(DriveRow),
    Loop { row: usize },
    Tendon { row: usize },
    Coupling { index: usize, row: usize },
}

/// The distance in m up to which a point of two bodies is taken for one of the step before that has
/// another feature: where faces have the same outline, rounding decides which corners meet.
const SAME_POINT: f64 = 1e-3;

/// A block of rows of the step before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Remembered {
    origin: Origin,
    /// Where a contact was.
    point: Vec3<f64>,
    /// The impulse; of contacts in the world.
    impulse: [f64; 3],
}

/// The state of the stepper besides q and v: the impulses, which the next solution begins with,
/// which drives are at the limit of their effort, and the states of their filters and integrators.
///
/// With it, a copy of a state goes on with the same bits as the original.
///
/// ```
/// use featherline::samples;
/// use featherline_sim::contact::{TimeStepping, WarmStart};
///
/// let model = samples::double_pendulum();
/// let mut stepping = TimeStepping::new(&model)?;
/// let (mut q, mut v) = ([1.0, 0.0], [0.0, 0.0]);
/// stepping.step(0.0, &mut q, &mut v, 1e-3)?;
/// let mut kept = WarmStart::default();
/// stepping.keep_warm_start(&mut kept);
///
/// let mut copy = TimeStepping::new(&model)?;
/// copy.set_warm_start(&kept);
/// let (mut own_q, mut own_v) = (q, v);
/// stepping.step(1e-3, &mut q, &mut v, 1e-3)?;
/// copy.step(1e-3, &mut own_q, &mut own_v, 1e-3)?;
/// assert_eq!((own_q, own_v), (q, v));
/// # Ok::<(), featherline_sim::integrator::IntegratorError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WarmStart {
    remembered: Vec<Remembered>,
    /// The drives and the sums of joints that are at their bounds.
    saturated: Vec<(usize, Option<usize>)>,
    /// The states of filters and integrators of drives.
    activations: Vec<f64>,
    /// Where the impulses were new.
    is_new: Vec<bool>,
}

impl WarmStart {
    /// The states of filters and integrators of drives alone.
    pub fn of_drives(drives: &Drives) -> Self {
        Self {
            activations: drives.activations().collect(),
            ..Self::default()
        }
    }

    /// The states of filters and integrators of drives, as [`Drives::activations`] has them.
    pub fn activations(&self) -> &[f64] {
        &self.activations
    }

    /// How many constraints have an impulse.
    pub fn len(&self) -> usize {
        self.remembered.len()
    }

    /// Whether there is none: as after a start.
    pub fn is_empty(&self) -> bool {
        self.remembered.is_empty() && self.saturated.is_empty()
    }
}

impl<L, C> TimeStepping<'_, L, C> {
    /// Writes what the last step leaves to the next one to `to`, whose memory is kept. Cost
    /// O(rows).
    pub fn keep_warm_start(&self, to: &mut WarmStart) {
        to.remembered.clone_from(&self.remembered);
        to.saturated.clear();
        to.saturated.extend(self.drives.saturated());
        to.activations.clear();
        to.activations.extend(self.drives.activations());
        to.is_new.clear();
        to.is_new.extend_from_slice(self.solver.is_new());
    }

    /// Goes on as after the step that `from` was kept of. Impulses and states of contacts, limits
    /// or drives that are not there in the next step are ignored.
    pub fn set_warm_start(&mut self, from: &WarmStart) {
        self.remembered.clone_from(&from.remembered);
        self.drives.set_saturated(&from.saturated);
        self.drives.set_activations(&from.activations);
        self.solver.set_new(&from.is_new);
    }

    /// Forgets the impulses of the last step: the next one is as after a start. Filters and
    /// integrators of drives keep their states, to be set by [`Drives::set_activations`].
    pub fn forget(&mut self) {
        self.remembered.clear();
        self.drives.set_saturated(&[]);
        self.solver.set_new(&[]);
    }

    /// The velocity of a contact's rows, that of surfaces by themselves included.
    #[inline(always)]
    pub(super) fn contact_velocity(&self, block: usize, v: &[f64]) -> [f64; 3] {
        let own = self.rows.velocity(block, v);
        let of_surfaces = self.contacts[block].surface_bias();
        std::array::from_fn(|k| own[k] + of_surfaces[k])
    }

    /// The impulses of the step before, of rows that are there again.
    #[inline(always)]
    pub(super) fn begin_with_remembered(&mut self) {
        self.impulses.clear();
        self.impulses.resize(self.rows.len(), 0.0);
        let mut search = Search {
            remembered: &self.remembered,
            next: 0,
            group: 0,
        };
        for (block, origin) in self.origins.iter().enumerate() {
            let point = self.contacts.get(block).map(|contact| contact.point);
            let Some(at) = search.find(origin, point) else {
                continue;
            };
            let impulse = self.remembered[at].impulse;
            let first = self.rows.first_row(block);
            let Origin::Contact { .. } = origin else {
                self.impulses[first] = impulse[0];
                continue;
            };
            let impulse = Vec3::from(impulse);
            let contact = &self.contacts[block];
            let axes = contact.axes().into_iter().zip(contact.row_factors());
            for (k, (axis, factor)) in axes.enumerate() {
                self.impulses[first + k] = axis.dot(impulse) / factor;
            }
        }
    }

    /// Keeps the impulses for the next step, and those of contacts for whoever asks.
    #[inline(always)]
    pub(super) fn remember(&mut self) {
        self.remembered.clear();
        if self.part == 0 {
            self.report.clear();
        }
        if self.loops.is_some() || !self.moved.couplings().is_empty() {
            self.floating.push_all();
        }
        for (block, origin) in self.origins.iter().enumerate() {
            let first = self.rows.first_row(block);
            let (mut point, mut impulse) = (Vec3::zero(), [self.impulses[first], 0.0, 0.0]);
            if let Origin::Contact { .. } = origin {
                let contact = self.contacts[block];
                let axes = contact.axes().into_iter().zip(contact.row_factors());
                let u = self.contact_velocity(block, self.solver.velocity());
                let (mut sum, mut velocity) = (Vec3::zero(), Vec3::zero());
                for (k, (axis, factor)) in axes.enumerate() {
                    sum += axis * (factor * self.impulses[first + k]);
                    velocity += axis * (u[k] / factor);
                }
                (point, impulse) = (contact.point, sum.to_array());
                if sum != Vec3::zero() {
                    self.floating.push(contact.bodies);
                }
                let found = ContactImpulse {
                    contact,
                    impulse: sum,
                    velocity,
                };
                self.report.push(found.world_first());
            }
            self.remembered.push(Remembered {
                origin: *origin,
                point,
                impulse,
            });
        }
    }
}

/// The blocks of the step before, searched in the order in which most of them come again.
struct Search<'a> {
    remembered: &'a [Remembered],
    /// The block after the one that was found last, and the first of its bodies.
    next: usize,
    group: usize,
}

impl Search<'_> {
    /// The block that a row continues: a contact of a new feature the nearest of the same bodies.
    #[inline(always)]
    fn find(&mut self, origin: &Origin, point: Option<Vec3<f64>>) -> Option<usize> {
        let is_same = |it: &Remembered| it.origin == *origin;
        let found = match (self.remembered.get(self.next), origin, point) {
            (Some(it), ..) if is_same(it) => Some(self.next),
            (_, Origin::Contact { bodies, .. }, Some(point)) => {
                self.find_contact(is_same, *bodies, point)
            }
            _ => self.remembered.iter().position(is_same),
        };
        self.next = found.map_or(self.next, |at| at + 1);
        found
    }

    fn find_contact(
        &mut self,
        is_same: impl Fn(&Remembered) -> bool,
        bodies: [usize; 2],
        point: Vec3<f64>,
    ) -> Option<usize> {
        let is_of_bodies = |it: &Remembered| matches!(it.origin, Origin::Contact { bodies: own, .. } if own == bodies);
        let all = self.remembered;
        let mut places = (self.group..all.len()).chain(0..self.group);
        self.group = places.find(|&k| is_of_bodies(&all[k]))?;
        let group = all[self.group..].iter().take_while(|it| is_of_bodies(it));
        let (mut nearest, mut least) = (None, SAME_POINT);
        for (at, it) in group.enumerate() {
            let apart = (it.point - point).norm();
            let distance = if is_same(it) { -1.0 } else { apart };
            if distance <= least {
                (nearest, least) = (Some(self.group + at), distance);
            }
        }
        nearest
    }
}
