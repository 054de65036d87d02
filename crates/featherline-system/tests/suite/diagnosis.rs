//! Diagnoses: the cases of Nori 2017, and ranks against those of the whole dense matrix.

use crate::common::{State, dense, trees};
use featherline::Model;
use featherline::model::{FrameId, JointId};
use featherline_system::diagnosis::DiagnosisWarning;
use featherline_system::{
    Components, Contact, Diagnosis, Known, KnownValue, Noise, Problem, Sensor, SensorKind,
    Switches, System, Unknown, WrenchBasis,
};
use nalgebra::DMatrix;

/// A humanoid on two feet: accelerations are known, nothing holds the base, forces act at the soles
/// only.
fn standing(sensors: impl Fn(FrameId) -> Vec<SensorKind>) -> System {
    let model = featherline_robots::humanoid();
    let soles = ["left_sole", "right_sole"].map(|name| model.frame_id(name).expect("a sole"));
    let base = model.joint_ids().next().expect("a base");
    let feet = soles.map(|sole| model.frame(sole).joint);
    let mut problem = Problem::new(model)
        .joint_accelerations(KnownValue::Input)
        .external_forces_except(&feet, KnownValue::Zero);
    for degree in 0..6 {
        let known = Known::JointForce {
            joint: base,
            degree,
        };
        problem
            .know(known, KnownValue::Zero)
            .expect("six degrees of freedom");
    }
    for sole in soles {
        for kind in sensors(sole) {
            let name = format!("{} at {}", kind.name(), sole.index());
            problem
                .add_sensor(Sensor::new(name, kind, Noise::Deviation(1.0)))
                .expect("valid");
        }
    }
    System::new(problem).expect("a system")
}

fn cells(frame: FrameId) -> SensorKind {
    let positions = vec![[0.08, 0.03], [0.08, -0.03], [-0.08, 0.03], [-0.08, -0.03]];
    SensorKind::LoadCells { frame, positions }
}

#[test]
fn four_load_cells_a_foot_do_not_suffice() {
    let system = standing(|frame| vec![cells(frame)]);
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    // As many equations as unknowns, and none is missing by structure: Remark 5 is about numbers.
    assert_eq!(diagnosis.rows, diagnosis.unknowns);
    assert!(diagnosis.structure.underdetermined().columns.is_empty());
    // The planes of two soles meet in a line, and a force along it acts in both: singular wherever
    // the feet are.
    assert!(!diagnosis.is_solvable_in_general());
    let flat = ["neutral", "home"];
    for sample in (diagnosis.samples.iter()).filter(|s| !flat.contains(&s.sample.as_str())) {
        assert_eq!(sample.directions.len(), 1, "{}", sample.sample);
    }
    let neutral = &diagnosis.samples[0];
    // In the neutral stance both soles stand on one floor: two shear forces and one spin moment of
    // each foot against those of the other.
    assert_eq!(neutral.directions.len(), 3);
    let Some(DiagnosisWarning::ParallelContacts {
        open,
        open_on_flat_floor,
        open_in_general,
        load_cells,
        remedies,
        ..
    }) = diagnosis.warnings.first()
    else {
        panic!("not found: {:?}", diagnosis.warnings);
    };
    assert!(load_cells);
    // By hand from [H, X H]: H_f has rank 2, so that the normal force of three has no unknown; with
    // p in the plane the tangential moments have none, either.
    assert_eq!((*open, *open_on_flat_floor, *open_in_general), (1, 3, 1));
    let open_with = |contact: Contact, sample: &str| {
        let remedy = remedies
            .iter()
            .find(|r| r.contact == contact)
            .expect("looked at");
        remedy
            .open
            .iter()
            .find(|(name, _)| name == sample)
            .expect("looked at")
            .1
    };
    // The slippery floor (24) leaves the two spin moments, whose difference nothing measures while
    // the soles are parallel.
    assert_eq!(open_with(Contact::Slippery, "neutral"), 1);
    assert_eq!(open_with(Contact::Slippery, "random 1"), 0);
    assert_eq!(open_with(Contact::Frictionless, "neutral"), 0);
    let report = diagnosis.report(&system);
    for words in [
        "Remark 5",
        "equation 24",
        "NOT SOLVABLE",
        "planes of their soles",
        "at left_sole along x",
        "at right_sole about z",
    ] {
        assert!(report.contains(words), "`{words}` is missing in\n{report}");
    }
}

#[test]
fn few_load_cells_are_diagnosed_with_what_they_leave_open() {
    let few = |cells: usize| {
        let positions = &[[0.08, 0.0], [-0.08, 0.0], [0.0, 0.03]][..cells];
        standing(|frame| {
            let positions = positions.to_vec();
            vec![SensorKind::LoadCells { frame, positions }]
        })
    };
    // Six components a foot, of which cells tell one, two, three; and six equations for both feet
    // together.
    for (cells, open_in_general) in [(1, 4), (2, 2), (3, 1)] {
        let system = few(cells);
        let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
        assert!(!diagnosis.is_solvable());
        let least = diagnosis.samples.iter().map(|s| s.directions.len()).min();
        assert_eq!(least, Some(open_in_general), "{cells}");
        let report = diagnosis.report(&system);
        let told = ["fx, fy, mx, my, mz", "fx, fy, mx, mz", "fx, fy, mz"][cells - 1];
        let line = format!("not measured at left_sole: {told}\n");
        assert!(report.contains(&line), "{report}");
        assert_eq!(report.contains("LOAD CELLS ON ONE LINE"), cells < 3);
        let Some(DiagnosisWarning::ParallelContacts { remedies, .. }) = diagnosis.warnings.first()
        else {
            panic!("not found: {:?}", diagnosis.warnings);
        };
        // The last remedy named solves it, and none does before it.
        let solves = remedies.iter().map(|r| r.open.iter().all(|o| o.1 == 0));
        let solves: Vec<bool> = solves.collect();
        assert!(solves.last() == Some(&true) && !solves[..solves.len() - 1].contains(&true));
    }
    // Seen, and of no harm, where everything is determined.
    let whole = standing(|frame| {
        let (components, positions) = (Components::ALL, vec![[0.08, 0.0]]);
        vec![
            SensorKind::ExternalForce { frame, components },
            SensorKind::LoadCells { frame, positions },
        ]
    });
    let diagnosis = Diagnosis::of(&whole).expect("a diagnosis");
    assert!(diagnosis.is_solvable() && diagnosis.warnings.is_empty());
    assert_eq!(diagnosis.redundant.len(), 4);
}

#[test]
fn without_sensors_structure_alone_says_no() {
    let system = standing(|frame| vec![SensorKind::TactileNormal { frame }]);
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    assert!(!diagnosis.structure.underdetermined().columns.is_empty());
    assert!(!diagnosis.is_solvable_in_general());
    let report = diagnosis.report(&system);
    assert!(report.contains("too few equations"), "{report}");
}

#[test]
fn whole_wrenches_are_more_than_enough_and_each_sensor_is_redundant() {
    let system = standing(|frame| {
        let components = Components::ALL;
        vec![SensorKind::ExternalForce { frame, components }]
    });
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    assert!(diagnosis.is_solvable());
    assert_eq!(diagnosis.redundancy(), 6);
    assert_eq!(diagnosis.redundant.len(), 2);
    // One foot's sensor is needed.
    let mut switches = Switches::all_on(&system);
    switches.set(diagnosis.redundant[0], false);
    let half = Diagnosis::with(&system, &switches).expect("a diagnosis");
    assert!(half.is_solvable());
    assert_eq!((half.redundancy(), half.redundant.len()), (0, 0));
    switches.set(diagnosis.redundant[1], false);
    assert!(
        !Diagnosis::with(&system, &switches)
            .expect("a diagnosis")
            .is_solvable()
    );
}

#[test]
fn a_gyroscope_only_checks_velocities() {
    let system = standing(|frame| vec![SensorKind::Gyroscope { frame }]);
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    let found = diagnosis
        .warnings
        .iter()
        .any(|f| matches!(f, DiagnosisWarning::VelocityCheck { sensors } if sensors.len() == 2));
    assert!(found, "{:?}", diagnosis.warnings);
}

/// Ranks of the whole matrix, by singular values.
fn dense_rank(system: &System, q: &[f64]) -> usize {
    let v = vec![0.0; system.model().nv()];
    let (matrix, _) = dense(system, q, &v, &vec![0.0; system.input_count()]);
    let values = matrix.singular_values();
    values
        .iter()
        .filter(|&&value| value > 1e-10 * values.max())
        .count()
}

#[test]
fn ranks_are_those_of_the_whole_matrix() {
    for (model, seed) in trees().filter(|(model, _)| model.joints().len() < 8) {
        let all: Vec<JointId> = model.joint_ids().collect();
        let frames: Vec<FrameId> = model
            .frame_ids()
            .filter(|&frame| model.frame(frame).joint != JointId::UNIVERSE)
            .collect();
        // Knowns and sensors too few, too many and in between, as the seed has it.
        let mut problem = Problem::new(model.clone())
            .external_forces_except(&all[..seed as usize % all.len()], KnownValue::Zero);
        if seed % 3 != 0 {
            problem = problem.joint_forces(KnownValue::Input);
        }
        for (k, &frame) in frames.iter().enumerate().take(4) {
            let kind = match (seed as usize + k) % 4 {
                0 => SensorKind::Accelerometer { frame },
                1 => SensorKind::ForceTorque {
                    frame,
                    reaction: false,
                },
                2 => SensorKind::ExternalForce {
                    frame,
                    components: Components::LINEAR,
                },
                _ => SensorKind::AngularAccelerometer { frame },
            };
            problem
                .add_sensor(Sensor::new(format!("{k}"), kind, Noise::Exact))
                .expect("valid");
        }
        let system = System::new(problem).expect("a system");
        let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
        let neutral = diagnosis.samples.first().expect("small enough");
        let expected = dense_rank(&system, &model.neutral_configuration::<f64>());
        assert_eq!(neutral.rank, expected, "{}", model.name());
        assert_eq!(
            neutral.directions.len(),
            diagnosis.unknowns - expected,
            "{}",
            model.name()
        );
        // Structure bounds every rank.
        assert!(
            diagnosis
                .samples
                .iter()
                .all(|s| s.rank <= diagnosis.structure.rank())
        );
    }
}

#[test]
fn a_singular_mass_matrix_shows_as_motion_without_force() {
    use featherline::joint::JointKind;
    use featherline::model::{JointSpec, ModelBuilder};
    use featherline::spatial::{Inertia, Se3, Sym3, Vec3};
    let mut builder = ModelBuilder::new("massless");
    let inertia = Inertia::new(1.0, Vec3::zero(), Sym3::diagonal(Vec3::new(1.0, 1.0, 1.0)));
    let first = builder.add_joint(JointSpec::new(
        "first",
        ModelBuilder::UNIVERSE,
        JointKind::revolute_z(),
    ));
    let second = builder.add_joint(JointSpec::new("second", first, JointKind::revolute_z()));
    builder.add_body(second, "body", Se3::identity(), inertia);
    let model: Model = builder.build().expect("valid").model;
    let system = System::new(Problem::forward_dynamics(model)).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    assert!(
        diagnosis
            .samples
            .iter()
            .all(|sample| sample.directions.len() == 1)
    );
    assert!(diagnosis.report(&system).contains("q̈ of first"));
}

/// A chain whose ends bear wrenches of which all but the moment about z is known: Nori's equation
/// 24. Returns how many directions are open in general position.
fn open_with_last_wrench_in(basis: WrenchBasis) -> usize {
    let model = featherline::samples::random_tree(
        5,
        &featherline::samples::RandomTree {
            joints: 6,
            branching: 0.0,
            every_kind: false,
            mimic_joints: false,
            floating: true,
        },
    );
    let joints: Vec<JointId> = model.joint_ids().collect();
    let (first, last) = (joints[0], joints[5]);
    let mut problem = Problem::new(model)
        .joint_accelerations(KnownValue::Input)
        .external_forces_except(&[first, last], KnownValue::Zero);
    for degree in 0..6 {
        let known = Known::JointForce {
            joint: first,
            degree,
        };
        problem.know(known, KnownValue::Zero).expect("a free base");
    }
    problem
        .choose_basis(first, WrenchBasis::World)
        .expect("a body");
    problem.choose_basis(last, basis).expect("a body");
    for joint in [first, last] {
        for component in 0..5 {
            let terms = vec![(Unknown::ExternalForce { joint, component }, 1.0)];
            let name = format!("{} {component}", joint.index());
            let sensor = Sensor::new(name, SensorKind::Linear { terms }, Noise::Exact);
            problem.add_sensor(sensor).expect("valid");
        }
    }
    let system = System::new(problem).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    let random = diagnosis
        .samples
        .iter()
        .filter(|sample| sample.name_is_random());
    random
        .map(|sample| sample.directions.len())
        .min()
        .expect("three samples")
}

trait Named {
    fn name_is_random(&self) -> bool;
}

impl Named for featherline_system::diagnosis::Solvability {
    fn name_is_random(&self) -> bool {
        self.sample.starts_with("random")
    }
}

#[test]
fn in_base_coordinates_the_remedy_of_equation_24_is_rank_deficient_by_one() {
    // Both unmeasured moments then act about one line, and only their sum shows.
    assert_eq!(open_with_last_wrench_in(WrenchBasis::World), 1);
    assert_eq!(open_with_last_wrench_in(WrenchBasis::Link), 0);
}

#[test]
fn diagnoses_do_not_depend_on_velocity_or_inputs() {
    let system = standing(|frame| vec![cells(frame)]);
    let state = State::random(system.model(), 4);
    let still = vec![0.0; system.model().nv()];
    let inputs = vec![1.0; system.input_count()];
    let (moving, _) = dense(&system, &state.q, &state.v, &inputs);
    let (resting, _) = dense(&system, &state.q, &still, &vec![0.0; inputs.len()]);
    assert_eq!(moving, resting);
}

#[test]
fn snakes_of_300_links_are_diagnosed() {
    let snake = || featherline::samples::snake(300);
    for problem in [
        Problem::forward_dynamics(snake()),
        Problem::inverse_dynamics(snake()),
    ] {
        let system = System::new(problem).expect("a system");
        let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
        assert!(diagnosis.is_solvable(), "{}", diagnosis.report(&system));
        assert!(!diagnosis.samples.is_empty());
    }
    // Two accelerations of the snake are unknown and no torque is known: two directions are open,
    // whatever the numbers.
    let mut problem = Problem::new(snake()).external_forces(KnownValue::Zero);
    let joints: Vec<JointId> = problem.model().joint_ids().collect();
    for &joint in joints
        .iter()
        .filter(|&&joint| joint != joints[7] && joint != joints[250])
    {
        let known = Known::JointAcceleration { joint, degree: 0 };
        problem.know(known, KnownValue::Input).expect("known once");
    }
    let system = System::new(problem).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    for sample in &diagnosis.samples {
        assert_eq!(sample.directions.len(), 2, "{}", sample.sample);
        let seen: Vec<usize> = sample.directions.iter().map(|d| d.len()).collect();
        assert_eq!(seen, [1, 1], "each of them by itself");
    }
}

#[test]
fn what_a_snake_of_300_links_leaves_open_is_named() {
    // The torques of two joints are unknown, and nothing of their motion is known; then the force
    // on one link, too.
    for (with_a_force, open) in [(false, 2), (true, 8)] {
        let model = featherline::samples::snake(300);
        let joints: Vec<JointId> = model.joint_ids().collect();
        let touched = if with_a_force { &joints[100..101] } else { &[] };
        let mut problem = Problem::new(model).external_forces_except(touched, KnownValue::Zero);
        for (k, &joint) in joints.iter().enumerate() {
            if k != 7 && k != 250 {
                let known = Known::JointForce { joint, degree: 0 };
                problem.know(known, KnownValue::Input).expect("known once");
            }
        }
        let system = System::new(problem).expect("a system");
        let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
        let column = |coordinate| system.unknowns().column(Unknown::JointForce { coordinate });
        for sample in &diagnosis.samples {
            assert_eq!(sample.directions.len(), open, "{}", sample.sample);
            assert_eq!(sample.rank, system.unknowns().count() - open);
            assert!(
                [7, 250]
                    .iter()
                    .all(|&k| sample.undetermined.contains(&column(k)))
            );
            assert!(!sample.undetermined.contains(&column(8)));
        }
        assert_eq!(diagnosis.samples.len(), 4);
    }
}

#[test]
fn readings_that_are_redundant_are_named_though_their_sensor_is_not() {
    let model = featherline_robots::humanoid();
    let left = model.frame_id("left_sole").expect("a sole");
    // Twelve components and six equations for the robot as a whole; seven readings.
    let system = standing(|frame| {
        let components = if frame == left {
            Components::ALL
        } else {
            Components::LINEAR_Z
        };
        vec![SensorKind::ExternalForce { frame, components }]
    });
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    assert!(diagnosis.is_solvable() && diagnosis.redundancy() == 1);
    let sensors = system.problem().sensors();
    let names = |sensor: usize| sensors[sensor].name.as_str();
    // The left foot's sensor is needed as a whole: all moments of the right foot follow from it.
    assert_eq!(diagnosis.redundant.len(), 1);
    assert_eq!(diagnosis.redundant[0].index(), 1);
    let expected = vec![(names(0), vec!["force along z".to_owned()])];
    assert_eq!(diagnosis.redundant_readings(&system), expected);
    let line = format!("{}: force along z\n", names(0));
    let report = diagnosis.report(&system);
    assert!(report.contains(&line), "{report}");
    // The whole matrix says so, too: standing straight, it has full rank without this row, and
    // without no other of the sensor.
    let q = system.model().neutral_configuration();
    let v = vec![0.0; system.model().nv()];
    let (matrix, _) = dense(&system, &q, &v, &vec![0.0; system.input_count()]);
    let first = system.equations().count() - 7;
    for row in first..first + 6 {
        let values = matrix.clone().remove_row(row).singular_values();
        let rank = values.iter().filter(|&&x| x > 1e-10 * values.max()).count();
        let is_redundant = diagnosis.redundant_rows.contains(&row);
        assert_eq!(rank == diagnosis.unknowns, is_redundant, "{row}");
    }
}

/// The rank of the dynamics and some rows of a system, rows made equally long.
fn rank_with(system: &System, matrix: &DMatrix<f64>, rows: &[usize]) -> usize {
    let all: Vec<usize> = system
        .equations()
        .dynamics()
        .chain(rows.iter().copied())
        .collect();
    let mut picked = matrix.select_rows(&all);
    for mut row in picked.row_iter_mut() {
        let norm = row.norm();
        if norm > 0.0 {
            row /= norm;
        }
    }
    let values = picked.singular_values();
    values.iter().filter(|&&x| x > 1e-11 * values.max()).count()
}

#[test]
fn what_clashes_is_named_and_nothing_else() {
    let problems = |model: Model| {
        let inverse = Problem::inverse_dynamics(model.clone());
        let mut measured = inverse.clone();
        for frame in model.frame_ids().skip(3).take(2) {
            let kind = SensorKind::Accelerometer { frame };
            let name = format!("imu {}", model.frame(frame).name);
            let sensor = Sensor::new(name, kind, Noise::Deviation(0.1));
            measured.add_sensor(sensor).expect("valid");
        }
        [inverse.clone().joint_forces(KnownValue::Input), measured]
    };
    let models = [featherline_robots::panda(), featherline_robots::quadruped()];
    let mut count = 0;
    for system in models.into_iter().flat_map(problems) {
        let system = System::new(system).expect("a system");
        let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
        let dynamics = system.equations().dynamics().len();
        assert_eq!(diagnosis.dependent_sets.len(), diagnosis.redundancy());
        // They are looked at in another random configuration than this one.
        let state = State::random(system.model(), 5);
        let inputs = vec![0.0; system.input_count()];
        let (matrix, _) = dense(&system, &state.q, &state.v, &inputs);
        for set in &diagnosis.dependent_sets {
            let rank = rank_with(&system, &matrix, set);
            assert_eq!(rank, dynamics + set.len() - 1, "{set:?}");
            for left_out in set.iter().step_by(set.len().div_ceil(2)) {
                let others: Vec<usize> =
                    set.iter().copied().filter(|row| row != left_out).collect();
                let rank = rank_with(&system, &matrix, &others);
                assert_eq!(rank, dynamics + others.len(), "{set:?} {left_out}");
            }
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
    // A torque beside all accelerations and no external forces is one too many: they are all named,
    // and nothing of other links is.
    let panda = featherline_robots::panda();
    let mut problem = Problem::inverse_dynamics(panda.clone());
    let joint = panda.joint_id("panda_joint7").expect("a joint");
    let sensor = Sensor::new(
        "last",
        SensorKind::JointForce { joint },
        Noise::Deviation(0.1),
    );
    problem.add_sensor(sensor).expect("valid");
    let system = System::new(problem).expect("a system");
    let diagnosis = Diagnosis::of(&system).expect("a diagnosis");
    let [set] = &diagnosis.dependent_sets_in_words(&system)[..] else {
        panic!("one set");
    };
    // Of the external forces on the last link, only the moment about its axis is in the set.
    let expected = [
        "known accelerations (7 equations)",
        "known external forces (external force on panda_joint7 about z)",
        "last",
    ];
    assert_eq!(set, &expected);
    let report = diagnosis.report(&system);
    assert!(
        report.contains("1 equation is redundant.") && report.contains(&set.join("; ")),
        "{report}"
    );
}
