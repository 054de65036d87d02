//! The momentum of trees that float: it is carried from step to step, and not integrated.
//!
//! With M_b the rows of the base in M and C_b the base's part of the forces that velocities alone
//! cause, p = M_b v is the momentum of the tree about the base's origin, and the step's equation
//! says what acts on the tree from outside: M_b (v⁺ − v) + h C_b. So
//!
//! ```text
//! p⁺ = M_b(q) v⁺ + h C_b(q, v)
//! ```
//!
//! with C_b where the velocity's equation has it: with joints, in the middle of the step
//!
//! is the momentum after the step, in the frame before it, whatever acts. The centre of mass goes
//! with it, straight or on the parabola of a free fall, and the base takes the velocity for which
//! M_b(q⁺) v⁺ is that momentum.

use super::moving::MovingFrameJoint;
use featherline::joint::JointKind;
use featherline::kernel::elimination_tree;
use featherline::model::{JointId, Model};
use featherline::spatial::{Force, Mat3, Quaternion, Vec3};

/// The most iterations for the rotation of a step; mostly two to four are made.
const ITERATIONS: usize = 40;

/// The change of ω, relative to it, at which they end: some operations of rounding. Where rounding
/// is more, they end when the change is no longer less, and is small.
const ROUNDING: f64 = 4e-16;
const NEARLY: f64 = 1e-10;

/// A longer rotation, in rad, is made in parts: in so many, or in more, up to the most, where the
/// equation of a part has no solution that is found.
const PART: f64 = 0.1;
const PARTS: usize = 16;
const MOST_PARTS: usize = 256;

/// A rotation in rad so short that its square is rounding.
const SHORT: f64 = 1e-8;

/// The part of its energy that the rotation of a pushed tree may gain in a step for the settled
/// velocity to make it: a top gains it in each step again.
const GAIN: f64 = 1e-8;

/// The part beyond which its momentum is given up: about what a rotation of 0.01 rad makes.
const NOTABLE: f64 = 1e-4;

/// The trees of a model whose bases float in the world.
#[derive(Clone, Debug)]
pub(super) struct FloatingTrees {
    trees: Vec<Floating>,
    /// The tree of each joint.
    of_joint: Vec<Option<usize>>,
}

/// A tree whose base floats in the world.
#[derive(Clone, Debug)]
struct Floating {
    base: MovingFrameJoint,
    mass: f64,
    /// Gravity along the axes of the base's input frame.
    gravity: Vec3<f64>,
    /// The base's block of M: where its rows begin.
    block: [usize; 6],
    /// The other coordinates, and where their elements of M with the base's begin.
    coordinates: Vec<(usize, usize)>,
    /// C_b.
    rate: Force<f64>,
    /// h times its change until the middle of the step.
    change: Force<f64>,
    /// Whether something from outside pushed the tree in this step.
    is_pushed: bool,
}

/// The tree as one body, in the frame of its base.
#[derive(Clone, Copy)]
struct Composite {
    mass: f64,
    com: Vec3<f64>,
}

/// A state, with M there.
pub(super) struct At<'a, T> {
    pub q: T,
    pub v: T,
    pub mass: &'a [f64],
}

impl FloatingTrees {
    pub fn new(model: &Model) -> Self {
        let elimination = elimination_tree(model);
        let mut trees: Vec<Floating> = Vec::new();
        let mut of_joint = vec![None; model.joints().len()];
        let mut of_coordinate = vec![None; model.nv()];
        for id in model.joint_ids() {
            let joint = model.joint(id);
            let floats = joint.kind == JointKind::FreeFlyer && joint.mimic.is_none();
            of_joint[id.index()] = of_joint[joint.parent.index()];
            if floats
                && joint.parent == JointId::UNIVERSE
                && let Some(base) = MovingFrameJoint::of(joint)
            {
                let first = base.idx_v;
                of_joint[id.index()] = Some(trees.len());
                of_coordinate[first] = Some(trees.len());
                trees.push(Floating {
                    base,
                    mass: 0.0,
                    gravity: joint.placement.rotation.tr_mul_vec(model.gravity()),
                    block: std::array::from_fn(|row| elimination.tight_place(first + row, first)),
                    coordinates: Vec::new(),
                    rate: Force::zero(),
                    change: Force::zero(),
                    is_pushed: false,
                });
            }
            if let Some(tree) = of_joint[id.index()] {
                trees[tree].mass += joint.inertia.mass;
            }
        }
        for k in 0..model.nv() {
            let Some(parent) = elimination.parents()[k] else {
                continue;
            };
            of_coordinate[k] = of_coordinate[parent];
            if let Some(tree) = of_coordinate[k] {
                let first = trees[tree].base.idx_v;
                if k >= first + 6 {
                    let place = elimination.tight_place(k, first);
                    trees[tree].coordinates.push((k, place));
                }
            }
        }
        Self { trees, of_joint }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// Whether a coordinate is that of a body without joints.
    pub fn is_alone(&self, coordinate: usize) -> bool {
        self.trees.iter().any(|tree| {
            let own = tree.base.idx_v..tree.base.idx_v + 6;
            tree.coordinates.is_empty() && own.contains(&coordinate)
        })
    }

    /// Begins a step of `h` seconds: takes the forces of velocities and of gravity, C + G, of all
    /// coordinates. `momentum` gets what a body without joints gains by its rotation.
    #[inline(always)]
    pub fn begin(&mut self, h: f64, at: &At<'_, &[f64]>, bias: &[f64], momentum: &mut [f64]) {
        for tree in &mut self.trees {
            tree.take_bias(at.q, at.mass, bias);
            if tree.coordinates.is_empty() {
                tree.rotate_freely(h, at, momentum);
            }
        }
    }

    /// Takes the change of h C until the middle of the step, of all coordinates.
    #[inline(always)]
    pub fn take_change(&mut self, change: &[f64]) {
        for tree in &mut self.trees {
            let own = &change[tree.base.idx_v..];
            tree.change = Force {
                linear: Vec3::new(own[0], own[1], own[2]),
                angular: Vec3::new(own[3], own[4], own[5]),
            };
        }
    }

    /// Leaves the forces of velocities out of the tree that begins with a coordinate, if one does.
    pub fn leave_out(&mut self, coordinate: usize) {
        for tree in &mut self.trees {
            if tree.base.idx_v == coordinate {
                tree.rate = Force::zero();
            }
        }
    }

    /// Takes notice that two bodies push each other.
    #[inline(always)]
    pub fn push(&mut self, bodies: [JointId; 2]) {
        let [a, b] = bodies.map(|body| self.of_joint[body.index()]);
        if a != b {
            for tree in [a, b].into_iter().flatten() {
                self.trees[tree].is_pushed = true;
            }
        }
    }

    /// The same of all trees.
    pub fn push_all(&mut self) {
        for tree in &mut self.trees {
            tree.is_pushed = true;
        }
    }

    /// The bases' poses in `after.q` and velocities in `after.v`, after a step of `h` seconds from
    /// `before` in which the velocity became `velocity`, in the frames before it. `after.q` has the
    /// joints' configuration, and the orientations of bases that rotate by that velocity.
    #[inline(always)]
    pub fn carry(
        &self,
        h: f64,
        before: &At<'_, &[f64]>,
        velocity: &[f64],
        after: &mut At<'_, &mut [f64]>,
    ) {
        for tree in &self.trees {
            tree.carry(h, before, velocity, after);
        }
    }
}

impl Floating {
    #[inline(always)]
    fn take_bias(&mut self, q: &[f64], mass: &[f64], bias: &[f64]) {
        let own = &bias[self.base.idx_v..];
        // Gravity is m g at the centre of mass.
        let gravity = self.base.rotation(q).tr_mul_vec(self.gravity);
        self.rate = Force {
            linear: Vec3::new(own[0], own[1], own[2]) + gravity * self.mass,
            angular: Vec3::new(own[3], own[4], own[5]) + self.first_moment(mass).cross(gravity),
        };
        self.is_pushed = false;
    }

    /// Takes I_c (ω − ω*) for h C_b, where ω* is the velocity after the step if nothing pushes a
    /// body without joints, and its centre of mass goes straight. An explicit C_b of a thin body
    /// has up to (h ‖ω‖)² I_max/I_min times its energy.
    #[inline(always)]
    fn rotate_freely(&mut self, h: f64, at: &At<'_, &[f64]>, momentum: &mut [f64]) {
        let omega = self.base.angular(at.v);
        if h * omega.norm() < SHORT {
            return;
        }
        let inertia = self.inertia(at.mass, &self.composite(at.mass));
        let body = Rotating {
            inertia,
            of_joints: Vec3::zero(),
            momentum: inertia.mul_vec(omega),
        };
        let Some(rotation) = body.rotation(h, omega) else {
            return;
        };
        let rate = Force {
            linear: Vec3::zero(),
            angular: (body.momentum - rotation.conjugate().rotate(body.momentum)) * h.recip(),
        };
        let change = (self.rate - rate) * h;
        let own = momentum[self.base.idx_v..].iter_mut();
        for (own, change) in own.zip(change.to_array()) {
            *own += change;
        }
        self.rate = rate;
    }

    /// m c, from the part −[m c]× of M.
    #[inline(always)]
    fn first_moment(&self, mass: &[f64]) -> Vec3<f64> {
        let [_, _, _, about_x, about_y, _] = self.block;
        Vec3::new(-mass[about_y + 2], mass[about_x + 2], -mass[about_x + 1])
    }

    #[inline(always)]
    fn composite(&self, mass: &[f64]) -> Composite {
        let total = mass[self.block[0]];
        let com = self.first_moment(mass) * total.recip();
        Composite { mass: total, com }
    }

    /// I_c, by its rows.
    #[inline(always)]
    fn inertia(&self, mass: &[f64], composite: &Composite) -> Mat3<f64> {
        let [.., x, y, z] = self.block;
        let rows = [
            Vec3::new(mass[x + 3], mass[y + 3], mass[z + 3]),
            Vec3::new(mass[y + 3], mass[y + 4], mass[z + 4]),
            Vec3::new(mass[z + 3], mass[z + 4], mass[z + 5]),
        ];
        // I_c = I + m [c]× [c]×
        let Composite { mass, com } = *composite;
        let skew = Mat3::skew(com);
        let square = skew.mul_mat(&skew);
        Mat3::from_columns(
            rows[0] + square.x * mass,
            rows[1] + square.y * mass,
            rows[2] + square.z * mass,
        )
    }

    /// The joints' part of M_b v.
    #[inline(always)]
    fn momentum_of_joints(&self, mass: &[f64], v: &[f64]) -> Force<f64> {
        let mut sum = [0.0; 6];
        for &(k, place) in &self.coordinates {
            for (sum, element) in sum.iter_mut().zip(&mass[place..place + 6]) {
                *sum = element.mul_add(v[k], *sum);
            }
        }
        Force::from_array(sum)
    }

    /// M_b v
    #[inline(always)]
    fn momentum(&self, mass: &[f64], v: &[f64]) -> Force<f64> {
        let own = &v[self.base.idx_v..self.base.idx_v + 6];
        let mut sum = [0.0; 6];
        for (row, &place) in self.block.iter().enumerate() {
            for column in 0..row {
                let element = mass[place + column];
                sum[row] = element.mul_add(own[column], sum[row]);
                sum[column] = element.mul_add(own[row], sum[column]);
            }
            sum[row] = mass[place + row].mul_add(own[row], sum[row]);
        }
        Force::from_array(sum) + self.momentum_of_joints(mass, v)
    }

    #[inline(always)]
    fn carry(
        &self,
        h: f64,
        before: &At<'_, &[f64]>,
        velocity: &[f64],
        after: &mut At<'_, &mut [f64]>,
    ) {
        // After the step, along the axes of the base before it; about the centre of mass.
        let momentum = self.momentum(before.mass, velocity) + self.rate * h + self.change;
        let com = self.composite(before.mass).com;
        let spin = momentum.angular - com.cross(momentum.linear);
        let end = self.composite(after.mass);
        let joints = self.momentum_of_joints(after.mass, velocity);
        let of_joints = joints.angular - end.com.cross(joints.linear);
        let inertia = self.inertia(after.mass, &end);
        let inverse = inverse(&inertia);
        // I_c ω = Rᵀ L − L_joints
        let rotating = Rotating {
            inertia,
            of_joints,
            momentum: spin,
        };
        let omega = |rotation: Quaternion<f64>| {
            let carried = rotation.conjugate().rotate(spin);
            inverse.mul_vec(carried - of_joints)
        };
        let first = self.base.orientation(before.q);
        let [begin, settled] = [before.v, velocity].map(|v| self.base.angular(v));
        let mut rotation = first.conjugate() * self.base.orientation(after.q);
        // Whether ω has notably more of the energy ½ ωᵀ I ω + ω · L_joints than the velocity that
        // the contacts have settled: the momentum of a thin body falls on its thin axis, where a
        // step rotates it too far.
        let energy = |omega: Vec3<f64>| omega.dot(inertia.mul_vec(omega) * 0.5 + of_joints);
        let scale = settled.dot(inertia.mul_vec(settled));
        let gains = |omega, part: f64| energy(omega) - energy(settled) > part * scale;
        // Without contact the rotation is that of the midpoint rule. With contact it is that of the
        // settled velocity, unless the step is too long for it.
        let midpoint = if !self.is_pushed {
            rotating.rotation(h, begin)
        } else if gains(omega(rotation), GAIN) {
            rotating.rotation(h, omega(Quaternion::identity()))
        } else {
            None
        };
        if let Some(own) = midpoint {
            rotation = own;
            let last = (first * own).normalised();
            self.base.write_orientation(last, after.q);
        }
        let mut angular = omega(rotation);
        if (self.is_pushed || midpoint.is_none()) && gains(angular, NOTABLE) {
            angular = settled;
        }
        // v of the base: m (v + ω × c) = Rᵀ p − p_joints
        let own = rotation.conjugate().rotate(momentum.linear) - joints.linear;
        let linear = own * end.mass.recip() - angular.cross(end.com);
        self.base.write_linear(linear, after.v);
        self.base.write_angular(angular, after.v);
        // c⁺ = c + h p/m, less h² g/2 of what falls free: so far does it fall in a step.
        let mut way = com + momentum.linear * (h / end.mass) - rotation.rotate(end.com);
        if !self.is_pushed {
            way -= self.base.rotation(before.q).tr_mul_vec(self.gravity) * (0.5 * h * h);
        }
        let way = first.rotate(way).to_array();
        for (k, way) in (self.base.idx_q..).zip(way) {
            after.q[k] = before.q[k] + way;
        }
    }
}

/// A tree that rotates as one body: I_c ω = Rᵀ L − L_joints.
struct Rotating {
    inertia: Mat3<f64>,
    of_joints: Vec3<f64>,
    /// L, along the axes in which the rotation begins.
    momentum: Vec3<f64>,
}

impl Rotating {
    /// The rotation in `h` seconds from a velocity, in parts if need be; none if none is found.
    #[inline(always)]
    fn rotation(&self, h: f64, begin: Vec3<f64>) -> Option<Quaternion<f64>> {
        let turn = h * begin.norm();
        if turn <= PART
            && let Some((rotation, _)) = self.part(h, self.momentum, begin)
        {
            return Some(rotation);
        }
        self.in_parts(h, begin, turn)
    }

    #[cold]
    fn in_parts(&self, h: f64, begin: Vec3<f64>, turn: f64) -> Option<Quaternion<f64>> {
        // A turn that is no number makes two parts, and no solution.
        let mut count = ((turn / PART).ceil() as usize).clamp(2, PARTS);
        while count <= MOST_PARTS {
            let (mut rotation, mut omega) = (Quaternion::identity(), begin);
            let solved = (0..count).all(|_| {
                let momentum = rotation.conjugate().rotate(self.momentum);
                let part = self.part(h / count as f64, momentum, omega);
                part.is_some_and(|(own, end)| {
                    rotation = (rotation * own).normalised();
                    omega = end;
                    true
                })
            });
            if solved {
                return Some(rotation);
            }
            count *= 2;
        }
        None
    }

    /// The rotation by the mean of the angular velocities before and after, in the body's axes of
    /// each, as a Cayley rotation, and the velocity after. That is the implicit midpoint rule,
    /// which keeps the energy of a rigid body (D. Lewis and J. C. Simo, 1994). Newton's method,
    /// with a step that is halved while the residual does not fall.
    #[inline(always)]
    fn part(
        &self,
        h: f64,
        momentum: Vec3<f64>,
        before: Vec3<f64>,
    ) -> Option<(Quaternion<f64>, Vec3<f64>)> {
        let inertia = &self.inertia;
        let (mut after, mut step) = (before, Vec3::zero());
        let (mut last, mut least) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..ITERATIONS {
            // cay(h ω_m) = (a, 1), normalised, with a = h ω_m/2
            let half = (before + after) * (0.25 * h);
            let rotation = Quaternion::from_parts(half, 1.0).normalised();
            let carried = rotation.conjugate().rotate(momentum);
            let left = inertia.mul_vec(after) - (carried - self.of_joints);
            let size = left.norm();
            if size > least && last > NEARLY {
                step = step * 0.5;
                after += step;
                continue;
            }
            least = size;
            // δ(Rᵀ L) = Rᵀ L × δφ, with δφ = 2/(1 + a²) (δa − a × δa) and δa = h δω/4
            let skew = Mat3::skew(carried * (0.5 * h / (1.0 + half.dot(half))));
            let turned = skew.mul_mat(&Mat3::skew(half));
            let column = |i: Vec3<f64>, s: Vec3<f64>, t: Vec3<f64>| i - s + t;
            let slope = Mat3::from_columns(
                column(inertia.x, skew.x, turned.x),
                column(inertia.y, skew.y, turned.y),
                column(inertia.z, skew.z, turned.z),
            );
            step = inverse(&slope).mul_vec(left);
            after -= step;
            let change = step.norm() / after.norm();
            if step == Vec3::zero() || change <= ROUNDING || (change >= last && last <= NEARLY) {
                return Some((rotation, after));
            }
            last = change;
        }
        None
    }
}

/// The columns of the inverse of (a, b, c) are the rows of b × c, c × a, a × b over a · (b × c).
#[inline(always)]
fn inverse(matrix: &Mat3<f64>) -> Mat3<f64> {
    let Mat3 { x: a, y: b, z: c } = *matrix;
    let scale = a.dot(b.cross(c)).recip();
    Mat3::from_columns(b.cross(c) * scale, c.cross(a) * scale, a.cross(b) * scale).transpose()
}
