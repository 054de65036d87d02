//! The whole KKT system as one dense matrix: the naive form, as a independent check.

use featherline::Model;
use featherline::joint::JointKind;
use featherline::model::JointId;
use featherline::spatial::{Force, Motion, Se3, Vec3, log6};
use featherline_sim::maximal::MaximalState;
use nalgebra::{DMatrix, DVector, Dyn, Matrix6, SymmetricEigen, Vector6};

/// Accelerations of all bodies, and the forces that joints pass on to them, from a dense solve.
///
/// Constraints come from the left null space of the motion subspace (by a singular value
/// decomposition), and armature as inertia between bodies: neither is done as in the recursion.
/// With loops, whose constraints may are redundant, the solution is the pseudo-inverse's.
pub fn solve(
    model: &Model,
    state: &MaximalState,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: &[Force<f64>],
) -> (Vec<Motion<f64>>, Vec<Force<f64>>) {
    let Assembled {
        kkt,
        right,
        joints,
        closing,
    } = assembled(model, state, q, v, tau, external);
    let bodies = model.joints().len() - 1;
    let solution = if closing == 0 {
        kkt.full_piv_lu().solve(&right).unwrap()
    } else {
        // By eigenvalues of the symmetric matrix: nalgebra's singular value decomposition takes
        // some that repeat zero for others. The least that counts stands well above the largest
        // that is rounding.
        let least = 1e-11 * kkt.amax();
        pseudo_inverse_times(&kkt.symmetric_eigen(), least, &right)
    };
    let acceleration = |i: usize| match i {
        0 => Vector6::zeros(),
        i => Vector6::from_fn(|r, _| solution[6 * (i - 1) + r]),
    };
    let mut forces = vec![Force::zero()];
    let mut row = 6 * bodies;
    for Passed {
        at,
        carry,
        push,
        resistance,
        t,
        above,
    } in joints
    {
        let relative = acceleration(at / 6 + 1) - carry * acceleration(above.index());
        let mut force = push - resistance * relative;
        for c in 0..t.ncols() {
            force -= Vector6::from_fn(|r, _| t[(r, c)]) * solution[row];
            row += 1;
        }
        forces.push(force.into());
    }
    let accelerations = (0..=bodies).map(|i| acceleration(i).into()).collect();
    (accelerations, forces)
}

/// The terms from which the forces of a joint are computed.
struct Passed {
    at: usize,
    carry: Matrix6<f64>,
    push: Vector6<f64>,
    resistance: Matrix6<f64>,
    t: DMatrix<f64>,
    above: JointId,
}

/// The system, bodies before constraints.
pub struct Assembled {
    pub kkt: DMatrix<f64>,
    pub right: DVector<f64>,
    joints: Vec<Passed>,
    /// How many constraints loops have.
    closing: usize,
}

pub fn assembled(
    model: &Model,
    state: &MaximalState,
    q: &[f64],
    v: &[f64],
    tau: &[f64],
    external: &[Force<f64>],
) -> Assembled {
    let bodies = model.joints().len() - 1;
    let rigid: usize = model.joint_ids().map(|j| 6 - model.joint(j).nv).sum();
    let closing: usize = model.loop_joints().iter().map(|l| l.constraints()).sum();
    let n = 6 * bodies + rigid + closing;
    let mut kkt = DMatrix::zeros(n, n);
    let mut right = DVector::zeros(n);
    let mut row = 6 * bodies;
    let mut joints = Vec::new();
    for id in model.joint_ids() {
        let (i, joint) = (id.index(), model.joint(id));
        let at = 6 * (i - 1);
        let placement = state.poses[i].placement();
        let inertia = rows(&joint.inertia.to_matrix());
        let fall = Motion::new(placement.rotation.tr_mul_vec(model.gravity()), Vec3::zero());
        let weight = joint.inertia.mul_motion(&fall);
        let spin = joint.inertia.mul_motion(&state.velocities[i]);
        let force = weight - state.velocities[i].cross_force(&spin) + external[i];
        add(&mut kkt, at, at, &inertia);
        add_force(&mut right, at, &Vector6::from(force));

        let own_q = &q[joint.idx_q..joint.idx_q + joint.nq];
        let own_v = &v[joint.idx_v..joint.idx_v + joint.nv];
        let mut subspace = vec![Motion::zero(); joint.nv];
        let moved = joint.kind.evaluate(own_q, &mut subspace);
        let carry = rows(&joint.placement.compose(&moved).inverse().action_matrix());
        let mut rates = vec![Motion::zero(); joint.nv];
        joint.kind.subspace_rates(own_q, own_v, &mut rates);
        let mut bias = Motion::zero();
        for k in 0..joint.nv {
            bias += state.velocities[i].cross(&(subspace[k] * own_v[k])) + rates[k] * own_v[k];
        }
        let s = DMatrix::from_fn(6, joint.nv, |r, c| subspace[c].to_array()[r]);
        // Joint forces act along S (Sᵀ S)⁻¹, whose product with S is the identity.
        let drive = &s * (s.tr_mul(&s)).try_inverse().unwrap();
        let t = null_space(&s);
        let armature = DMatrix::from_fn(joint.nv, joint.nv, |r, c| {
            if r == c {
                joint.drive.reflected_inertia(r)
            } else {
                0.0
            }
        });
        let resistance = &drive * armature * drive.transpose();
        let resistance = Matrix6::from_fn(|r, c| resistance[(r, c)]);
        let driven = &drive * DVector::from_column_slice(&tau[joint.idx_v..joint.idx_v + joint.nv]);
        let bias = Vector6::from(bias);
        let push = Vector6::from_fn(|r, _| driven[r]) + resistance * bias;
        let above = joint.parent;
        add(&mut kkt, at, at, &resistance);
        add_force(&mut right, at, &push);
        if above != JointId::UNIVERSE {
            let up = 6 * (above.index() - 1);
            add(&mut kkt, at, up, &-(resistance * carry));
            add(&mut kkt, up, at, &-(carry.transpose() * resistance));
            add(&mut kkt, up, up, &(carry.transpose() * resistance * carry));
            add_force(&mut right, up, &-(carry.transpose() * push));
        }
        for c in 0..t.ncols() {
            let column = Vector6::from_fn(|r, _| t[(r, c)]);
            let through = -(carry.transpose() * column);
            for r in 0..6 {
                kkt[(row, at + r)] = column[r];
                kkt[(at + r, row)] = column[r];
                if above != JointId::UNIVERSE {
                    let up = 6 * (above.index() - 1);
                    kkt[(row, up + r)] = through[r];
                    kkt[(up + r, row)] = through[r];
                }
            }
            right[row] = column.dot(&bias);
            row += 1;
        }
        joints.push(Passed {
            at,
            carry,
            push,
            resistance,
            t,
            above,
        });
    }
    for closing in model.loop_joints() {
        let ends = [closing.predecessor.index(), closing.successor.index()];
        let world = |body: usize, frame: &Se3<f64>| match body {
            0 => *frame,
            _ => state.poses[body].placement().compose(frame),
        };
        let from = world(ends[0], &closing.predecessor_placement);
        let to = world(ends[1], &closing.successor_placement);
        // Both bodies as seen from the output frame.
        let seen = |body: usize| {
            let frame = if body == 0 {
                Se3::identity()
            } else {
                state.poses[body].placement()
            };
            to.inverse_compose(&frame)
        };
        let velocity = |body: usize| match body {
            0 => Motion::zero(),
            _ => seen(body).act_motion(&state.velocities[body]),
        };
        let (s, rates_at, own_q) = loop_subspace(&closing.kind, &from.inverse_compose(&to));
        let relative = velocity(ends[1]) - velocity(ends[0]);
        let inverse = s.clone().pseudo_inverse(1e-12).unwrap();
        let own_v = inverse * DVector::from_row_slice(&relative.to_array());
        let mut changes = vec![Motion::zero(); closing.kind.nv()];
        rates_at(&own_q, own_v.as_slice(), &mut changes);
        let allowed = &s * &own_v;
        let allowed = Motion::from(Vector6::from_fn(|r, _| allowed[r]));
        let mut bias = velocity(ends[1]).cross(&allowed);
        for (k, change) in changes.iter().enumerate() {
            bias += *change * own_v[k];
        }
        let t = null_space(&s);
        for c in 0..t.ncols() {
            let column = Vector6::from_fn(|r, _| t[(r, c)]);
            for (body, sign) in [(ends[0], -1.0), (ends[1], 1.0)] {
                if body == 0 {
                    continue;
                }
                let at = 6 * (body - 1);
                let through = rows(&seen(body).action_matrix()).tr_mul(&column) * sign;
                for r in 0..6 {
                    kkt[(row, at + r)] += through[r];
                    kkt[(at + r, row)] += through[r];
                }
            }
            right[row] = column.dot(&Vector6::from(bias));
            row += 1;
        }
    }
    Assembled {
        kkt,
        right,
        joints,
        closing,
    }
}

/// The eigenvectors of eigenvalues beyond the least that counts.
pub fn pseudo_inverse_times(
    eigen: &SymmetricEigen<f64, Dyn>,
    least: f64,
    right: &DVector<f64>,
) -> DVector<f64> {
    let mut parts = eigen.eigenvectors.tr_mul(right);
    for (part, value) in parts.iter_mut().zip(eigen.eigenvalues.iter()) {
        *part = if value.abs() > least {
            *part / value
        } else {
            0.0
        };
    }
    &eigen.eigenvectors * parts
}

fn rows(rows: &[[f64; 6]; 6]) -> Matrix6<f64> {
    Matrix6::from_fn(|r, c| rows[r][c])
}

fn add(matrix: &mut DMatrix<f64>, row: usize, column: usize, block: &Matrix6<f64>) {
    let mut view = matrix.fixed_view_mut::<6, 6>(row, column);
    view += block;
}

fn add_force(vector: &mut DVector<f64>, row: usize, part: &Vector6<f64>) {
    let mut view = vector.fixed_rows_mut::<6>(row);
    view += part;
}

type SubspaceRates<'a> = Box<dyn Fn(&[f64], &[f64], &mut [Motion<f64>]) + 'a>;

/// The motion subspace of a loop joint whose output frame is at the given place, its rates, and
/// what it reads there: by Gauss-Newton from neutral, with a pseudo-inverse.
fn loop_subspace<'a>(
    kind: &'a JointKind,
    apart: &Se3<f64>,
) -> (DMatrix<f64>, SubspaceRates<'a>, Vec<f64>) {
    let mut q = vec![0.0; kind.nq()];
    kind.neutral(&mut q);
    let mut subspace = vec![Motion::zero(); kind.nv()];
    let mut s = DMatrix::zeros(6, kind.nv());
    for _ in 0..50 {
        let left = log6(&kind.evaluate(&q, &mut subspace).inverse_compose(apart));
        s = DMatrix::from_fn(6, kind.nv(), |r, c| subspace[c].to_array()[r]);
        let step =
            s.clone().pseudo_inverse(1e-12).unwrap() * DVector::from_row_slice(&left.to_array());
        let mut moved = q.clone();
        kind.integrate(&q, step.as_slice(), &mut moved);
        q = moved;
    }
    (
        s,
        Box::new(|q, v, rates| kind.subspace_rates(q, v, rates)),
        q,
    )
}

/// Orthonormal columns that span what is orthogonal to the columns of a matrix of full rank.
fn null_space(s: &DMatrix<f64>) -> DMatrix<f64> {
    // The decomposition of a square matrix has all left singular vectors.
    let mut square = DMatrix::zeros(6, 6);
    square.columns_mut(0, s.ncols()).copy_from(s);
    let decomposition = square.svd(true, false);
    let vectors = decomposition.u.unwrap();
    let mut order: Vec<usize> = (0..6).collect();
    let values = &decomposition.singular_values;
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    DMatrix::from_fn(6, 6 - s.ncols(), |r, c| vectors[(r, order[s.ncols() + c])])
}
