//! Block Gauss-Seidel: block by block, each law exactly, with the impulses of all others as they
//! are. It goes on where Newton's method stalls, slowly (M. Jean, "The non-smooth contact dynamics
//! method", Computer Methods in Applied Mechanics and Engineering 177, 1999).

use super::Set;
use super::laws::{Problem, State, velocity};
use super::rows::{Block, dot};
use featherline::kernel;
use featherline::spatial::Vec3;
use std::f64::consts::TAU;

/// Angles of slip that are tried, and bisections between two of them: to rounding.
const ANGLES: usize = 16;
const BISECTIONS: usize = 40;

kernel!(
    /// Sweeps from the multipliers, which led to the readings' z; both change. Nothing changes
    /// where an island is too large.
    pub(super) fn sweep(state: &mut State, problem: &Problem<'_>, sweeps: usize) {
        let State {
            response,
            readings,
            blocks,
            ..
        } = state;
        let rows = problem.rows;
        if !response.build_dense(problem.place()) {
            return;
        }
        let count = response.islands.parts(problem.island).blocks.len();
        for _ in 0..sweeps {
            for at in 0..count {
                let i = response.islands.parts(problem.island).blocks[at];
                let block = &rows.blocks[i];
                let own = &response.blocks[block.reading];
                let before = blocks.multipliers[i];
                let next = one_block(block, own, velocity(block, &readings.z), before);
                let change = std::array::from_fn(|k| next[k] - before[k]);
                if change == [0.0; 3] {
                    continue;
                }
                blocks.multipliers[i] = next;
                let mut f = [0.0; 6];
                block.add_transposed(1.0, change, &mut f);
                response.add_answer(problem.place(), block.reading, &f, &mut readings.z);
            }
        }
    }
);

/// The impulse of a block for which its law holds, if no other changes: `w` is its reading's block
/// of W, `u` the velocity of its rows under the impulse `lambda`.
#[inline(always)]
fn one_block(block: &Block, w: &[[f64; 6]; 6], u: [f64; 3], lambda: [f64; 3]) -> [f64; 3] {
    let count = block.law.set.rows();
    let mut matrix = [[0.0; 3]; 3];
    for r in 0..count {
        let wx: [f64; 6] = std::array::from_fn(|k| dot(&w[k], &block.matrix[r]));
        for c in 0..count {
            matrix[r][c] = dot(&wx, &block.matrix[c]);
        }
    }
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

/// A contact alone with the velocity A λ + q: it is open, sticks, or slides along (cos θ, sin θ)
/// with λ_t against it (the search for θ after J. Hwangbo, J. Lee, M. Hutter, "Per-contact
/// iteration method for solving contact dynamics", IEEE Robotics and Automation Letters 3, 2018).
/// None where no such impulse is found.
#[inline(always)]
fn one_contact(a: &[[f64; 3]; 3], q: [f64; 3], friction: f64) -> Option<[f64; 3]> {
    if q[2] >= 0.0 {
        return Some([0.0; 3]);
    }
    if let Some(stick) = stick(a, q)
        && stick[0].hypot(stick[1]) <= friction * stick[2]
    {
        return Some(stick);
    }
    let at = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let way = [-friction * cos, -friction * sin, 1.0];
        let unit = multiply(a, way);
        let normal = -q[2] / unit[2];
        let u = [unit[0] * normal + q[0], unit[1] * normal + q[1]];
        // Slip across the direction, and along it.
        let (across, along) = (cos * u[1] - sin * u[0], cos * u[0] + sin * u[1]);
        (across, along, way.map(|x| x * normal))
    };
    let mut low = 0.0;
    let mut first = at(low).0;
    for k in 1..=ANGLES {
        let high = TAU * k as f64 / ANGLES as f64;
        let second = at(high).0;
        if first * second <= 0.0 {
            let (mut from, mut to) = (low, high);
            for _ in 0..BISECTIONS {
                let middle = 0.5 * (from + to);
                if at(middle).0 * first > 0.0 {
                    from = middle;
                } else {
                    to = middle;
                }
            }
            let (across, along, lambda) = at(from);
            // Where u_n cannot be zero, the sign changes through infinity.
            let is_root = across.abs() <= 1e-3 * q[0].hypot(q[1]).max(-q[2]);
            if is_root && along >= 0.0 && lambda[2] >= 0.0 {
                return Some(lambda);
            }
        }
        (low, first) = (high, second);
    }
    None
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
