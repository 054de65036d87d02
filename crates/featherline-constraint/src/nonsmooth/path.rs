//! The central path: a primal-dual interior point method for the exact law.
//!
//! In the scale of its cone, the impulses of a contact and its velocities are
//!
//! ```text
//! z = (λ_n, λ_t/μ),   y = (u_n + R λ_n + μ‖u_t‖, μ u_t),   λ = Tᵀ z,   T u = (u_n, μ u_t)
//! ```
//!
//! The exact law is y, z ∈ L, y ∘ z = 0: both in the Lorentz cone, Jordan's product zero. Points
//! with y ∘ z = ε e₀ are a path that leads to it from afar. μ‖u_t‖ of G. De Saxcé is in the
//! residual and, by its derivative A = 1 + e₀ ∇(μ‖u_t‖)ᵀ, in the matrix: the law is the exact one
//! throughout, and one matrix is factorised for a step of all unknowns,
//!
//! ```text
//! r_p = y − y(u),   W z = W⁻¹ y = l,   S = (W² + R e₀e₀ᵀ)⁻¹,   t = W⁻¹ (l \ r_c)
//! δ₀ = t − S (R t₀ e₀ − r_p),   dz = δ₀ − S A T J dv,   dy = A T J dv + R dz₀ e₀ − r_p
//! (M̂ + Jᵀ Tᵀ S A T J) dv = Jᵀ Tᵀ (z + δ₀) − M̂ (v − v*)
//! ```
//!
//! r_c asks for y ∘ z: zero first, which shows how far it leads, then a part of what it is
//! (predictor and corrector: S. Mehrotra, "On the implementation of a primal-dual interior point
//! method", SIAM Journal on Optimization 2, 1992). Scalars that are not negative are the same with
//! one row. An interval |λ| ≤ f has two of them, λ + f and f − λ, each with a velocity; an equality
//! has no y, but a proximal term.

use super::cone::{Point, Scaling, determinant, dot, longest, product, quotient};
use super::laws::{Problem, State, velocity};
use super::rows::{Block, Law};
use super::set::norm;
use super::{FrictionLaw, Set};
use featherline::kernel;

/// The least and the greatest part of the way to a face that a step goes.
const MOST_OF_THE_WAY: f64 = 0.99;
const NEARLY_ALL: f64 = 0.99999;

/// The factor c of an equality's proximal term w/c.
const EQUALITY_PENALTY: f64 = 1e6;

/// The tangential speed below which friction has no direction.
const NO_DIRECTION: f64 = 1e-14;

/// How a block follows the path.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    /// A cone of friction μ.
    Cone(f64),
    /// A number that is not negative: this row of the block.
    HalfLine(usize),
    /// |λ| ≤ f
    Interval(f64),
    /// Any number.
    Equality,
    /// λ = 0
    #[default]
    Nothing,
}

impl Kind {
    #[inline(always)]
    fn of(set: &Set) -> Self {
        match *set {
            Set::Cone { friction } if friction > 0.0 => Self::Cone(friction),
            Set::Cone { .. } => Self::HalfLine(2),
            Set::NonNegative => Self::HalfLine(0),
            Set::Interval { bound } if bound == f64::INFINITY => Self::Equality,
            Set::Interval { bound } if bound > 0.0 => Self::Interval(bound),
            Set::Interval { .. } => Self::Nothing,
            Set::Equality => Self::Equality,
        }
    }
}

/// A block on the path. Of a cone y and z are points; of a half line their first entries are used.
/// Of an interval y has the velocities at its two ends, z has λ, λ + f and f − λ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OnPath {
    kind: Kind,
    y: Point,
    z: Point,
    /// R
    compliance: f64,
    /// r_p, or for an interval and an equality −u − R λ with what is left of y.
    open: Point,
    /// ∇‖û_t‖, the row that A adds.
    slope: [f64; 2],
    scaling: Scaling,
    /// l
    middle: Point,
    /// S
    stiffness: [Point; 3],
    /// t, or r_c of an interval's ends.
    asked: Point,
    /// δ₀ in the cone's scale.
    change: Point,
    dy: Point,
    dz: Point,
}

impl OnPath {
    /// The point with y ∘ z = `product`, of y − w z for the velocity u and the impulse λ.
    #[inline(always)]
    fn begin(
        law: &Law,
        is_live: bool,
        u: [f64; 3],
        lambda: [f64; 3],
        w: f64,
        product: f64,
    ) -> Self {
        let kind = Kind::of(&law.set);
        let (mut y, mut z) = ([0.0; 3], [0.0; 3]);
        match kind {
            Kind::Cone(mu) => {
                let (first, second) = (mu * u[0], mu * u[1]);
                let lift = if is_live { norm(first, second) } else { 0.0 };
                let axis = (law.compliance - w).mul_add(lambda[2], u[2] + lift);
                let first = (-w).mul_add(lambda[0] / mu, first);
                let second = (-w).mul_add(lambda[1] / mu, second);
                let radius = norm(first, second);
                let inverse = radius.max(f64::MIN_POSITIVE).recip();
                let way = [first * inverse, second * inverse];
                let high = on_the_path(axis + radius, w, product);
                let low = on_the_path(axis - radius, w, product);
                for (point, [high, low]) in [
                    (&mut y, [high, low]),
                    (&mut z, [high, low].map(|y| product / y)),
                ] {
                    let half = 0.5 * (high - low);
                    *point = [0.5 * (high + low), half * way[0], half * way[1]];
                }
            }
            Kind::HalfLine(row) => {
                let axis = (law.compliance - w).mul_add(lambda[row], u[row]);
                y[0] = on_the_path(axis, w, product);
                z[0] = product / y[0];
            }
            Kind::Interval(bound) => {
                // The end that it leans to is a half line, and the other one far.
                let axis = (law.compliance - w).mul_add(lambda[0], u[0]);
                let near = on_the_path((-w).mul_add(bound, axis.abs()), w, product);
                let room = (product / near).min(bound);
                z[0] = (bound - room).copysign(-axis);
                // Kept apart: differences have no digits at the ends.
                let far = 2.0f64.mul_add(bound, -room);
                [z[1], z[2]] = if axis > 0.0 { [room, far] } else { [far, room] };
                y = [product / z[1], product / z[2], 0.0];
            }
            Kind::Equality => z[0] = lambda[0],
            Kind::Nothing => {}
        }
        Self {
            kind,
            y,
            z,
            compliance: law.compliance,
            ..Self::default()
        }
    }

    /// The sum of the products y z, and of how many.
    #[inline(always)]
    fn gap(&self) -> (f64, f64) {
        match self.kind {
            Kind::Cone(_) => (dot(self.y, self.z), 1.0),
            Kind::HalfLine(_) => (self.y[0] * self.z[0], 1.0),
            Kind::Interval(_) => (self.y[0].mul_add(self.z[1], self.y[1] * self.z[2]), 2.0),
            Kind::Equality | Kind::Nothing => (0.0, 0.0),
        }
    }

    /// r_p, W and S at the velocity u, and t of the predictor.
    #[inline(always)]
    fn linearise(&mut self, is_live: bool, u: [f64; 3], w: f64) {
        let compliance = self.compliance;
        match self.kind {
            Kind::Cone(mu) => {
                let own = [mu * u[0], mu * u[1]];
                let radius = norm(own[0], own[1]);
                let mut axis = compliance.mul_add(self.z[0], u[2]);
                self.slope = [0.0; 2];
                if is_live {
                    axis += radius;
                    if radius > NO_DIRECTION {
                        self.slope = [own[0] / radius, own[1] / radius];
                    }
                }
                self.open = [self.y[0] - axis, self.y[1] - own[0], self.y[2] - own[1]];
                self.scaling = Scaling::new(self.y, self.z);
                self.middle = self.scaling.apply(self.z);
                let mut stiffness = self.scaling.inverse_square();
                if compliance > 0.0 {
                    // (W² + R e₀e₀ᵀ)⁻¹ by Sherman and Morrison
                    let column = stiffness.map(|row| row[0]);
                    let factor = compliance / compliance.mul_add(column[0], 1.0);
                    for (row, left) in stiffness.iter_mut().zip(column) {
                        for (entry, right) in row.iter_mut().zip(column) {
                            *entry -= factor * left * right;
                        }
                    }
                }
                self.stiffness = stiffness;
                self.asked = self.z.map(|z| -z);
            }
            Kind::HalfLine(row) => {
                self.open[0] = self.y[0] - compliance.mul_add(self.z[0], u[row]);
                self.stiffness[0][0] = (self.y[0] / self.z[0] + compliance).recip();
                self.asked[0] = -self.z[0];
            }
            Kind::Interval(_) => {
                let ends = self.y[0] / self.z[1] + self.y[1] / self.z[2];
                self.open[0] = self.y[0] - self.y[1] - compliance.mul_add(self.z[0], u[0]);
                self.stiffness[0][0] = (ends + compliance).recip();
                self.asked = [-self.y[0] * self.z[1], -self.y[1] * self.z[2], 0.0];
            }
            Kind::Equality => {
                self.open[0] = -compliance.mul_add(self.z[0], u[0]);
                self.stiffness[0][0] = (w / EQUALITY_PENALTY + compliance).recip();
            }
            Kind::Nothing => {}
        }
    }

    /// t of the corrector: what y ∘ z is to be, and the predictor's product as far as it went.
    #[inline(always)]
    fn correct(&mut self, second: f64, centre: f64) {
        match self.kind {
            Kind::Cone(_) => {
                let l = self.middle;
                let own = product(l, l);
                let next = product(self.scaling.invert(self.dy), self.scaling.apply(self.dz));
                let mut asked: Point = std::array::from_fn(|k| -own[k] - second * next[k]);
                asked[0] += centre;
                self.asked = self.scaling.invert(quotient(asked, l));
            }
            Kind::HalfLine(_) => {
                let next = second * self.dy[0] * self.dz[0];
                self.asked[0] = (centre - next) / self.y[0] - self.z[0];
            }
            Kind::Interval(_) => {
                for (end, side) in [(0, 1.0), (1, -1.0)] {
                    let next = second * side * self.dy[end] * self.dz[0];
                    self.asked[end] = centre - next - self.y[end] * self.z[1 + end];
                }
            }
            Kind::Equality | Kind::Nothing => {}
        }
    }

    #[inline(always)]
    fn find_change(&self) -> Point {
        let stiffness = &self.stiffness;
        match self.kind {
            Kind::Cone(_) => {
                let mut left = self.open.map(|open| -open);
                left[0] += self.compliance * self.asked[0];
                std::array::from_fn(|k| self.asked[k] - dot(stiffness[k], left))
            }
            Kind::HalfLine(_) => {
                let left = self.compliance.mul_add(self.asked[0], -self.open[0]);
                [(-stiffness[0][0]).mul_add(left, self.asked[0]), 0.0, 0.0]
            }
            Kind::Interval(_) => {
                let ends = self.asked[0] / self.z[1] - self.asked[1] / self.z[2];
                [stiffness[0][0] * (ends + self.open[0]), 0.0, 0.0]
            }
            Kind::Equality => [stiffness[0][0] * self.open[0], 0.0, 0.0],
            Kind::Nothing => [0.0; 3],
        }
    }

    /// Tᵀ z, of this block's rows.
    #[inline(always)]
    fn impulse(&self, z: Point) -> [f64; 3] {
        match self.kind {
            Kind::Cone(mu) => [mu * z[1], mu * z[2], z[0]],
            Kind::HalfLine(2) => [0.0, 0.0, z[0]],
            Kind::HalfLine(_) | Kind::Interval(_) | Kind::Equality => [z[0], 0.0, 0.0],
            Kind::Nothing => [0.0; 3],
        }
    }

    /// λ
    #[inline(always)]
    fn own_impulse(&self) -> [f64; 3] {
        self.impulse(self.z)
    }

    /// λ + Tᵀ δ₀
    #[inline(always)]
    fn impulse_asked(&mut self) -> [f64; 3] {
        self.change = self.find_change();
        let (z, change) = (self.z, self.change);
        self.impulse([z[0] + change[0], z[1] + change[1], z[2] + change[2]])
    }

    /// Tᵀ S A T
    #[inline(always)]
    fn weight(&self) -> [[f64; 3]; 3] {
        let mut weight = [[0.0; 3]; 3];
        match self.kind {
            Kind::Cone(mu) => {
                let mut scaled = self.stiffness;
                for row in &mut scaled {
                    row[1] = self.slope[0].mul_add(row[0], row[1]);
                    row[2] = self.slope[1].mul_add(row[0], row[2]);
                }
                // The block's rows are the tangents, then the normal.
                for (r, from) in [1, 2, 0].into_iter().enumerate() {
                    for (c, entry) in [1, 2, 0].into_iter().enumerate() {
                        let row = if from == 0 { 1.0 } else { mu };
                        let column = if entry == 0 { 1.0 } else { mu };
                        weight[r][c] = row * column * scaled[from][entry];
                    }
                }
            }
            Kind::HalfLine(row) => weight[row][row] = self.stiffness[0][0],
            Kind::Interval(_) | Kind::Equality => weight[0][0] = self.stiffness[0][0],
            Kind::Nothing => {}
        }
        weight
    }

    /// dy and dz for the change du of the velocity.
    #[inline(always)]
    fn follow(&mut self, du: [f64; 3]) {
        let change = self.change;
        match self.kind {
            Kind::Cone(mu) => {
                let (first, second) = (mu * du[0], mu * du[1]);
                let lift = self.slope[0].mul_add(first, self.slope[1] * second);
                let moved = [du[2] + lift, first, second];
                for k in 0..3 {
                    self.dz[k] = change[k] - dot(self.stiffness[k], moved);
                }
                for k in 0..3 {
                    self.dy[k] = moved[k] - self.open[k];
                }
                self.dy[0] += self.compliance * self.dz[0];
            }
            Kind::HalfLine(row) => {
                self.dz[0] = (-self.stiffness[0][0]).mul_add(du[row], change[0]);
                self.dy[0] = self.compliance.mul_add(self.dz[0], du[row] - self.open[0]);
            }
            Kind::Interval(_) => {
                let own = (-self.stiffness[0][0]).mul_add(du[0], change[0]);
                self.dz = [own, own, -own];
                for end in 0..2 {
                    let (y, z) = (self.y[end], self.z[1 + end]);
                    self.dy[end] = (self.asked[end] - y * self.dz[1 + end]) / z;
                }
            }
            Kind::Equality => {
                self.dz[0] = (-self.stiffness[0][0]).mul_add(du[0], change[0]);
            }
            Kind::Nothing => {}
        }
    }

    /// The longest part of the step within the cone.
    #[inline(always)]
    fn longest(&self) -> f64 {
        let until = |x: f64, d: f64| if d < 0.0 { -x / d } else { f64::INFINITY };
        let (y, z, dy, dz) = (self.y, self.z, self.dy, self.dz);
        match self.kind {
            Kind::Cone(_) => longest(y, dy).min(longest(z, dz)),
            Kind::HalfLine(_) => until(y[0], dy[0]).min(until(z[0], dz[0])),
            Kind::Interval(_) => {
                let ends = [0, 1].map(|k| until(y[k], dy[k]).min(until(z[1 + k], dz[1 + k])));
                ends[0].min(ends[1])
            }
            Kind::Equality | Kind::Nothing => f64::INFINITY,
        }
    }

    #[inline(always)]
    fn advance(&mut self, length: f64) {
        for k in 0..3 {
            self.y[k] = self.dy[k].mul_add(length, self.y[k]);
            self.z[k] = self.dz[k].mul_add(length, self.z[k]);
        }
    }

    /// Whether it is a point of the path that can be gone on from.
    #[inline(always)]
    fn is_inside(&self) -> bool {
        let is_in = |x: Point| x[0] > 0.0 && determinant(x) > f64::MIN_POSITIVE;
        match self.kind {
            Kind::Cone(_) => is_in(self.y) && is_in(self.z),
            Kind::HalfLine(_) => self.y[0] > 0.0 && self.z[0] > 0.0,
            Kind::Interval(_) => {
                self.y[0] > 0.0 && self.y[1] > 0.0 && self.z[1] > 0.0 && self.z[2] > 0.0
            }
            Kind::Equality | Kind::Nothing => self.z[0].is_finite(),
        }
    }
}

/// The derivative of the velocities by the readings: X dz of a block.
#[inline(always)]
fn moved(block: &Block, step: &[[f64; 6]]) -> [f64; 3] {
    block.velocity(&step[block.reading])
}

kernel!(
    /// The largest velocity of the rows of an island, tangents times μ.
    pub(super) fn largest_velocity(state: &mut State, problem: &Problem<'_>) -> f64 {
        let mut most: f64 = 0.0;
        for &i in state.response.islands.parts(problem.island).blocks {
            let block = &problem.rows.blocks[i];
            let u = velocity(block, &state.readings.z);
            let own = match Kind::of(&block.law.set) {
                Kind::Cone(mu) => u[2].abs().max(mu * norm(u[0], u[1])),
                Kind::HalfLine(row) => u[row].abs(),
                Kind::Interval(_) | Kind::Equality => u[0].abs(),
                Kind::Nothing => 0.0,
            };
            most = most.max(own);
        }
        most
    }
);

kernel!(
    /// Begins the path at the velocity as it is, about ε from the faces.
    ///
    /// All products y ∘ z are the same, ε²/w with the geometric mean of all w: where they differ,
    /// as for contacts of feet and of gears with the inertia of their rotors, no step is long.
    pub(super) fn begin_path(state: &mut State, problem: &Problem<'_>, epsilon: f64) {
        let is_live = problem.law == FrictionLaw::Exact;
        let blocks = &mut state.blocks;
        let part = state.response.islands.parts(problem.island);
        let mut logarithms = 0.0;
        for &i in part.blocks {
            logarithms += blocks.response[i].ln();
        }
        let mean = (logarithms / part.blocks.len() as f64).exp();
        let product = epsilon * epsilon / mean;
        for &i in part.blocks {
            let block = &problem.rows.blocks[i];
            let u = velocity(block, &state.readings.z);
            let (best, w) = (blocks.best[i], blocks.response[i]);
            blocks.path[i] = OnPath::begin(&block.law, is_live, u, best, w, product);
        }
    }
);

/// The y > 0 with y z = `product` and y − w z = d.
#[inline(always)]
fn on_the_path(d: f64, w: f64, product: f64) -> f64 {
    let root = norm(d, 2.0 * (w * product).sqrt());
    if d > 0.0 {
        0.5 * (d + root)
    } else {
        2.0 * w * product / (root - d)
    }
}

/// A step along the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathStep {
    /// The part of it that was gone.
    pub length: f64,
    /// How far from the faces it ended: the largest √(w y z), in m/s.
    pub distance: f64,
}

kernel!(
    /// One step along the path, or nothing if there was none.
    pub(super) fn follow_path(state: &mut State, problem: &Problem<'_>) -> Option<PathStep> {
        let mean = linearise(state, problem)?;
        let State {
            response,
            readings,
            blocks,
            ..
        } = state;
        let place = problem.place();
        let is_symmetric = problem.law == FrictionLaw::Convex;
        response.set_residual(place, &readings.impulses);
        if !response.newton(place, &readings.weights, is_symmetric) {
            return None;
        }
        response.read_step(place, &mut readings.step);
        let part = response.islands.parts(problem.island);
        let mut length: f64 = 1.0;
        for &i in part.blocks {
            let own = &mut blocks.path[i];
            own.follow(moved(&problem.rows.blocks[i], &readings.step));
            length = length.min(own.longest());
        }
        let left = 1.0 - length;
        let centre = (left * left * left).max(1e-10) * mean;
        for &index in part.readings {
            readings.impulses[index] = [0.0; 6];
        }
        for &i in part.blocks {
            let (block, own) = (&problem.rows.blocks[i], &mut blocks.path[i]);
            own.correct(length * length, centre);
            let asked = own.impulse_asked();
            block.add_transposed(1.0, asked, &mut readings.impulses[block.reading]);
        }
        response.set_residual(place, &readings.impulses);
        response.newton_again(place, &readings.weights);
        response.read_step(place, &mut readings.step);
        let part = response.islands.parts(problem.island);
        let mut longest = f64::INFINITY;
        for &i in part.blocks {
            let own = &mut blocks.path[i];
            own.follow(moved(&problem.rows.blocks[i], &readings.step));
            longest = longest.min(own.longest());
        }
        let part_of_way = (1.0 - left).clamp(MOST_OF_THE_WAY, NEARLY_ALL);
        let length = (part_of_way * longest).min(1.0);
        let mut is_inside = length > 0.0;
        let mut distance = 0.0_f64;
        for &i in part.blocks {
            blocks.path[i].advance(length);
            is_inside &= blocks.path[i].is_inside();
            distance = distance.max(blocks.path[i].gap().0 * blocks.response[i]);
        }
        if !is_inside {
            return None;
        }
        response.move_along(place, length, &mut readings.z);
        let distance = distance.sqrt();
        Some(PathStep { length, distance })
    }
);

/// Linearises all blocks: their weights, and the impulses of the predictor. The mean of y z.
#[inline(always)]
fn linearise(state: &mut State, problem: &Problem<'_>) -> Option<f64> {
    let State {
        response,
        readings,
        blocks,
        ..
    } = state;
    let part = response.islands.parts(problem.island);
    for &index in part.readings {
        readings.weights[index] = [[0.0; 6]; 6];
        readings.impulses[index] = [0.0; 6];
    }
    let is_live = problem.law == FrictionLaw::Exact;
    let (mut gap, mut count) = (0.0, 0.0);
    for &i in part.blocks {
        let (block, own) = (&problem.rows.blocks[i], &mut blocks.path[i]);
        let (products, of) = own.gap();
        gap += products;
        count += of;
        own.linearise(is_live, velocity(block, &readings.z), blocks.response[i]);
        let asked = own.impulse_asked();
        block.add_transposed(1.0, asked, &mut readings.impulses[block.reading]);
        block.add_weight(&own.weight(), &mut readings.weights[block.reading]);
    }
    let mean = if count > 0.0 { gap / count } else { 0.0 };
    mean.is_finite().then_some(mean)
}

kernel!(
    /// The multipliers of the path's point: its impulses, projected.
    pub(super) fn take_impulses(state: &mut State, problem: &Problem<'_>) {
        let blocks = &mut state.blocks;
        for &i in state.response.islands.parts(problem.island).blocks {
            let set = &problem.rows.blocks[i].law.set;
            blocks.multipliers[i] = set.project(blocks.path[i].own_impulse());
        }
    }
);
