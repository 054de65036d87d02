//! The rows of a robot: contacts, limits, friction of joints.

use super::limits::Limited;
use super::{Law, Rows, Set};
use featherline::kernel;
use featherline::kernel::{Kernel, LinkKinematics, dispatch, links};
use featherline::model::{JointId, LengthGradient, Model};
use featherline::spatial::{Motion, Se3, Vec3};

/// A point at which two bodies touch, or may touch within a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The bodies, by their joints; the universe is the world.
    pub bodies: [JointId; 2],
    /// The point in the world.
    pub point: Vec3<f64>,
    /// The direction from the first body to the second, in the world, of length one.
    pub normal: Vec3<f64>,
    /// The distance in m; negative where the bodies overlap.
    pub gap: f64,
    /// The coefficient of friction μ; along its direction, of a contact with
    /// [`anisotropy`](Self::anisotropy).
    pub friction: f64,
    /// Another coefficient across a direction; none where all directions have the same.
    pub anisotropy: Option<Anisotropy>,
    /// The coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// The velocity in m/s that surfaces have by themselves, in the world, that of the second
    /// body's less that of the first: of a body of the world whose motion is given, or of a belt.
    pub surface_velocity: Vec3<f64>,
    /// A number by which the contact is recognised in the next step: equal for the same features of
    /// the same shapes.
    pub feature: u64,
}

/// Friction that is not the same in all directions of a contact's plane: the tangential force is in
/// the ellipse (λ₁/μ₁)² + (λ₂/μ₂)² ≤ λ_n², with μ₁ the contact's [`friction`](Contact::friction).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anisotropy {
    /// The direction of μ₁ in the world: of length one, orthogonal to the normal.
    pub direction: Vec3<f64>,
    /// The coefficient across it, μ₂, not negative.
    pub across: f64,
}

/// The least part of the greater coefficient of friction that the lesser one counts as: without
/// friction in one direction, the rows would not be independent.
const LEAST_RATIO: f64 = 1e-5;

impl Contact {
    /// The coefficient of friction μ of the circular cone of its rows: the greater one.
    #[inline(always)]
    pub fn greatest_friction(&self) -> f64 {
        match &self.anisotropy {
            None => self.friction,
            Some(it) => self.friction.max(it.across),
        }
    }

    /// The factors s of the three rows, μ₁/μ, μ₂/μ and 1, with μ the
    /// [greater](Self::greatest_friction) of both coefficients; ones where friction is the same in
    /// all directions.
    ///
    /// With the rows s_i J_i and their impulses λ'_i, s_i λ'_i is the impulse along an axis:
    /// (s₁ λ'₁/μ₁)² + (s₂ λ'₂/μ₂)² ≤ λ_n² is ‖λ'_t‖ ≤ μ λ_n. So the elliptic cone is a circular
    /// one, and friction that takes the most power in the one does so in the other.
    #[inline(always)]
    pub fn row_factors(&self) -> [f64; 3] {
        match &self.anisotropy {
            None => [1.0; 3],
            Some(it) => {
                let greatest = self.greatest_friction();
                let factor = |own: f64| match greatest > 0.0 {
                    true => (own / greatest).max(LEAST_RATIO),
                    false => 1.0,
                };
                [factor(self.friction), factor(it.across), 1.0]
            }
        }
    }

    /// The surfaces' own velocity along the three rows, times their [factors](Self::row_factors):
    /// what is added to the velocity of the rows.
    #[inline(always)]
    pub fn surface_bias(&self) -> [f64; 3] {
        let (axes, factors) = (self.axes(), self.row_factors());
        std::array::from_fn(|k| factors[k] * axes[k].dot(self.surface_velocity))
    }

    /// Two tangents and the normal, in the world: a frame that depends on the normal alone, or
    /// begins with the direction of the [anisotropy](Self::anisotropy).
    #[inline(always)]
    pub fn axes(&self) -> [Vec3<f64>; 3] {
        let n = self.normal;
        if let Some(it) = &self.anisotropy {
            return [it.direction, n.cross(it.direction), n];
        }
        // The axis that is least along the normal, made orthogonal to it.
        let [x, y, z] = [n.x.abs(), n.y.abs(), n.z.abs()];
        let axis = if x <= y && x <= z {
            Vec3::unit(0)
        } else if y <= z {
            Vec3::unit(1)
        } else {
            Vec3::unit(2)
        };
        let t = axis - n * n.dot(axis);
        let t = t * t.norm().recip();
        [t, n.cross(t), n]
    }
}

/// Where the links of a robot are and how a unit of each coordinate moves them, in the world.
///
/// ```
/// use featherline::kernel::link_kinematics;
/// use featherline::spatial::Vec3;
/// use featherline::{Workspace, samples};
/// use featherline_constraint::nonsmooth::{Contact, Law, RobotRows, Rows, Set};
/// use featherline::model::JointId;
///
/// // The tip of a double pendulum that hangs touches the ground.
/// let model = samples::double_pendulum();
/// let mut ws = Workspace::recursive(&model);
/// let mut robot = RobotRows::new(&model);
/// robot.place(&model, &link_kinematics(&model, &mut ws, &[0.0; 2], &[0.0; 2])?);
/// let contact = Contact {
///     bodies: [JointId::UNIVERSE, model.joint_id("elbow")?],
///     point: Vec3::new(0.0, 0.0, -2.0),
///     normal: Vec3::unit(2),
///     gap: 0.0,
///     friction: 0.5,
///     anisotropy: None,
///     restitution: 0.0,
///     surface_velocity: Vec3::zero(),
///     feature: 0,
/// };
/// let mut rows = Rows::new();
/// let law = |contact: &Contact| Law::rigid(Set::Cone { friction: contact.greatest_friction() });
/// robot.push_contacts(&model, &[contact], &mut rows, law);
/// assert_eq!(rows.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RobotRows {
    /// The link frames in the world.
    links: Vec<Se3<f64>>,
    /// The output frames of the joints in the world.
    placements: Vec<Se3<f64>>,
    /// The columns of the motion subspaces in the world, link by link.
    columns: Vec<Motion<f64>>,
    first_column: Vec<usize>,
    /// For each coordinate, where its column is in the reading that is made.
    slot: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl RobotRows {
    /// Memory for a model.
    pub fn new(model: &Model) -> Self {
        let bodies = links(model).len();
        let mut first_column = Vec::with_capacity(bodies + 1);
        let mut columns = 0;
        for link in links(model) {
            first_column.push(columns);
            columns += link.columns;
        }
        first_column.push(columns);
        Self {
            links: vec![Se3::identity(); bodies],
            placements: vec![Se3::identity(); bodies],
            columns: vec![Motion::zero(); columns],
            first_column,
            slot: vec![NOWHERE; model.nv()],
        }
    }

    /// Takes the links' kinematics: what follows is of that configuration. Cost O(n).
    pub fn place(&mut self, model: &Model, kinematics: &LinkKinematics<'_, f64>) {
        place(self, model, kinematics);
    }

    /// The link frames in the world, the universe's first.
    pub fn links(&self) -> &[Se3<f64>] {
        &self.links
    }

    /// The output frames of the joints in the world, the universe's first.
    pub fn placements(&self) -> &[Se3<f64>] {
        &self.placements
    }

    /// Adds the rows of contacts, those of the same two bodies one after another: two tangential
    /// rows and a normal one each, times their [factors](Contact::row_factors), with the laws that
    /// are given.
    pub fn push_contacts(
        &mut self,
        model: &Model,
        contacts: &[Contact],
        rows: &mut Rows,
        law: impl Fn(&Contact) -> Law,
    ) {
        dispatch(PushContacts {
            robot: self,
            model,
            contacts,
            rows,
            law,
        });
    }

    /// The gradient of a length by the coordinates of the velocity, which replaces what `out` has:
    /// each coordinate once. Cost: the joints above its bodies.
    pub fn length_row(
        &self,
        model: &Model,
        gradient: &LengthGradient,
        out: &mut Vec<(usize, f64)>,
    ) {
        out.clear();
        let mut add = |coordinate: usize, own: f64| {
            let mut known = out.iter_mut();
            match known.find(|it| it.0 == coordinate) {
                Some((_, sum)) => *sum += own,
                None => out.push((coordinate, own)),
            }
        };
        for &(coordinate, own) in &gradient.coordinates {
            add(coordinate, own);
        }
        // Sᵀ f in the world, up to the root.
        let links = links(model);
        for (body, force) in &gradient.bodies {
            let mut i = body.index();
            while i != 0 {
                let columns = self.first_column[i]..self.first_column[i + 1];
                for (k, column) in self.columns[columns].iter().enumerate() {
                    add(links[i].idx_v + k, force.dot(column));
                }
                i = links[i].parent;
            }
        }
        // A joint that carries both ends has no part in the length: its entries cancel.
        out.retain(|it| it.1 != 0.0);
    }

    /// Begins a reading of the relative twist of two bodies at a point of the world, that of the
    /// second less that of the first along the world's axes, linear before angular: all six
    /// numbers, or the linear ones with a rank of 3. Returns the reading.
    #[inline(always)]
    pub fn push_twist(
        &mut self,
        model: &Model,
        bodies: [JointId; 2],
        point: Vec3<f64>,
        rank: usize,
        rows: &mut Rows,
    ) -> usize {
        let reading = rows.push_reading(rank);
        let links = links(model);
        let [mut a, mut b] = bodies.map(JointId::index);
        // Up to where the paths meet; a parent has a smaller number than its children.
        while a != b {
            let (i, sign) = if a > b { (a, -1.0) } else { (b, 1.0) };
            let link = &links[i];
            let columns = self.first_column[i]..self.first_column[i + 1];
            for (k, column) in self.columns[columns].iter().enumerate() {
                let coordinate = link.idx_v + k;
                let linear = (column.linear + column.angular.cross(point)) * sign;
                let angular = column.angular * sign;
                let own = Motion::new(linear, angular).to_array();
                match self.slot[coordinate] {
                    NOWHERE => {
                        self.slot[coordinate] = rows.columns.len();
                        rows.push_column(coordinate, own);
                    }
                    // A mimic joint moves with a coordinate that is there already.
                    at => rows.add_to_column(at, &own),
                }
            }
            if sign < 0.0 {
                a = link.parent;
            } else {
                b = link.parent;
            }
        }
        let own = &rows.readings[reading];
        for &coordinate in &rows.support[own.first..own.end] {
            self.slot[coordinate] = NOWHERE;
        }
        reading
    }
}

kernel!(
    /// [`RobotRows::place`].
    fn place(robot: &mut RobotRows, model: &Model, kinematics: &LinkKinematics<'_, f64>) {
        for id in model.joint_ids() {
            let i = id.index();
            let link = &links(model)[i];
            let placement = robot.links[link.parent].compose(kinematics.placement(id));
            robot.links[i] = placement;
            robot.placements[i] = placement.compose(&link.frame.inverse());
            let columns = &mut robot.columns[robot.first_column[i]..robot.first_column[i + 1]];
            for (own, seen) in columns.iter_mut().zip(kinematics.motion_subspace(id)) {
                *own = placement.act_motion(seen);
            }
        }
    }
);

/// Contacts with their laws, to become rows.
struct PushContacts<'a, F> {
    robot: &'a mut RobotRows,
    model: &'a Model,
    contacts: &'a [Contact],
    rows: &'a mut Rows,
    law: F,
}

impl<F: Fn(&Contact) -> Law> Kernel for PushContacts<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for group in self.contacts.chunk_by(|a, b| a.bodies == b.bodies) {
            // A single point has a velocity; several have that of their bodies.
            let rank = if group.len() == 1 { 3 } else { 6 };
            let origin = group[0].point;
            let (robot, model) = (&mut *self.robot, self.model);
            let reading = robot.push_twist(model, group[0].bodies, origin, rank, self.rows);
            for contact in group {
                let (mut axes, lever) = (contact.axes(), contact.point - origin);
                for (axis, factor) in axes.iter_mut().zip(contact.row_factors()) {
                    *axis = *axis * factor;
                }
                self.rows
                    .push_point(reading, axes, lever, (self.law)(contact));
            }
        }
    }
}

/// The speed in m/s or rad/s at which overlaps end, and the part of one that a step undoes.
const RECOVERY_SPEED: f64 = 0.1;
const RECOVERY: f64 = 0.2;

/// The gap or overlap in m or rad that is none: rounding leaves some corners of what lies above the
/// ground and some below. What rests then asks for the same impulses in every step.
const ROUNDING_GAP: f64 = 1e-10;

/// The overlap in m or rad that a step undoes whole: so the biases of several corners agree.
const SMALL_OVERLAP: f64 = 1e-8;

/// The bias of a row with a gap in a step of `h` seconds: u + gap/h ≥ 0 lets the gap close within
/// the step and no further, to 1e-10 m. What overlaps is pushed apart slowly.
#[inline(always)]
pub fn approach(gap: f64, h: f64) -> f64 {
    if gap > ROUNDING_GAP {
        return (gap - ROUNDING_GAP) / h;
    }
    let overlap = -gap - ROUNDING_GAP;
    if overlap <= 0.0 {
        return 0.0;
    }
    let deep = (overlap - SMALL_OVERLAP).max(0.0);
    -(overlap.min(SMALL_OVERLAP) / h + (RECOVERY * deep / h).min(RECOVERY_SPEED))
}

/// Adds the rows of a limited displacement in a step of `h` seconds, of its lower and of its upper
/// bound where `is_near` says so: u = ẋ + gap/h ≥ 0 at a lower bound.
/// `found` is called for each row, with whether it is the upper bound's.
#[inline(always)]
pub fn push_limits(
    limited: &Limited,
    q: &[f64],
    h: f64,
    is_near: [bool; 2],
    rows: &mut Rows,
    mut found: impl FnMut(bool),
) {
    let x = limited.displacement.at(q);
    let bounds = [
        (false, x - limited.lower, 1.0),
        (true, limited.upper - x, -1.0),
    ];
    for ((is_upper, gap, sign), is_near) in bounds.into_iter().zip(is_near) {
        if !is_near {
            continue;
        }
        let mut law = Law::rigid(Set::NonNegative);
        law.bias[0] = approach(gap, h);
        let reading = rows.push_reading(1);
        for (k, factor) in limited.displacement.row(q) {
            rows.push_column(k, [sign * factor, 0.0, 0.0, 0.0, 0.0, 0.0]);
        }
        rows.push_entry(reading, 0, law);
        found(is_upper);
    }
}
