//! One joint of each kind and variety, and random states for them.

use featherline::joint::JointKind;
use featherline::scalar::{Dual, Scalar};
use featherline::spatial::{Mat3, Motion, Se3, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A number that moves along one direction.
pub type Moving = Dual<f64, 1>;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

pub fn uniform(rng: &mut ChaCha8Rng, count: usize, bound: f64) -> Vec<f64> {
    (0..count)
        .map(|_| rng.random_range(-bound..bound))
        .collect()
}

pub fn slanted() -> Vec3<f64> {
    Vec3::new(0.36, -0.48, 0.8)
}

/// A placement without zeros.
pub fn offset() -> Se3<f64> {
    let mut subspace = [Motion::zero(); 3];
    let rotation = JointKind::SphericalZyx
        .evaluate(&[0.3, -0.5, 0.7], &mut subspace)
        .rotation;
    Se3::new(rotation, Vec3::new(0.2, -0.1, 0.4))
}

/// Every kind that is not composite, with aligned and slanted axes.
pub fn simple_kinds() -> Vec<JointKind> {
    let axes = [
        Vec3::unit(0),
        Vec3::unit(1),
        Vec3::unit(2),
        -Vec3::<f64>::unit(1),
        slanted(),
    ];
    let mut kinds = vec![
        JointKind::Fixed,
        JointKind::universal(Vec3::unit(2), Vec3::unit(0)),
        JointKind::universal(slanted(), Vec3::new(0.6, 0.8, 0.1)),
        JointKind::Planar,
        JointKind::Translation,
        JointKind::Spherical,
        JointKind::SphericalZyx,
        JointKind::ellipsoid(Vec3::new(0.3, 0.5, 0.2)),
        JointKind::FreeFlyer,
    ];
    for axis in axes {
        kinds.push(JointKind::revolute(axis));
        kinds.push(JointKind::revolute_unbounded(axis));
        kinds.push(JointKind::prismatic(axis));
        kinds.push(JointKind::helical(axis, 0.23));
        kinds.push(JointKind::cylindrical(axis));
    }
    kinds
}

pub fn composite(parts: &[(Se3<f64>, JointKind)]) -> JointKind {
    JointKind::composite(parts.to_vec()).expect("a list of parts that is not empty")
}

/// Every kind, composites of constant, varying and nested parts included.
pub fn all_kinds() -> Vec<JointKind> {
    let identity = Se3::identity();
    let mut kinds = simple_kinds();
    let wrist = composite(&[
        (offset(), JointKind::revolute_x()),
        (identity, JointKind::revolute(slanted())),
    ]);
    kinds.push(composite(&[(
        offset(),
        JointKind::ellipsoid(Vec3::new(0.3, 0.5, 0.2)),
    )]));
    kinds.push(composite(&[
        (identity, JointKind::Planar),
        (offset(), JointKind::SphericalZyx),
        (offset(), JointKind::prismatic(slanted())),
    ]));
    kinds.push(composite(&[
        (offset(), JointKind::FreeFlyer),
        (offset(), wrist.clone()),
        (identity, JointKind::revolute_unbounded_y()),
        (offset(), JointKind::ellipsoid(Vec3::new(0.3, 0.5, 0.2))),
        (offset(), JointKind::universal(Vec3::unit(0), Vec3::unit(1))),
        (offset(), JointKind::Spherical),
    ]));
    kinds.push(wrist);
    kinds
}

/// The simple joints that a joint consists of, in order: itself, or its parts.
pub fn parts(kind: &JointKind) -> Vec<(Se3<f64>, JointKind)> {
    let JointKind::Composite(composite) = kind else {
        return vec![(Se3::identity(), kind.clone())];
    };
    let parts = composite.parts().iter();
    parts
        .map(|part| (part.placement, part.kind.clone()))
        .collect()
}

/// Where the quaternion or the (cos, sin) pair of a simple joint begins in q; nq if there is none.
pub fn first_of_rotation(part: &JointKind) -> usize {
    match part {
        JointKind::RevoluteUnbounded { .. } | JointKind::Spherical => 0,
        JointKind::Planar => 2,
        JointKind::FreeFlyer => 3,
        JointKind::Fixed
        | JointKind::Revolute { .. }
        | JointKind::Prismatic { .. }
        | JointKind::Helical { .. }
        | JointKind::Cylindrical { .. }
        | JointKind::Universal { .. }
        | JointKind::Translation
        | JointKind::SphericalZyx
        | JointKind::Ellipsoid { .. }
        | JointKind::Composite(_) => part.nq(),
    }
}

/// A configuration on the joint's manifold, drawn without the library's own sampling.
pub fn configuration(kind: &JointKind, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut q = Vec::new();
    for (_, part) in parts(kind) {
        // Angles stay clear of the singularities at ±π/2 of the kinds that have them.
        let mut own = uniform(rng, part.nq(), 1.3);
        normalise(&mut own[first_of_rotation(&part)..]);
        q.extend(own);
    }
    q
}

fn normalise(x: &mut [f64]) {
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    x.iter_mut().for_each(|x| *x /= norm);
}

/// The configuration as it moves with velocity `v`, to first order: an independent statement of
/// what v means.
pub fn moving(kind: &JointKind, q: &[f64], v: &[f64]) -> Vec<Moving> {
    let mut rates = Vec::new();
    let (mut q_rest, mut v_rest) = (q, v);
    for (_, part) in parts(kind) {
        let (q, q_after) = q_rest.split_at(part.nq());
        let (v, v_after) = v_rest.split_at(part.nv());
        #[expect(clippy::wildcard_enum_match_arm, reason = "wrong rates fail")]
        match part {
            JointKind::RevoluteUnbounded { .. } => rates.extend([-q[1] * v[0], q[0] * v[0]]),
            JointKind::Planar => {
                let (cos, sin) = (q[2], q[3]);
                rates.extend([
                    cos * v[0] - sin * v[1],
                    sin * v[0] + cos * v[1],
                    -sin * v[2],
                    cos * v[2],
                ]);
            }
            JointKind::Spherical => rates.extend(quaternion_rate(q, v)),
            JointKind::FreeFlyer => {
                let mut subspace = [Motion::zero(); 6];
                let rotation: Mat3<f64> = part.evaluate(q, &mut subspace).rotation;
                rates.extend((rotation * Vec3::new(v[0], v[1], v[2])).to_array());
                rates.extend(quaternion_rate(&q[3..], &v[3..]));
            }
            _ => rates.extend(v),
        }
        (q_rest, v_rest) = (q_after, v_after);
    }
    q.iter()
        .zip(rates)
        .map(|(&q, rate)| Moving::new(q, [rate]))
        .collect()
}

/// Half the product of the quaternion with the pure quaternion of the body's angular velocity.
fn quaternion_rate(q: &[f64], w: &[f64]) -> [f64; 4] {
    let (u, s) = (Vec3::new(q[0], q[1], q[2]), q[3]);
    let w = Vec3::new(w[0], w[1], w[2]);
    let vector = (w * s + u.cross(w)) * 0.5;
    [vector.x, vector.y, vector.z, -0.5 * u.dot(w)]
}

/// The derivatives of numbers that move.
pub fn tangents(values: &[Moving]) -> Vec<f64> {
    values.iter().map(|x| x.tangent[0]).collect()
}

pub fn values(numbers: &[Moving]) -> Vec<f64> {
    numbers.iter().map(|x| x.value).collect()
}

pub fn fixed(values: &[f64]) -> Vec<Moving> {
    values.iter().map(|&x| Moving::fixed(x)).collect()
}

/// The largest difference between two lists' entries.
pub fn gap(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

pub fn integrate<S: Scalar>(kind: &JointKind, q: &[S], v: &[S]) -> Vec<S> {
    let mut out = vec![S::constant(f64::NAN); kind.nq()];
    kind.integrate(q, v, &mut out);
    out
}

pub fn difference<S: Scalar>(kind: &JointKind, q0: &[S], q1: &[S]) -> Vec<S> {
    let mut out = vec![S::constant(f64::NAN); kind.nv()];
    kind.difference(q0, q1, &mut out);
    out
}

/// A velocity whose turns stay below half a turn, so that `difference` finds it again.
pub fn short_velocity(kind: &JointKind, rng: &mut ChaCha8Rng) -> Vec<f64> {
    // Three components below 1.7 have a length below 3.
    uniform(rng, kind.nv(), 1.7)
}

/// Velocities of sizes from rounding to almost half a turn.
pub fn velocities(kind: &JointKind, rng: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
    let mut all = vec![vec![0.0; kind.nv()]];
    for size in [1e-16, 1e-9, 1e-4, 0.1, 1.0] {
        let v = short_velocity(kind, rng);
        all.push(v.iter().map(|v| v * size).collect());
    }
    // Each simple joint turns by almost π about one axis.
    for axis in 0..kind.nv().min(3) {
        let mut v = vec![0.0; kind.nv()];
        let mut start = 0;
        for (_, part) in parts(kind) {
            #[expect(clippy::wildcard_enum_match_arm, reason = "any turn will do")]
            let turn = match part {
                JointKind::Fixed => None,
                JointKind::Planar => Some(2),
                JointKind::FreeFlyer => Some(3 + axis),
                _ => Some(axis.min(part.nv() - 1)),
            };
            if let Some(turn) = turn {
                v[start + turn] = 0.999_999_9 * std::f64::consts::PI;
            }
            start += part.nv();
        }
        all.push(v);
    }
    all
}

/// The placement and motion subspace.
pub fn evaluate<S: Scalar>(kind: &JointKind, q: &[S]) -> (Se3<S>, Vec<Motion<S>>) {
    let mut subspace = vec![Motion::zero(); kind.nv()];
    let placement = kind.evaluate(q, &mut subspace);
    (placement, subspace)
}

/// The sum of columns times coordinates.
pub fn combine(columns: &[Motion<f64>], v: &[f64]) -> Motion<f64> {
    columns
        .iter()
        .zip(v)
        .fold(Motion::zero(), |sum, (c, &v)| sum + *c * v)
}

/// The largest difference between two motions' components.
pub fn distance(a: &Motion<f64>, b: &Motion<f64>) -> f64 {
    (*a - *b).to_array().iter().fold(0.0, |m, x| x.abs().max(m))
}

/// The largest difference between two placements' elements.
pub fn placement_distance(a: &Se3<f64>, b: &Se3<f64>) -> f64 {
    let rows = |m: &Se3<f64>| m.to_homogeneous().concat();
    rows(a)
        .iter()
        .zip(rows(b))
        .fold(0.0, |m, (a, b)| (a - b).abs().max(m))
}

/// The velocity of a moving placement's frame in its own coordinates, from the derivative of the
/// placement.
pub fn velocity(placement: &Se3<Moving>) -> Motion<f64> {
    let value = placement.to_homogeneous().map(|row| row.map(|x| x.value));
    let rate = placement
        .to_homogeneous()
        .map(|row| row.map(|x| x.tangent[0]));
    let matrix = |m: [[f64; 4]; 4]| Mat3::from_rows([0, 1, 2].map(|i| [m[i][0], m[i][1], m[i][2]]));
    let rotation = matrix(value);
    let spin = rotation.tr_mul_mat(&matrix(rate));
    let linear = rotation.tr_mul_vec(Vec3::new(rate[0][3], rate[1][3], rate[2][3]));
    Motion::new(linear, Vec3::new(spin.y.z, spin.z.x, spin.x.y))
}

/// The derivative of a moving motion's components.
pub fn rate(motion: &Motion<Moving>) -> Motion<f64> {
    Motion::from_array(motion.to_array().map(|x| x.tangent[0]))
}
