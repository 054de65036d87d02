//! Readings that the kinematics and the forces predict satisfy the sensors' rows.

use crate::common::{State, close, dense, robots, solve, trees};
use featherline::kinematics::ReferenceFrame;
use featherline::model::{FrameId, FrameKind, JointId};
use featherline::spatial::{Force, Vec3};
use featherline::{Model, Workspace};
use featherline_formats::LoadOptions;
use featherline_system::{
    Components, Contact, Diagnosis, Estimator, EstimatorOptions, Known, KnownValue, Noise, Problem,
    Requested, Sensor, SensorKind, System, SystemError, Unknown, WrenchBasis,
};

const EXACT: Noise = Noise::Exact;

/// A robot in motion with external forces on every body, and what sensors would read.
struct Moving {
    state: State,
    /// In the joints' output frames, the universe's first.
    forces: Vec<Force<f64>>,
    inputs: Vec<f64>,
    /// All unknowns.
    x: Vec<f64>,
}

fn problem(model: &Model) -> Problem {
    Problem::new(model.clone())
        .joint_accelerations(KnownValue::Input)
        .external_forces(KnownValue::Input)
}

/// The wrench at a frame, in its axes.
fn at_frame(model: &Model, frame: FrameId, force: &Force<f64>) -> Force<f64> {
    model.frame(frame).placement.inverse_act_force(force)
}

impl Moving {
    fn new(model: &Model, seed: u64) -> Self {
        let state = State::random(model, seed);
        let forces: Vec<Force<f64>> = (0..model.joints().len())
            .map(|i| {
                let x = i as f64;
                let (force, moment) = ((x.sin(), x.cos(), 1.0), (0.5, (2.0 * x).sin(), x.cos()));
                Force::new(
                    Vec3::new(force.0, force.1, force.2),
                    Vec3::new(moment.0, moment.1, moment.2),
                )
            })
            .collect();
        let mut inputs = state.a.clone();
        inputs.extend(forces[1..].iter().flat_map(|force| force.to_array()));
        let system = System::new(problem(model)).expect("a system");
        let x = solve(&system, &state.q, &state.v, &inputs);
        Self {
            state,
            forces,
            inputs,
            x,
        }
    }
}

/// Fails unless the readings satisfy the rows of a sensor at the given unknowns.
fn check(model: &Model, moving: &Moving, kind: SensorKind, readings: &[f64]) {
    let name = format!("{} of {}", kind.name(), model.name());
    let mut problem = problem(model);
    // The unknowns of the solution are in link coordinates.
    for joint in model.joint_ids() {
        problem
            .choose_basis(joint, WrenchBasis::Link)
            .expect("a body");
    }
    let sensor = problem
        .add_sensor(Sensor::new(&name, kind, EXACT))
        .expect("a valid sensor");
    let system = System::new(problem).expect("a system");
    assert_eq!(system.sensor_inputs(sensor).len(), readings.len());
    let mut inputs = moving.inputs.clone();
    inputs.extend(readings);
    let (matrix, rhs) = dense(&system, &moving.state.q, &moving.state.v, &inputs);
    let rows = system.equations().sensor(sensor);
    assert!(!rows.is_empty());
    let found = (matrix * nalgebra::DVector::from_column_slice(&moving.x))
        .rows(rows.start, rows.len())
        .clone_owned();
    let expected = rhs.rows(rows.start, rows.len()).clone_owned();
    // Rows may combine readings that are much larger than what is left of them.
    let scale = readings.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    close(
        &name,
        (found / scale).as_slice(),
        (expected / scale).as_slice(),
        1e-9,
    );
}

fn cases() -> impl Iterator<Item = (Model, u64)> {
    trees().take(16).chain(robots().take(3).zip(50..))
}

/// A moving frame in which any sensor can sit; the last one of the model is on some leaf.
fn last_frame(model: &Model) -> FrameId {
    model
        .frame_ids()
        .rfind(|&frame| {
            let frame = model.frame(frame);
            frame.joint != JointId::UNIVERSE && frame.kind != FrameKind::FixedJoint
        })
        .expect("a body")
}

#[test]
fn inertial_sensors_read_what_the_kinematics_give() {
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let State { q, v, a, .. } = &moving.state;
        let mut ws = Workspace::new(&model);
        let kinematics = model
            .forward_kinematics_accelerations(&mut ws, q, v, a)
            .expect("valid");
        let (frame, local) = (last_frame(&model), ReferenceFrame::Local);
        let up = kinematics
            .placement(frame)
            .rotation
            .tr_mul_vec(model.gravity());
        let classical = kinematics.classical_acceleration(frame, local);
        let proper = (classical.linear - up).to_array();
        check(
            &model,
            &moving,
            SensorKind::Accelerometer { frame },
            &proper,
        );
        let rate = kinematics.velocity(frame, local).angular.to_array();
        check(&model, &moving, SensorKind::Gyroscope { frame }, &rate);
        let angular = classical.angular.to_array();
        check(
            &model,
            &moving,
            SensorKind::AngularAccelerometer { frame },
            &angular,
        );
    }
}

/// An arm on a mast that leans, which is part of the world.
const MAST: &str = r#"<robot name="mast"><link name="ground"/><link name="mast"/>
    <link name="arm"><inertial><origin xyz="0 0 -0.4"/><mass value="2"/>
        <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
    <joint name="lean" type="fixed"><origin rpy="0.4 -0.7 1.1" xyz="1 2 3"/><parent link="ground"/><child link="mast"/></joint>
    <joint name="hinge" type="continuous"><parent link="mast"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"#;

#[test]
fn what_is_fixed_to_the_world_reads_gravity_and_rest_in_its_own_axes() {
    let robot = featherline_formats::load_str(MAST).expect("valid");
    let model = robot.model;
    let frame = model.frame_id("mast").expect("a link");
    assert_eq!(model.frame(frame).joint, JointId::UNIVERSE);
    let moving = Moving::new(&model, 3);
    // Rz(1.1) Ry(−0.7) Rx(0.4), by hand; proper acceleration points up.
    let [roll, pitch] = [0.4_f64, -0.7];
    let up = [
        -pitch.sin(),
        pitch.cos() * roll.sin(),
        pitch.cos() * roll.cos(),
    ];
    let reading = up.map(|x| 9.81 * x);
    let accelerometer = SensorKind::Accelerometer { frame };
    check(&model, &moving, accelerometer.clone(), &reading);
    for kind in [
        SensorKind::Gyroscope { frame },
        SensorKind::AngularAccelerometer { frame },
    ] {
        check(&model, &moving, kind, &[0.0; 3]);
    }
    // They determine nothing, and an estimate tests them.
    let problem = Problem::new(model.clone())
        .joint_accelerations(KnownValue::Input)
        .external_forces(KnownValue::Zero);
    let mut with = problem.clone();
    let base = Sensor::new("base", accelerometer, Noise::Deviation(0.01));
    let base = with.add_sensor(base).expect("it reads gravity");
    let [plain, with] = [problem, with].map(|problem| System::new(problem).expect("a system"));
    assert_eq!(
        with.sparsity()
            .row_range(with.equations().sensor(base).start),
        plain.sparsity().entries()..plain.sparsity().entries()
    );
    let diagnosis = Diagnosis::of(&with).expect("a diagnosis");
    assert!(diagnosis.is_solvable() && diagnosis.redundancy() == 3);
    assert!(diagnosis.report(&with).contains("FIXED TO THE WORLD: base"));
    let options = EstimatorOptions::default();
    let [mut plain, mut with] =
        [plain, with].map(|system| Estimator::new(system, &options).expect("an estimator"));
    let State { q, v, a, .. } = &moving.state;
    let expected = plain.update(q, v, a).expect("an estimate").mean().to_vec();
    let mut inputs = [&a[..], &reading].concat();
    inputs[3] += 0.02;
    let mut estimate = with.update(q, v, &inputs).expect("an estimate");
    assert_eq!(estimate.mean(), expected);
    let largest = estimate.residuals().largest().expect("three residuals");
    assert_eq!((largest.sensor, largest.component), (base, 2));
    assert!((largest.deviations - 2.0).abs() < 1e-9, "{largest:?}");
    // Forces there are no unknowns.
    let skin = Sensor::new("skin", SensorKind::TactileNormal { frame }, EXACT);
    let refused = Problem::new(model).add_sensor(skin).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("`mast`, which is fixed to the world")
    );
}

#[test]
fn a_robot_at_rest_reads_gravity() {
    let model = featherline_robots::panda();
    let frame = model
        .frame_id("panda_link0")
        .or_else(|_| model.frame_id("panda_link1"))
        .expect("a link");
    let frame = if model.frame(frame).joint == JointId::UNIVERSE {
        last_frame(&model)
    } else {
        frame
    };
    let mut problem = Problem::inverse_dynamics(model);
    let imu = Sensor::new("imu", SensorKind::Accelerometer { frame }, EXACT);
    let imu = problem.add_sensor(imu).expect("valid");
    let system = System::new(problem).expect("a system");
    let zeros = vec![0.0; 7];
    let mut inputs = zeros.clone();
    inputs.extend([0.0; 3]);
    let (matrix, rhs) = dense(&system, &zeros, &zeros, &inputs);
    let square = matrix.rows(0, matrix.ncols()).clone_owned();
    let x = square
        .lu()
        .solve(&rhs.rows(0, matrix.ncols()))
        .expect("regular");
    let rows = system.equations().sensor(imu);
    let reading = (matrix * x).rows(rows.start, 3).norm();
    assert!((reading - 9.81).abs() < 1e-12, "{reading}");
}

#[test]
fn joint_sensors_read_coordinates() {
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let system = System::new(problem(&model)).expect("a system");
        let solution = system.solution(&moving.x).expect("sizes agree");
        for joint in model.joint_ids() {
            let own = model.joint(joint);
            if own.mimic.is_some() || own.nv == 0 {
                continue;
            }
            let range = own.idx_v..own.idx_v + own.nv;
            let accelerations = &moving.state.a[range.clone()];
            check(
                &model,
                &moving,
                SensorKind::JointAcceleration { joint },
                accelerations,
            );
            let forces = &solution.joint_forces()[range];
            check(&model, &moving, SensorKind::JointForce { joint }, forces);
        }
    }
}

#[test]
fn force_sensors_read_wrenches_in_their_frames() {
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let frame = last_frame(&model);
        let joint = model.frame(frame).joint;
        let system = System::new(problem(&model)).expect("a system");
        let solution = system.solution(&moving.x).expect("sizes agree");
        let transmitted = at_frame(&model, frame, &solution.transmitted_force(joint)).to_array();
        let kind = |reaction| SensorKind::ForceTorque { frame, reaction };
        check(&model, &moving, kind(false), &transmitted);
        check(&model, &moving, kind(true), &transmitted.map(|x| -x));

        let wrench = at_frame(&model, frame, &moving.forces[joint.index()]);
        let components = Components::LINEAR_Y.and(Components::ANGULAR_Z);
        let readings = [wrench.linear.y, wrench.angular.z];
        let kind = SensorKind::ExternalForce { frame, components };
        check(&model, &moving, kind, &readings);
        let kind = SensorKind::TactileNormal { frame };
        check(&model, &moving, kind, &[wrench.linear.z]);
    }
}

/// Forces of four cells that amount to a normal force and two moments.
fn cell_forces(positions: &[[f64; 2]; 4], wrench: &Force<f64>) -> [f64; 4] {
    // Three cells in balance; the fourth reads something, and the others make up for it.
    let last = 0.7;
    let [x, y] = positions[3];
    let system = nalgebra::Matrix3::from_fn(|row, cell| match row {
        0 => 1.0,
        1 => positions[cell][1],
        _ => -positions[cell][0],
    });
    let target = nalgebra::Vector3::new(
        wrench.linear.z - last,
        wrench.angular.x - y * last,
        wrench.angular.y + x * last,
    );
    let three = system.lu().solve(&target).expect("cells not on one line");
    [three[0], three[1], three[2], last]
}

#[test]
fn load_cells_tell_the_normal_force_and_two_moments() {
    let positions = [[0.1, 0.05], [0.1, -0.04], [-0.07, 0.05], [-0.06, -0.05]];
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let frame = last_frame(&model);
        let force = &moving.forces[model.frame(frame).joint.index()];
        let readings = cell_forces(&positions, &at_frame(&model, frame, force));
        let kind = SensorKind::LoadCells {
            frame,
            positions: positions.to_vec(),
        };
        check(&model, &moving, kind, &readings);
    }
}

#[test]
fn the_centroidal_momentum_changes_as_external_forces_and_weight_say() {
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let State { q, v, a, .. } = &moving.state;
        let mut ws = Workspace::new(&model);
        let momentum = model
            .centroidal_momentum_rate(&mut ws, q, v, a)
            .expect("valid")
            .to_array();
        let components = Components::ALL;
        check(
            &model,
            &moving,
            SensorKind::CentroidalMomentumRate { components },
            &momentum,
        );
    }
}

#[test]
fn any_sum_of_unknowns_can_be_measured() {
    let model = featherline_robots::panda();
    let moving = Moving::new(&model, 3);
    let joint = model.joint_ids().nth(2).expect("seven joints");
    let terms = vec![
        (Unknown::JointForce { coordinate: 1 }, 2.0),
        (
            Unknown::Force {
                joint,
                component: 4,
            },
            -1.0,
        ),
        (Unknown::JointForce { coordinate: 1 }, 0.5),
    ];
    let system = System::new(problem(&model)).expect("a system");
    let at = |unknown| moving.x[system.unknowns().column(unknown)];
    let reading = 2.5 * at(terms[0].0) - at(terms[1].0);
    check(&model, &moving, SensorKind::Linear { terms }, &[reading]);
}

#[test]
fn sums_of_components_are_in_the_frames_that_wanted_reads() {
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let system = System::new(problem(&model)).expect("a system");
        let joints: Vec<_> = model.joint_ids().collect();
        let joint = joints[joints.len() - 1];
        let read = |word: Requested| word.values(&system, &moving.x).expect("sizes agree");
        let (a, f, fx) = (
            read(Requested::Acceleration(joint)),
            read(Requested::TransmittedForce(joint)),
            moving.forces[joint.index()].to_array(),
        );
        for component in 0..6 {
            let terms = vec![
                (Unknown::Acceleration { joint, component }, 2.0),
                (Unknown::Force { joint, component }, -1.0),
                (Unknown::ExternalForce { joint, component }, 0.5),
                (Unknown::JointAcceleration { coordinate: 0 }, 3.0),
            ];
            let reading = 2.0 * a[component] - f[component] + 0.5 * fx[component];
            let reading = reading + 3.0 * moving.state.a[0];
            check(&model, &moving, SensorKind::Sum { terms }, &[reading]);
        }
    }
}

#[test]
fn readings_come_in_the_order_in_which_components_are_named() {
    let turned = Components::LINEAR_Z.and(Components::LINEAR_X);
    for (model, seed) in cases() {
        let moving = Moving::new(&model, seed);
        let frame = last_frame(&model);
        let wrench = at_frame(
            &model,
            frame,
            &moving.forces[model.frame(frame).joint.index()],
        );
        let kind = SensorKind::ExternalForce {
            frame,
            components: turned,
        };
        let readings = [wrench.linear.z, wrench.linear.x];
        check(&model, &moving, kind.clone(), &readings);
        assert_eq!(kind.describe_row(0).as_deref(), Some("force along z"));

        let State { q, v, a, .. } = &moving.state;
        let mut ws = Workspace::new(&model);
        let rate = model.centroidal_momentum_rate(&mut ws, q, v, a);
        let rate = rate.expect("valid");
        let kind = SensorKind::CentroidalMomentumRate { components: turned };
        check(&model, &moving, kind, &[rate.linear.z, rate.linear.x]);

        // Deviations stay with what they are of, and so does what is known, of some components or
        // of all.
        let mut deviating = problem(&model);
        let noise = Noise::Deviations(vec![0.001, 10.0]);
        let kind = SensorKind::ExternalForce {
            frame,
            components: turned,
        };
        let sensor = deviating.add_sensor(Sensor::new("skin", kind, noise));
        let rows = sensor.expect("valid");
        let system = System::new(deviating).expect("a system");
        let rows = system.equations().sensor(rows);
        let variances: Vec<_> = rows.map(|row| system.variance(row)).collect();
        close(
            "variances",
            &[variances[0].expect("noisy"), variances[1].expect("noisy")],
            &[1e-6, 100.0],
            1e-15,
        );
    }
    let model = featherline_robots::panda();
    let joints: Vec<_> = model.joint_ids().collect();
    let (joint, state) = (joints[6], State::random(&model, 9));
    for components in [
        Components::ANGULAR.and(turned),
        Components::ANGULAR.and(turned).and(Components::LINEAR_Y),
    ] {
        let mut problem = Problem::new(model.clone())
            .joint_accelerations(KnownValue::Zero)
            .external_forces_except(&[joint], KnownValue::Zero);
        let known = Known::ExternalForce {
            joint,
            frame: None,
            components,
        };
        problem.know(known, KnownValue::Input).expect("a body");
        let others = Known::ExternalForce {
            joint,
            frame: None,
            components: components.others(),
        };
        problem.know(others, KnownValue::Zero).expect("a body");
        let system = System::new(problem).expect("a system");
        let given: Vec<f64> = (1..=components.count()).map(|k| k as f64).collect();
        let x = solve(&system, &state.q, &state.v, &given);
        let force = Requested::ExternalForce(joint).values(&system, &x);
        let force = force.expect("sizes agree");
        let found: Vec<f64> = components.iter().map(|k| force[k]).collect();
        close("known", &found, &given, 1e-12);
    }
}

#[test]
fn contacts_say_which_components_vanish() {
    let model = featherline_robots::humanoid();
    let frame = last_frame(&model);
    let joint = model.frame(frame).joint;
    for contact in [
        Contact::Slippery,
        Contact::Frictionless,
        Contact::Point,
        Contact::FrictionlessPoint,
    ] {
        let mut problem = Problem::new(model.clone());
        let kind = SensorKind::Contact { frame, contact };
        let sensor = problem
            .add_sensor(Sensor::new("contact", kind, EXACT))
            .expect("valid");
        let system = System::new(problem).expect("a system");
        // The unknown is written in the contact's frame, so that each row has one entry.
        assert_eq!(system.wrench_basis(joint), WrenchBasis::Frame(frame));
        let start = system.unknowns().external_force(joint).start;
        let rows = system.equations().sensor(sensor);
        let columns: Vec<_> = rows
            .map(|row| system.sparsity().row(row).to_vec())
            .collect();
        let expected: Vec<_> = contact
            .vanishing()
            .iter()
            .map(|c| vec![start + c])
            .collect();
        assert_eq!(columns, expected);
    }
}

#[test]
fn common_errors_become_independent_rows() {
    let model = featherline_robots::humanoid();
    let frame = last_frame(&model);
    let positions = vec![[0.1, 0.05], [0.1, -0.04], [-0.07, 0.05], [-0.06, -0.05]];
    let sigma = [1.0, 2.0, 3.0, 4.0];
    let kind = SensorKind::LoadCells {
        frame,
        positions: positions.clone(),
    };
    let mut problem = Problem::new(model);
    let sensor = Sensor::new("sole", kind, Noise::Deviations(sigma.to_vec()));
    let sensor = problem.add_sensor(sensor).expect("valid");
    let system = System::new(problem).expect("a system");
    let rows = system.equations().sensor(sensor);
    let joint = system.model().frame(frame).joint;
    let start = system.unknowns().external_force(joint).start;
    let (q, v) = (
        system.model().neutral_configuration(),
        vec![0.0; system.model().nv()],
    );
    let (matrix, _) = dense(&system, &q, &v, &[0.0; 4]);
    // The information on (fz, mx, my) must be that of the weighted least-squares problem of the
    // sums.
    let mut information = nalgebra::Matrix3::zeros();
    for row in rows {
        let weights = nalgebra::Vector3::from_fn(|k, _| matrix[(row, start + 2 + k)]);
        let variance = system.variance(row).expect("readings have errors");
        information += weights * weights.transpose() / variance;
    }
    let mut covariance = nalgebra::Matrix3::zeros();
    for ([x, y], sigma) in positions.iter().zip(sigma) {
        let column = nalgebra::Vector3::new(1.0, *y, -x);
        covariance += column * column.transpose() * (sigma * sigma);
    }
    let identity = information * covariance;
    assert!(
        (identity - nalgebra::Matrix3::identity()).norm() < 1e-10,
        "{identity}"
    );
}

#[test]
fn a_force_sensor_in_a_fixed_joint_needs_the_joint() {
    let joint = "panda_joint8";
    let sensor = |model: &Model| {
        let frame = model
            .frame_id(joint)
            .expect("its frame is there in any case");
        let reaction = false;
        SensorKind::ForceTorque { frame, reaction }
    };
    let lumped = featherline_robots::panda();
    let wrist = Sensor::new("wrist", sensor(&lumped), EXACT);
    let refused = Problem::new(lumped).add_sensor(wrist).unwrap_err();
    assert!(matches!(&refused, SystemError::LumpedJoint { joint: found, .. } if found == joint));
    let said = refused.to_string();
    assert!(said.contains("keep_fixed_joint") && said.contains("`panda_joint7` transmits"));

    let options = LoadOptions::default().keep_fixed_joint(joint);
    let kept = featherline_robots::model("panda", &options).expect("an embedded robot");
    let moving = Moving::new(&kept, 7);
    // Nothing but the force on the hand from outside passes through it: the links behind have no
    // mass.
    let hand = kept.joint_id(joint).expect("it was kept");
    let reading = (-moving.forces[hand.index()]).to_array();
    check(&kept, &moving, sensor(&kept), &reading);
}
