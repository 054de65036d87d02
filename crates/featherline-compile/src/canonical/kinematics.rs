//! Where joints stand and how bodies move, in canonical frames.
//!
//! Of a body's motion only its angular velocity ω, its angular acceleration α and the acceleration
//! a of its origin are needed. Points at r from the origin accelerate by a + U r, U = α× + ω× ω×,
//! whose elements serve forces, moments and the way to the children alike (Balafoutis and Patel
//! 1989; Khalil and Kleinfinger 1987).

use super::elementary::{Angle, Displacement, Mobility};
use super::frames::{Body, Edge};
use super::transformation::{Axis, Carried, Turn, Wrench, constants, sum};
use featherline::scalar::Scalar;
use featherline::spatial::{Quaternion, Vec3};

/// The moving part of an edge: what the joint's displacement makes of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pose<S> {
    /// The rotation about the joint's axis, the constant part included.
    pub turn: Turn<S>,
    /// The translation along it, the constant part included.
    pub along: S,
}

fn turn<S: Scalar>(angle: &Angle, edge: &Edge, q: &[S]) -> Turn<S> {
    let theta = &edge.theta;
    let is_quarter = theta.sin == 0.0 || theta.cos == 0.0;
    let (cos, sin) = match *angle {
        Angle::Displacement(displacement) if !is_quarter => {
            let (sin, cos) = displaced(&displacement, edge.theta_angle, q).sin_cos();
            return Turn::by_variables(cos, sin);
        }
        Angle::Displacement(displacement) => {
            let (sin, cos) = displaced(&displacement, 0.0, q).sin_cos();
            (cos, sin)
        }
        Angle::CosSin { index } => {
            let (x, y) = (q[index], q[index + 1]);
            let squared = x * x + y * y;
            let scale = squared.sqrt() / squared;
            (x * scale, y * scale)
        }
    };
    // By quarters of a turn, this costs nothing.
    let [cos, sin, _] = theta.constant::<S>().out(Axis::Z, [cos, sin, S::zero()]);
    Turn::by_variables(cos, sin)
}

/// A displacement and a constant.
fn displaced<S: Scalar>(displacement: &Displacement, more: f64, q: &[S]) -> S {
    S::constant(displacement.ratio) * q[displacement.index]
        + S::constant(displacement.offset + more)
}

/// The poses of all bodies. That of a free body is its parent's: see [`up_in_free_body`].
pub(super) fn poses<S: Scalar>(bodies: &[Body], q: &[S]) -> Vec<Pose<S>> {
    let pose = |body: &Body| match &body.mobility {
        Mobility::None | Mobility::Free { .. } => Pose {
            turn: Turn::NONE.constant(),
            along: S::zero(),
        },
        Mobility::Revolute(_, angle) => Pose {
            turn: turn(angle, &body.edge, q),
            along: S::constant(body.edge.d),
        },
        Mobility::Prismatic(_, displacement) => Pose {
            turn: body.edge.theta.constant(),
            along: displaced(displacement, body.edge.d, q),
        },
    };
    bodies.iter().map(pose).collect()
}

/// A vector that is constant in the universe, in the coordinates of a body that moves freely; `q`
/// is the body's quaternion of any length.
///
/// Along z only the third row of the rotation is needed, and no root: with n = |q|², the row times
/// n is (2(xz − yw), 2(yz + xw), z² + w² − x² − y²).
pub(super) fn up_in_free_body<S: Scalar>(up: [f64; 3], q: &[S]) -> [S; 3] {
    let (x, y, z, w) = (q[0], q[1], q[2], q[3]);
    if up[0] != 0.0 || up[1] != 0.0 {
        let rotation = Quaternion::new(x, y, z, w).normalised().to_rotation();
        let [x, y, z] = up.map(S::constant);
        return rotation.tr_mul_vec(Vec3::new(x, y, z)).to_array();
    }
    if up[2] == 0.0 {
        return [S::zero(); 3];
    }
    let (low, high) = (x * x + y * y, z * z + w * w);
    let factor = S::constant(up[2]) / (low + high);
    let twice = factor + factor;
    [
        twice * (x * z - y * w),
        twice * (y * z + x * w),
        factor * (high - low),
    ]
}

/// How a body moves, in its own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving<S> {
    /// Angular velocity ω.
    pub turning: [S; 3],
    /// Angular acceleration α.
    pub spinning_up: [S; 3],
    /// Acceleration of the origin, less gravity.
    pub acceleration: [S; 3],
}

impl<S: Scalar> Moving<S> {
    /// At rest, but for gravity.
    pub fn at_rest(up: [f64; 3]) -> Self {
        Self {
            turning: [S::zero(); 3],
            spinning_up: [S::zero(); 3],
            acceleration: constants(up),
        }
    }

    /// The motion of a free body from its coordinates' rates and accelerations, and the
    /// acceleration `up` that replaces gravity.
    pub fn free(rates: &[S], accelerations: [S; 6], up: [S; 3]) -> Self {
        let turning = [rates[3], rates[4], rates[5]];
        let carried = super::transformation::cross(turning, [rates[0], rates[1], rates[2]]);
        let [x, y, z, a, b, c] = accelerations;
        Self {
            turning,
            spinning_up: [a, b, c],
            acceleration: sum(sum([x, y, z], carried), up),
        }
    }

    /// Products of components of the angular velocity.
    fn product(&self, i: usize, j: usize) -> S {
        self.turning[i.min(j)] * self.turning[i.max(j)]
    }

    /// Elements of U = α× + ω× ω×.
    pub fn u(&self, i: usize, j: usize) -> S {
        if i == j {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            return -(self.product(k.min(l), k.min(l)) + self.product(k.max(l), k.max(l)));
        }
        let spin = self.spinning_up[3 - i - j];
        let product = self.product(i, j);
        // Row 1 of column 0, and cyclically.
        if (j + 1) % 3 == i {
            product + spin
        } else {
            product - spin
        }
    }

    /// `U r`.
    pub fn u_times(&self, r: [S; 3]) -> [S; 3] {
        std::array::from_fn(|i| self.u(i, 0) * r[0] + self.u(i, 1) * r[1] + self.u(i, 2) * r[2])
    }

    /// The motion of the next body, whose coordinate has rate `v` and acceleration `a`.
    pub fn carried(&self, body: &Body, pose: &Pose<S>, v: S, a: S) -> Self {
        let edge = &body.edge;
        let to_axis = sum(self.acceleration, self.u_times(constants(edge.p)));
        let [turning, spinning_up, acceleration] =
            [self.turning, self.spinning_up, to_axis].map(|x| into(edge, pose, x));
        let twist = [turning[1] * v, -(turning[0] * v)];
        let mut here = Self {
            turning,
            spinning_up,
            acceleration,
        };
        match body.mobility {
            Mobility::Revolute(..) => {
                here.turning[2] += v;
                here.spinning_up = sum(spinning_up, [twist[0], twist[1], a]);
            }
            Mobility::None | Mobility::Free { .. } | Mobility::Prismatic(..) => {
                let twice = v + v;
                let coriolis = [turning[1] * twice, -(turning[0] * twice), a];
                here.acceleration = sum(acceleration, coriolis);
            }
        }
        let way = [S::zero(), S::zero(), pose.along];
        here.acceleration = sum(here.acceleration, here.u_times(way));
        here
    }

    /// Force and moment about the origin that the body needs to move so.
    ///
    /// With second moments E = ∫ r rᵀ dm, the moment is that of U E: components of ∫ r × U r dm.
    pub fn wrench(&self, body: &Body) -> Wrench<S> {
        let parameters = &body.parameters;
        let first: [S; 3] = constants(parameters.first);
        let mass = S::constant(parameters.mass);
        let pushed = self.acceleration.map(|x| mass * x);
        let [xx, xy, xz, yy, yz, zz] = parameters.second;
        let [x, y, z] = self.spinning_up;
        let c = S::constant;
        let (sx, sy, sz) = (self.product(0, 0), self.product(1, 1), self.product(2, 2));
        let moment = [
            diagonal(yy, zz, x, self.product(1, 2)) + c(xy) * self.u(2, 0) + c(yz) * (sz - sy)
                - c(xz) * self.u(1, 0),
            diagonal(zz, xx, y, self.product(0, 2)) + c(yz) * self.u(0, 1) + c(xz) * (sx - sz)
                - c(xy) * self.u(2, 1),
            diagonal(xx, yy, z, self.product(0, 1)) + c(xz) * self.u(1, 2) + c(xy) * (sy - sx)
                - c(yz) * self.u(0, 2),
        ];
        Wrench {
            force: sum(pushed, self.u_times(first)),
            moment: sum(
                moment,
                super::transformation::cross(first, self.acceleration),
            ),
        }
    }
}

/// `a` (α + ωω) + `b` (α − ωω), the moment of two diagonal second moments.
fn diagonal<S: Scalar>(a: f64, b: f64, spin: S, product: S) -> S {
    if b == 0.0 {
        S::constant(a) * (spin + product)
    } else if a == 0.0 {
        S::constant(b) * (spin - product)
    } else {
        S::constant(a + b) * spin + S::constant(a - b) * product
    }
}

/// A vector of the parent in coordinates of the body.
pub(super) fn into<S: Scalar>(edge: &Edge, pose: &Pose<S>, v: [S; 3]) -> [S; 3] {
    let v = edge.gamma.constant::<S>().back(Axis::Z, v);
    let v = edge.alpha.constant::<S>().back(Axis::X, v);
    pose.turn.back(Axis::Z, v)
}

/// A quantity of a body, in its parent's frame.
pub(super) fn to_parent<S: Scalar, T: Carried<S>>(edge: &Edge, pose: &Pose<S>, own: &T) -> T {
    own.moved([S::zero(), S::zero(), pose.along])
        .out(&pose.turn, Axis::Z)
        .out(&edge.alpha.constant(), Axis::X)
        .out(&edge.gamma.constant(), Axis::Z)
        .moved(constants(edge.p))
}
