//! Every call of a batch, and the same results state by state.

use crate::common::{self, State};
use featherline::batch::{Batch, BatchStatus, Precision, TermRows};
use featherline::joint::JointKind;
use featherline::kernel;
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, JointSpec, ModelBuilder};
use featherline::scalar::Scalar;
use featherline::spatial::{Inertia, Mat3, Se3, Sym3, Vec3};
use featherline::{Model, Workspace, samples};
use nalgebra::DMatrix;

/// Inputs of several states as flat rows.
pub struct Rows<T> {
    pub q: Vec<T>,
    pub v: Vec<T>,
    pub w: Vec<T>,
    pub count: usize,
}

impl<T: Scalar> Rows<T> {
    pub fn of(states: &[State]) -> Self {
        let rows = |row: fn(&State) -> &Vec<f64>| {
            states
                .iter()
                .flat_map(row)
                .map(|&x| T::constant(x))
                .collect()
        };
        Self {
            q: rows(|s| &s.q),
            v: rows(|s| &s.v),
            w: rows(|s| &s.tau),
            count: states.len(),
        }
    }
}

pub fn states(model: &Model, count: u64) -> Vec<State> {
    (0..count).map(|k| State::random(model, 100 + k)).collect()
}

/// Results by name: rows of all states.
pub type Results<T> = Vec<(&'static str, Vec<T>)>;

/// Some frames, the first and the last among them.
pub fn some_frames(model: &Model) -> Vec<FrameId> {
    let all: Vec<_> = model.frame_ids().collect();
    all.iter().step_by(3).chain(all.last()).copied().collect()
}

/// Calls everything; with the statuses that belong to each result.
pub fn together<T: Precision>(
    batch: &mut Batch<T>,
    rows: &Rows<T>,
) -> (Results<T>, Vec<Vec<BatchStatus>>) {
    let model = batch.model().clone();
    let (n, nv, joints) = (rows.count, model.nv(), model.joints().len() - 1);
    let columns: usize = model.joints().iter().map(|j| j.kind.nv()).sum();
    let (q, v, w) = (&rows.q, &rows.v, &rows.w);
    let room = |length: usize| vec![T::zero(); n * length];
    let mut results = Results::new();
    let mut statuses = Vec::new();
    let mut keep = |named: Results<T>, status: &[BatchStatus], failed: usize| {
        assert_eq!(failed, status.iter().filter(|s| !s.is_solved()).count());
        statuses.extend(named.iter().map(|_| status.to_vec()));
        results.extend(named);
    };
    let mut status = vec![BatchStatus::default(); n];
    let s = &mut status[..];

    let mut out = room(nv);
    let failed = batch.rnea(q, v, w, &mut out, s).unwrap();
    keep(vec![("rnea", out)], s, failed);
    let mut out = room(nv);
    let failed = batch.bias(q, v, &mut out, s).unwrap();
    keep(vec![("bias", out)], s, failed);
    let mut out = room(nv);
    let failed = batch.aba(q, v, w, &mut out, s).unwrap();
    keep(vec![("aba", out)], s, failed);
    let mut out = room(nv);
    let failed = batch.forward_dynamics_crba(q, v, w, &mut out, s).unwrap();
    keep(vec![("forward_dynamics_crba", out)], s, failed);
    let [mut first, mut dq, mut dv, mut last] = [nv, nv * nv, nv * nv, nv * nv].map(room);
    let out = (&mut first, &mut dq, &mut dv, &mut last);
    let failed = batch.rnea_derivatives(q, v, w, out.0, out.1, out.2, out.3, s);
    let named = [
        ("rnea_derivatives.tau", first),
        ("rnea_derivatives.dq", dq),
        ("rnea_derivatives.dv", dv),
        ("rnea_derivatives.da", last),
    ];
    keep(named.into(), s, failed.unwrap());
    let [mut first, mut dq, mut dv, mut last] = [nv, nv * nv, nv * nv, nv * nv].map(room);
    let out = (&mut first, &mut dq, &mut dv, &mut last);
    let failed = batch.aba_derivatives(q, v, w, out.0, out.1, out.2, out.3, s);
    let named = [
        ("aba_derivatives.a", first),
        ("aba_derivatives.dq", dq),
        ("aba_derivatives.dv", dv),
        ("aba_derivatives.dtau", last),
    ];
    keep(named.into(), s, failed.unwrap());
    let mut out = room(10 * nv * joints);
    let failed = batch.joint_torque_regressor(q, v, w, &mut out, s).unwrap();
    keep(vec![("regressor", out)], s, failed);
    let mut out = room(nv * nv);
    let failed = batch.crba(q, &mut out, s).unwrap();
    keep(vec![("crba", out)], s, failed);
    let mut out = room(kernel::elimination_tree(&model).tight_len());
    let failed = batch.crba_packed(q, &mut out, s).unwrap();
    keep(vec![("crba_packed", out)], s, failed);
    let mut out = room(nv);
    let failed = batch.mass_matrix_solve(q, w, &mut out, s).unwrap();
    keep(vec![("mass_matrix_solve", out)], s, failed);
    let mut out = room(nv * nv);
    let failed = batch.mass_matrix_inverse(q, &mut out, s).unwrap();
    keep(vec![("mass_matrix_inverse", out)], s, failed);
    let mut out = room(6 * nv);
    let failed = batch.centroidal_map(q, &mut out, s).unwrap();
    keep(vec![("centroidal_map", out)], s, failed);
    let (mut map, mut out) = (room(6 * nv), room(6));
    let failed = batch
        .centroidal_momentum(q, v, &mut map, &mut out, s)
        .unwrap();
    let both = [
        ("centroidal_momentum.map", map),
        ("centroidal_momentum", out),
    ];
    keep(both.into(), s, failed);
    let lengths = [nv * nv, nv, nv, 6 * nv, 6, 6, 3, 1, 1];
    let mut out = lengths.map(room);
    let [
        mass_matrix,
        bias,
        gravity_torque,
        centroidal_map,
        centroidal_momentum,
        centroidal_drift,
        center_of_mass,
        kinetic_energy,
        potential_energy,
    ] = &mut out;
    let terms = TermRows {
        mass_matrix,
        bias,
        gravity_torque,
        centroidal_map,
        centroidal_momentum,
        centroidal_drift,
        center_of_mass,
        kinetic_energy,
        potential_energy,
    };
    let failed = batch.all_terms(q, v, terms, s).unwrap();
    let names = [
        "terms.mass",
        "terms.bias",
        "terms.gravity",
        "terms.map",
        "terms.momentum",
        "terms.drift",
        "terms.center",
        "terms.kinetic",
        "terms.potential",
    ];
    keep(names.into_iter().zip(out).collect(), s, failed);
    let mut out = room(12 * joints);
    let failed = batch.joint_placements(q, &mut out, s).unwrap();
    keep(vec![("joint_placements", out)], s, failed);
    let frames = some_frames(&model);
    let mut out = room(12 * frames.len());
    let failed = batch.frame_placements(q, &frames, &mut out, s).unwrap();
    keep(vec![("frame_placements", out)], s, failed);
    let mut out = room(6 * columns);
    let failed = batch.joint_jacobians(q, &mut out, s).unwrap();
    keep(vec![("joint_jacobians", out)], s, failed);
    let mut out = room(6 * nv * frames.len());
    let reference = ReferenceFrame::LocalWorldAligned;
    let failed = batch
        .frame_jacobians(q, &frames, reference, &mut out, s)
        .unwrap();
    keep(vec![("frame_jacobians", out)], s, failed);
    let mut out = room(3);
    let failed = batch.center_of_mass(q, &mut out, s).unwrap();
    keep(vec![("center_of_mass", out)], s, failed);
    let mut out = [room(3), room(3 * nv)];
    let [center, jacobian] = &mut out;
    let failed = batch
        .center_of_mass_jacobian(q, center, jacobian, s)
        .unwrap();
    let names = ["center_of_mass.above", "center_of_mass.jacobian"];
    keep(names.into_iter().zip(out).collect(), s, failed);
    (results, statuses)
}

/// The random robots, and some whose hinges turn about coordinate axes of their parents: lanes keep
/// those as turns.
pub fn robots() -> Vec<(Model, u64)> {
    let mut robots = common::models();
    let seed = robots.len() as u64;
    robots.push((upright(), seed));
    robots.push((samples::humanoid(), seed + 1));
    robots.push((coordinate_axes(), seed + 2));
    robots
}

/// A tree of hinges about x, y and z, each axis below each other one, and some hinges with
/// armature.
fn upright() -> Model {
    let mut builder = ModelBuilder::new("upright");
    let mut joints = vec![ModelBuilder::UNIVERSE];
    let axes = [0, 1, 2, 0, 2, 1, 0, 0, 1, 1, 2, 2];
    for (i, axis) in axes.into_iter().enumerate() {
        let parent = joints[if i % 5 == 4 { i - 2 } else { i }];
        let x = i as f64;
        let place = Vec3::new(0.1 * x.cos(), 0.2, 0.1 * x.sin());
        let spec = JointSpec::new(
            format!("hinge_{i}"),
            parent,
            JointKind::revolute(Vec3::unit(axis)),
        );
        let spec = spec.placement(Se3::from_translation(place));
        joints.push(builder.add_joint(spec.armature(if i % 3 == 1 { 0.02 } else { 0.0 })));
        let com = Vec3::new(0.05 * x.sin(), 0.03, 0.1);
        let moments = Sym3::new(0.03, 0.002, -0.001, 0.02, 0.003, 0.025);
        let body = Inertia::new(1.0 + 0.1 * x, com, moments);
        builder.add_body(joints[i + 1], format!("body_{i}"), Se3::identity(), body);
    }
    builder.build().unwrap().model
}

/// Joints along coordinate axes, forwards and backwards, in frames that have their parents' axes
/// and in others: a branch for each axis, in which joints of three kinds follow each other.
fn coordinate_axes() -> Model {
    let mut builder = ModelBuilder::new("coordinate_axes");
    let moments = Sym3::new(0.03, 0.002, -0.001, 0.02, 0.003, 0.025);
    let body = Inertia::new(1.3, Vec3::new(0.05, 0.03, 0.1), moments);
    let turned = Mat3::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7);
    for branch in 0..12 {
        let axis = Vec3::unit(branch % 3) * if branch % 6 < 3 { 1.0 } else { -1.0 };
        let rotation = if branch < 6 { Mat3::identity() } else { turned };
        let place = Se3::new(rotation, Vec3::new(0.1, -0.2, 0.3));
        let kinds = [
            JointKind::revolute(axis),
            JointKind::prismatic(axis),
            JointKind::revolute_unbounded(axis),
        ];
        let mut parent = ModelBuilder::UNIVERSE;
        for (k, kind) in kinds.into_iter().enumerate() {
            let spec = JointSpec::new(format!("joint_{branch}_{k}"), parent, kind);
            parent = builder.add_joint(spec.placement(place));
            builder.add_body(parent, format!("body_{branch}_{k}"), Se3::identity(), body);
        }
    }
    builder.build().unwrap().model
}

/// The same results for one state, by the algorithms for single states.
pub fn alone(model: &Model, state: &State) -> Results<f64> {
    let mut ws = Workspace::new(model);
    let ws = &mut ws;
    let (q, v, w) = (&state.q, &state.v, &state.tau);
    let mut results = Results::new();
    results.push(("rnea", model.rnea(ws, q, v, w).unwrap().to_vec()));
    results.push(("bias", model.bias(ws, q, v).unwrap().to_vec()));
    results.push(("aba", model.aba(ws, q, v, w).unwrap().to_vec()));
    let a = model.forward_dynamics_crba(ws, q, v, w).unwrap();
    results.push(("forward_dynamics_crba", a.to_vec()));
    let found = model.rnea_derivatives(ws, q, v, w).unwrap();
    results.push(("rnea_derivatives.tau", found.tau.to_vec()));
    results.push(("rnea_derivatives.dq", found.dq.as_slice().to_vec()));
    results.push(("rnea_derivatives.dv", found.dv.as_slice().to_vec()));
    results.push(("rnea_derivatives.da", found.da.as_slice().to_vec()));
    let found = model.aba_derivatives(ws, q, v, w).unwrap();
    results.push(("aba_derivatives.a", found.acceleration.to_vec()));
    results.push(("aba_derivatives.dq", found.dq.as_slice().to_vec()));
    results.push(("aba_derivatives.dv", found.dv.as_slice().to_vec()));
    results.push(("aba_derivatives.dtau", found.dtau.as_slice().to_vec()));
    let mut regressor = DMatrix::zeros(model.nv(), 10 * (model.joints().len() - 1));
    model
        .joint_torque_regressor_into(ws, q, v, w, &mut regressor)
        .unwrap();
    results.push(("regressor", regressor.as_slice().to_vec()));
    let mass = model.crba(ws, q).unwrap();
    results.push(("crba", mass.as_slice().to_vec()));
    let tree = kernel::elimination_tree(model);
    let mut packed = vec![f64::NAN; tree.tight_len()];
    for k in 0..tree.len() {
        for i in tree.ancestors(k).chain([k]) {
            packed[tree.tight_place(k, i)] = mass[(k, i)];
        }
    }
    results.push(("crba_packed", packed));
    let mut x = w.clone();
    model.ltdl(ws, q).unwrap().solve(&mut x).unwrap();
    results.push(("mass_matrix_solve", x));
    let inverse = model.mass_matrix_inverse(ws, q).unwrap();
    results.push(("mass_matrix_inverse", inverse.as_slice().to_vec()));
    let map = model.centroidal_map(ws, q).unwrap();
    results.push(("centroidal_map", map.as_slice().to_vec()));
    results.push(("centroidal_momentum.map", map.as_slice().to_vec()));
    let momentum = model.centroidal_momentum(ws, q, v).unwrap();
    results.push(("centroidal_momentum", momentum.to_array().to_vec()));
    let terms = model.all_terms(ws, q, v).unwrap();
    results.push(("terms.mass", terms.mass_matrix().as_slice().to_vec()));
    results.push(("terms.bias", terms.bias().to_vec()));
    results.push(("terms.gravity", terms.gravity_torque().to_vec()));
    let map = terms.centroidal_map().unwrap();
    results.push(("terms.map", map.as_slice().to_vec()));
    let momentum = terms.centroidal_momentum().unwrap();
    results.push(("terms.momentum", momentum.to_array().to_vec()));
    let drift = terms.centroidal_drift().unwrap();
    results.push(("terms.drift", drift.to_array().to_vec()));
    let center = terms.centers_of_mass().center_of_mass().unwrap();
    results.push(("terms.center", center.to_array().to_vec()));
    results.push(("terms.kinetic", vec![terms.kinetic_energy()]));
    results.push(("terms.potential", vec![terms.potential_energy()]));
    let flat = |p: Se3<f64>| {
        let r = p.rotation;
        [r.x, r.y, r.z, p.translation]
            .map(|v| v.to_array())
            .concat()
    };
    let frames = some_frames(model);
    let positions = model.forward_kinematics(ws, q).unwrap();
    let joints = model.joint_ids().flat_map(|j| flat(positions.placement(j)));
    results.push(("joint_placements", joints.collect()));
    let placements = frames.iter().flat_map(|&f| flat(positions.placement(f)));
    results.push(("frame_placements", placements.collect()));
    let jacobians = model.joint_jacobians(ws, q).unwrap();
    let columns = model
        .joint_ids()
        .flat_map(|j| jacobians.joint_columns(j))
        .flat_map(|c| c.to_array());
    results.push(("joint_jacobians", columns.collect()));
    let mut all = Vec::new();
    for &frame in &frames {
        let mut jacobian = DMatrix::zeros(6, model.nv());
        let reference = ReferenceFrame::LocalWorldAligned;
        jacobians
            .jacobian_into(frame, reference, &mut jacobian)
            .unwrap();
        all.extend_from_slice(jacobian.as_slice());
    }
    results.push(("frame_jacobians", all));
    let centers = model.centers_of_mass(ws, q).unwrap();
    let center = centers.center_of_mass().unwrap();
    results.push(("center_of_mass", center.to_array().to_vec()));
    results.push(("center_of_mass.above", center.to_array().to_vec()));
    let mut jacobian = DMatrix::zeros(3, model.nv());
    centers.center_of_mass_jacobian_into(&mut jacobian).unwrap();
    results.push(("center_of_mass.jacobian", jacobian.as_slice().to_vec()));
    results
}

/// The rows of one state.
pub fn row<T>(values: &[T], count: usize, state: usize) -> &[T] {
    let length = values.len() / count;
    &values[state * length..(state + 1) * length]
}
