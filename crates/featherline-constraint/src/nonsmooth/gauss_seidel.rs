//! Block Gauss-Seidel: block by block, each law exactly, with the impulses of all others as they
//! are. It goes on where Newton's method stalls, slowly (M. Jean, "The non-smooth contact dynamics
//! method", Computer Methods in Applied Mechanics and Engineering 177, 1999).

use super::Set;
use super::laws::{Problem, State, velocity};
use super::rows::Block;
use super::set::norm;
use featherline::kernel;
use featherline::spatial::Vec3;

/// Directions of slip that are tried, each a sixteenth of a circle after the one before.
const DIRECTIONS: usize = 16;
const TURN: [f64; 2] = [0.923_879_532_511_286_7, 0.382_683_432_365_089_8];

/// The most steps between two of them, and the part of the velocity to which the slip is found.
const POSITIONS: usize = 30;
const SLIP_ERROR: f64 = 1e-12;

kernel!(
    /// Sweeps from the multipliers, which change. Nothing changes where an island is too large.
    pub(super) fn sweep(state: &mut State, problem: &Problem<'_>, sweeps: usize) {
        let State {
            response,
            readings,
            blocks,
            ..
        } = state;
        let (rows, place) = (problem.rows, problem.place());
        let part = response.islands.parts(problem.island);
        for &index in part.readings {
            readings.impulses[index] = [0.0; 6];
        }
        for &i in part.blocks {
            let block = &rows.blocks[i];
            let f = &mut readings.impulses[block.reading];
            block.add_transposed(1.0, blocks.multipliers[i], f);
        }
        if !response.begin_sweeps(place, &readings.impulses) {
            return;
        }
        let count = response.islands.parts(problem.island).blocks.len();
        for _ in 0..sweeps {
            for at in 0..count {
                let i = response.islands.parts(problem.island).blocks[at];
                let block = &rows.blocks[i];
                let own = &blocks.delassus[i];
                let before = blocks.multipliers[i];
                readings.z[block.reading] = response.answers.read(rows, block.reading);
                let next = one_block(block, own, velocity(block, &readings.z), before);
                let change = std::array::from_fn(|k| next[k] - before[k]);
                if change == [0.0; 3] {
                    continue;
                }
                blocks.multipliers[i] = next;
                let mut f = [0.0; 6];
                block.add_transposed(1.0, change, &mut f);
                response.answers.push(block.reading, &f);
            }
        }
    }
);

/// The impulse of a block for which its law holds, if no other changes: `delassus` is X W Xᵀ of its
/// rows, `u` their velocity under the impulse `lambda`.
#[inline(always)]
fn one_block(block: &Block, delassus: &[[f64; 3]; 3], u: [f64; 3], lambda: [f64; 3]) -> [f64; 3] {
    let count = block.law.set.rows();
    let mut matrix = *delassus;
    // u + R λ = A λ + q
    let mut q = u;
    for r in 0..count {
        for c in 0..count {
            q[r] = (-matrix[r][c]).mul_add(lambda[c], q[r]);
        }
        matrix[r][r] += block.law.compliance_of(r);
    }
    match block.law.set {
        Set::Cone { friction } => one_contact(&matrix, q, friction).unwrap_or(lambda),
        set if matrix[0][0] > 0.0 => set.project([-q[0] / matrix[0][0], 0.0, 0.0]),
        Set::Equality | Set::NonNegative | Set::Interval { .. } => lambda,
    }
}

/// A contact alone with the velocity A λ + q: it is open, sticks, or slides along a direction d
/// with λ_t against it (the search for d after J. Hwangbo, J. Lee, M. Hutter, "Per-contact
/// iteration method for solving contact dynamics", IEEE Robotics and Automation Letters 3, 2018).
/// None where no such impulse is found.
#[inline(always)]
fn one_contact(a: &[[f64; 3]; 3], q: [f64; 3], friction: f64) -> Option<[f64; 3]> {
    if q[2] >= 0.0 {
        return Some([0.0; 3]);
    }
    if let Some(stick) = stick(a, q)
        && norm(stick[0], stick[1]) <= friction * stick[2]
    {
        return Some(stick);
    }
    let size = q[0].abs().max(q[1].abs()).max(-q[2]);
    let mut from = Slip::along([1.0, 0.0], a, q, friction);
    for _ in 0..DIRECTIONS {
        let [x, y] = from.direction;
        let turned = [x * TURN[0] - y * TURN[1], y.mul_add(TURN[0], x * TURN[1])];
        let to = Slip::along(turned, a, q, friction);
        if from.across * to.across <= 0.0 {
            let found = between(from, to, SLIP_ERROR * size, |d| {
                Slip::along(d, a, q, friction)
            });
            // Where u_n cannot be zero, the sign changes through infinity.
            let is_root = found.across.abs() <= 1e-3 * size;
            if is_root && found.along >= 0.0 && found.impulse[2] >= 0.0 {
                return Some(found.impulse);
            }
        }
        from = to;
    }
    None
}

/// A contact whose impulse is on its cone, against a direction.
#[derive(Clone, Copy)]
struct Slip {
    direction: [f64; 2],
    impulse: [f64; 3],
    /// The velocity along the direction, and across it: zero where it slides so.
    along: f64,
    across: f64,
}

impl Slip {
    #[inline(always)]
    fn along(direction: [f64; 2], a: &[[f64; 3]; 3], q: [f64; 3], friction: f64) -> Self {
        let [x, y] = direction;
        let way = [-friction * x, -friction * y, 1.0];
        let unit = multiply(a, way);
        let normal = -q[2] / unit[2];
        let u = [unit[0] * normal + q[0], unit[1] * normal + q[1]];
        Self {
            direction,
            impulse: way.map(|own| own * normal),
            along: x * u[0] + y * u[1],
            across: x * u[1] - y * u[0],
        }
    }
}

/// A direction between two, across which the velocity is zero: false position, by the Illinois
/// algorithm (M. Dowell, P. Jarratt, BIT 11, 1971).
#[inline(always)]
fn between(mut a: Slip, mut b: Slip, enough: f64, at: impl Fn([f64; 2]) -> Slip) -> Slip {
    let (mut f_a, mut f_b) = (a.across.abs(), b.across.abs());
    for _ in 0..POSITIONS {
        if b.across.abs() <= enough || f_a + f_b == 0.0 {
            break;
        }
        let [x, y] = [0, 1].map(|k| a.direction[k].mul_add(f_b, b.direction[k] * f_a));
        let size = norm(x, y);
        let next = at([x / size, y / size]);
        if next.across * b.across < 0.0 {
            (a, f_a) = (b, f_b);
        } else {
            f_a *= 0.5;
        }
        (b, f_b) = (next, next.across.abs());
    }
    b
}

#[inline(always)]
fn multiply(a: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| a[r][0] * x[0] + a[r][1] * x[1] + a[r][2] * x[2])
}

/// −A⁻¹ q, if A is regular.
#[inline(always)]
fn stick(a: &[[f64; 3]; 3], q: [f64; 3]) -> Option<[f64; 3]> {
    let [x, y, z] = (*a).map(Vec3::from);
    let scale = x.dot(y.cross(z)).recip();
    let q = Vec3::from(q) * -scale;
    let found = y.cross(z) * q.x + z.cross(x) * q.y + x.cross(y) * q.z;
    found.is_finite().then(|| found.to_array())
}
