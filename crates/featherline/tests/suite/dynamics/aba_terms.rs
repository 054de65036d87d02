//! The terms of the articulated-body algorithm, against the textbook's recursion in dense 6 × 6
//! matrices of [angular; linear].

use crate::common::{State, close, external_forces, models};
use featherline::dynamics::{AbaTerms, DynamicsOptions};
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::spatial::{Force, Inertia, Mat3, Motion, Se3, Sym3, Vec3, swap_linear_angular};
use featherline::{Model, Workspace};
use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector3, Vector6};

/// Some thousand operations; pivots of light links behind heavy ones cost the rest. Relative to
/// the greatest entry.
const TOLERANCE: f64 = 1e-9;

fn skew(v: Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

fn blocks(a: Matrix3<f64>, b: Matrix3<f64>, c: Matrix3<f64>, d: Matrix3<f64>) -> Matrix6<f64> {
    let mut all = Matrix6::zeros();
    for (row, column, block) in [(0, 0, a), (0, 3, b), (3, 0, c), (3, 3, d)] {
        all.fixed_view_mut::<3, 3>(row, column).copy_from(&block);
    }
    all
}

fn vector(v: &Vec3<f64>) -> Vector3<f64> {
    Vector3::from(v.to_array())
}

fn matrix(m: &Mat3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[vector(&m.x), vector(&m.y), vector(&m.z)])
}

/// The transform of motions into the frame that a placement has put: E = Rᵀ, [E 0; −E r× E].
fn transform(placement: &Se3<f64>) -> Matrix6<f64> {
    let e = matrix(&placement.rotation).transpose();
    let r = vector(&placement.translation);
    blocks(e, Matrix3::zeros(), -e * skew(r), e)
}

/// crm(v): [ω× 0; v× ω×].
fn cross(v: &Vector6<f64>) -> Matrix6<f64> {
    let (w, u) = (
        skew(v.fixed_rows::<3>(0).into_owned()),
        skew(v.fixed_rows::<3>(3).into_owned()),
    );
    blocks(w, Matrix3::zeros(), u, w)
}

/// [I + m c× c×ᵀ, m c×; m c×ᵀ, m 1] (Featherstone 2008, equation 2.63).
fn inertia(body: &Inertia<f64>) -> Matrix6<f64> {
    let c = skew(vector(&body.com));
    let own = matrix(&body.rotational.to_mat());
    let m = body.mass;
    blocks(
        own + m * c * c.transpose(),
        m * c,
        m * c.transpose(),
        m * Matrix3::identity(),
    )
}

/// Featherstone 2008, table 7.1, and the accelerations of its last pass where q̈ is given.
struct Dense {
    inertias: Vec<Matrix6<f64>>,
    bias_forces: Vec<Vector6<f64>>,
    products: Vec<Vector6<f64>>,
    columns: DMatrix<f64>,
    blocks: DMatrix<f64>,
    sides: DVector<f64>,
    qdd: DVector<f64>,
}

fn dense(model: &Model, s: &State, external: &[Force<f64>]) -> Dense {
    let joints = model.joints();
    let (n, nv) = (joints.len(), model.nv());
    let zero = Vector6::zeros();
    let mut x = vec![Matrix6::identity(); n];
    let mut subspaces = vec![DMatrix::<f64>::zeros(6, 0); n];
    let (mut v, mut c) = (vec![zero; n], vec![zero; n]);
    let (mut inertias, mut p) = (vec![Matrix6::zeros(); n], vec![zero; n]);
    for i in 1..n {
        let joint = &joints[i];
        let q = &s.q[joint.idx_q..][..joint.nq];
        let rates = &s.v[joint.idx_v..][..joint.nv];
        let mut columns = vec![Motion::zero(); joint.nv];
        let placement = joint.kind.evaluate(q, &mut columns);
        let mut changes = vec![Motion::zero(); joint.nv];
        joint.kind.subspace_rates(q, rates, &mut changes);
        let as_matrix = |columns: &[Motion<f64>]| {
            let numbers: Vec<f64> = columns
                .iter()
                .flat_map(|it| it.to_angular_first())
                .collect();
            DMatrix::from_vec(6, columns.len(), numbers)
        };
        let rates = DVector::from_column_slice(rates);
        x[i] = transform(&joint.placement.compose(&placement));
        subspaces[i] = as_matrix(&columns);
        let own = Vector6::from_column_slice((&subspaces[i] * &rates).as_slice());
        let change = Vector6::from_column_slice((as_matrix(&changes) * &rates).as_slice());
        v[i] = x[i] * v[joint.parent.index()] + own;
        c[i] = change + cross(&v[i]) * own;
        inertias[i] = inertia(&joint.inertia);
        // v ×* = −(v ×)ᵀ
        p[i] = -cross(&v[i]).transpose() * inertias[i] * v[i];
        if let Some(force) = external.get(i) {
            p[i] -= Vector6::from(force.to_angular_first());
        }
    }
    let mut columns = DMatrix::zeros(6, nv);
    let mut all_blocks = DMatrix::zeros(nv, nv);
    let mut sides = DVector::zeros(nv);
    let mut inverses = vec![DMatrix::zeros(0, 0); n];
    for i in (1..n).rev() {
        let joint = &joints[i];
        let (k, width) = (joint.idx_v, joint.nv);
        let u_columns = DMatrix::from_column_slice(6, 6, inertias[i].as_slice()) * &subspaces[i];
        let mut d = subspaces[i].transpose() * &u_columns;
        for degree in 0..width {
            d[(degree, degree)] += joint.drive.reflected_inertia(degree);
        }
        let bias = DVector::from_column_slice(p[i].as_slice());
        let u = DVector::from_column_slice(&s.tau[k..k + width]) - subspaces[i].transpose() * bias;
        inverses[i] = d.clone().try_inverse().expect("a sound pivot");
        columns.columns_mut(k, width).copy_from(&u_columns);
        all_blocks.view_mut((k, k), (width, width)).copy_from(&d);
        sides.rows_mut(k, width).copy_from(&u);
        let parent = joint.parent.index();
        if parent == 0 {
            continue;
        }
        let lost = &u_columns * &inverses[i] * u_columns.transpose();
        let seen = inertias[i] - Matrix6::from_column_slice(lost.as_slice());
        let share = Vector6::from_column_slice((&u_columns * &inverses[i] * &u).as_slice());
        let force = p[i] + seen * c[i] + share;
        inertias[parent] += x[i].transpose() * seen * x[i];
        p[parent] += x[i].transpose() * force;
    }
    let mut a = vec![zero; n];
    let gravity = Motion::new(-model.gravity(), Vec3::zero());
    a[0] = Vector6::from(gravity.to_angular_first());
    let mut qdd = DVector::zeros(nv);
    for i in 1..n {
        let (k, width) = (joints[i].idx_v, joints[i].nv);
        let carried = x[i] * a[joints[i].parent.index()] + c[i];
        let carried_column = DVector::from_column_slice(carried.as_slice());
        let u_columns = columns.columns(k, width);
        let own = &inverses[i] * (sides.rows(k, width) - u_columns.transpose() * carried_column);
        a[i] = carried + Vector6::from_column_slice((&subspaces[i] * &own).as_slice());
        qdd.rows_mut(k, width).copy_from(&own);
    }
    Dense {
        inertias,
        bias_forces: p,
        products: c,
        columns,
        blocks: all_blocks,
        sides,
        qdd,
    }
}

/// Six numbers in the other order.
fn linear_first(six: &[f64]) -> [f64; 6] {
    [six[3], six[4], six[5], six[0], six[1], six[2]]
}

#[test]
fn terms_are_those_of_the_textbook_in_dense_matrices() {
    let embedded = [
        (featherline_robots::panda(), 7),
        (featherline_robots::quadruped(), 8),
    ];
    let mut checked = 0;
    for (model, seed) in models().into_iter().chain(embedded) {
        if model.joints().iter().any(|joint| joint.mimic.is_some()) {
            continue;
        }
        checked += 1;
        let (s, mut ws) = (State::random(&model, seed), Workspace::new(&model));
        let mut terms = AbaTerms::default();
        for external in [vec![], external_forces(&model)] {
            model
                .aba_terms(&mut ws, &s.q, &s.v, &s.tau, &external, &mut terms)
                .unwrap();
            let expected = dense(&model, &s, &external);
            for (id, joint) in model.joint_ids().map(|id| (id.index(), model.joint(id))) {
                let name = &joint.name;
                let found = swap_linear_angular(&terms.articulated_inertias[id].to_matrix());
                close(
                    &format!("Iᴬ of {name}"),
                    found.as_flattened(),
                    expected.inertias[id].as_slice(),
                    TOLERANCE,
                );
                close(
                    &format!("pᴬ of {name}"),
                    &terms.bias_forces[id].to_angular_first(),
                    expected.bias_forces[id].as_slice(),
                    TOLERANCE,
                );
                close(
                    &format!("c of {name}"),
                    &terms.velocity_products[id].to_angular_first(),
                    expected.products[id].as_slice(),
                    TOLERANCE,
                );
            }
            for (k, column) in terms.U.iter().enumerate() {
                let expected = linear_first(expected.columns.column(k).as_slice());
                close("U", &column.to_array(), &expected, TOLERANCE);
            }
            close(
                "D",
                terms.D.as_slice(),
                expected.blocks.as_slice(),
                TOLERANCE,
            );
            close("u", &terms.u, expected.sides.as_slice(), TOLERANCE);

            // q̈ᵢ = D⁻¹ (u − Uᵀ a') are the accelerations of `aba`. They are compared as forces,
            // D q̈, to which links that are light beside what carries them make no difference.
            let options = DynamicsOptions::default().without_passive_forces();
            let options = options.with_forces(&external);
            let qdd = model.forward_dynamics(&mut ws, &s.q, &s.v, &s.tau, options);
            let qdd = DVector::from_column_slice(qdd.unwrap());
            let [found, expected] = [qdd, expected.qdd].map(|it| &terms.D * it);
            close("D q̈", found.as_slice(), expected.as_slice(), TOLERANCE);
        }
    }
    assert!(checked > 30, "{checked}");
}

/// Two joints that share a coordinate, the second on the first or beside it.
fn coupled(beside: bool) -> Model {
    let mut builder = ModelBuilder::new("coupled");
    builder.gravity(Vec3::zero());
    let body = Inertia::new(2.0, Vec3::new(0.1, -0.2, 0.3), Sym3::scalar(0.4));
    let first = JointSpec::new("first", ModelBuilder::UNIVERSE, JointKind::revolute_y());
    let first = builder.add_joint(first.armature(0.3));
    builder.add_body(first, "first_body", Se3::identity(), body);
    let parent = if beside {
        ModelBuilder::UNIVERSE
    } else {
        first
    };
    let axis = Vec3::new(0.6, 0.0, 0.8);
    let second = JointSpec::new("second", parent, JointKind::revolute(axis))
        .placement(Se3::from_translation(Vec3::new(0.5, 0.1, -0.2)));
    let second = builder.add_joint(second);
    builder.mimic(second, first, -1.5, 0.2);
    builder.add_body(second, "second_body", Se3::identity(), body);
    builder.build().expect("a valid model").model
}

#[test]
fn joints_that_share_a_coordinate_are_counted_together() {
    for beside in [false, true] {
        let model = coupled(beside);
        assert_eq!(model.nv(), 1);
        let (mut ws, mut terms) = (Workspace::new(&model), AbaTerms::default());
        let (q, v, tau) = ([0.4], [0.7], [1.3_f64]);
        model
            .aba_terms(&mut ws, &q, &v, &tau, &[], &mut terms)
            .unwrap();
        // One coordinate: D is the mass matrix, and u is what is left beside the bias force.
        let mass = model.crba(&mut ws, &q).unwrap()[(0, 0)];
        let bias = model.bias(&mut ws, &q, &v).unwrap()[0];
        assert!((terms.D[(0, 0)] - mass).abs() < 1e-12, "{beside}");
        assert!((terms.u[0] - (tau[0] - bias)).abs() < 1e-12, "{beside}");
        // U is what the joints at the universe transmit for a unit acceleration at rest.
        let mut forces = vec![Force::zero(); 3];
        let (zero, one) = ([0.0], [1.0]);
        let options = DynamicsOptions::default();
        model
            .transmitted_forces(&mut ws, &q, &zero, &one, options, &mut forces)
            .unwrap();
        let expected = match beside {
            false => forces[1],
            true => {
                let placed = model.forward_kinematics(&mut ws, &q).unwrap();
                let in_world = |i: usize| {
                    let joint = model.joint_ids().nth(i - 1).expect("two joints");
                    placed.placement(joint).act_force(&forces[i])
                };
                in_world(1) + in_world(2)
            }
        };
        close("U", &terms.U[0].to_array(), &expected.to_array(), 1e-12);
    }
}
