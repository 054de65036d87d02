//! Compiled solutions that are checked, and plans that are kept.

use crate::common::{State, close, robots, trees};
use featherline::Workspace;
use featherline::samples::tapered_chain;
use featherline_system::{
    Check, CompiledSolve, GuardedProgram, GuardedRun, KnownSet, Plan, PlanError, PlanFileError,
    Problem, SearchOptions, SensorFile, SolveStatus, Stage, System, Template, order,
};
use std::time::Duration;

/// Orders and sums differ, and badly conditioned trees amplify it.
const TOLERANCE: f64 = 1e-9;

fn quick() -> SearchOptions {
    SearchOptions {
        restarts: 3,
        exchanges: 200,
        ..SearchOptions::default()
    }
}

pub fn requesting(system: &System, columns: std::ops::Range<usize>) -> Template {
    let requested = (0..system.unknowns().count()).map(|column| columns.contains(&column));
    let template = system.template().expect("square");
    template
        .requesting(requested.collect())
        .expect("sizes agree")
}

fn concatenated(state: &State) -> Vec<f64> {
    [&state.q[..], &state.v, &state.tau].concat()
}

#[test]
fn a_checked_program_is_forward_dynamics() {
    let few = trees().step_by(5).chain(robots().zip(100..).step_by(6));
    for (model, seed) in few {
        // More states than are solved together.
        let states: Vec<State> = (0..70).map(|k| State::random(&model, seed + k)).collect();
        let mut ws = Workspace::new(&model);
        let expected: Option<Vec<f64>> = states
            .iter()
            .map(|state| {
                Some(
                    model
                        .aba(&mut ws, &state.q, &state.v, &state.tau)
                        .ok()?
                        .to_vec(),
                )
            })
            .collect::<Option<Vec<_>>>()
            .map(|all| all.concat());
        let Some(expected) = expected.filter(|all| !all.is_empty()) else {
            continue;
        };
        let system = System::new(Problem::forward_dynamics(model)).expect("a system");
        let columns = system.unknowns().joint_accelerations();
        let order = order::aba(&system).expect("forward dynamics");
        let template = requesting(&system, columns.clone());
        let program = GuardedProgram::new(&system, &template, &order).expect("no pivot vanishes");
        assert!(program.requested().eq(columns));
        let mut run = GuardedRun::new(&system, &program).expect("memory");
        let inputs: Vec<f64> = states.iter().flat_map(concatenated).collect();
        let mut found = vec![f64::NAN; expected.len()];
        let mut checks = vec![Check::default(); states.len()];
        run.run(&inputs, &mut found, &mut checks)
            .expect("sizes agree");
        close(system.model().name(), &found, &expected, TOLERANCE);
        assert!(
            checks
                .iter()
                .all(|check| check.status != SolveStatus::Singular)
        );
    }
}

#[test]
fn a_program_falls_back_where_a_pivot_all_but_vanishes() {
    let system = System::new(Problem::forward_dynamics(tapered_chain(6))).expect("a system");
    let template = requesting(&system, system.unknowns().joint_accelerations());
    // Markowitz takes sines for pivots, which the samples have and these states have not.
    let order = order::markowitz(&template).expect("regular");
    let program = GuardedProgram::new(&system, &template, &order).expect("pivots were tried");
    let mut run = GuardedRun::new(&system, &program).expect("memory");
    let mut ws = Workspace::new(system.model());
    let mut statuses = Vec::new();
    for tiny in [0.0, 1e-17, 1e-14, 1e-11, 1e-3, 0.3] {
        for turn in [0.0, std::f64::consts::FRAC_PI_2] {
            let (q, v, tau) = ([tiny + turn; 6], [0.3; 6], [1.0; 6]);
            let expected = system.model().aba(&mut ws, &q, &v, &tau).expect("regular");
            let state = [q, v, tau].concat();
            let (mut found, mut checks) = ([f64::NAN; 6], [Check::default()]);
            run.run(&state, &mut found, &mut checks)
                .expect("sizes agree");
            close("q̈", &found, expected, 100.0 * TOLERANCE);
            assert!(checks[0].backward_error < 1e-13, "{checks:?}");
            statuses.push(checks[0].status);
        }
    }
    assert!(statuses.contains(&SolveStatus::FellBack), "{statuses:?}");
    assert!(statuses.contains(&SolveStatus::Accepted), "{statuses:?}");
}

#[test]
fn a_program_accepts_nothing_under_a_limit_that_nothing_meets() {
    let system = System::new(Problem::forward_dynamics(tapered_chain(4))).expect("a system");
    let template = requesting(&system, system.unknowns().joint_accelerations());
    let order = order::aba(&system).expect("forward dynamics");
    let program = GuardedProgram::new(&system, &template, &order).expect("no pivot vanishes");
    let run = GuardedRun::new(&system, &program).expect("memory");
    let (mut found, mut checks) = ([f64::NAN; 4], [Check::default()]);
    let state = [[0.3; 4], [0.2; 4], [1.0; 4]].concat();
    run.with_limit(-1.0)
        .run(&state, &mut found, &mut checks)
        .expect("sizes agree");
    assert_eq!(checks[0].status, SolveStatus::FellBack);
    let mut ws = Workspace::new(system.model());
    let expected = system.model().aba(&mut ws, &[0.3; 4], &[0.2; 4], &[1.0; 4]);
    close("q̈", &found, expected.expect("regular"), TOLERANCE);
}

/// The humanoid on a slippery floor, the ankles' accelerations unknown: singular where the soles
/// are parallel (Nori 2017, equation 24).
fn on_a_slippery_floor() -> System {
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let floor = ["left", "right"].map(|side| {
        format!(
            "[[sensor]]\nname = \"{side}_floor\"\ntype = \"contact\"\nframe = \"{side}_sole\"\ncontact = \"slippery\"\n"
        )
    });
    let text = feet.replace("\"qdd\", ", "") + &floor.concat();
    let file = SensorFile::read(&text, &humanoid).expect("valid sensors");
    let others = humanoid.joint_ids();
    let others = others.filter(|&joint| !humanoid.joint(joint).name.contains("ankle"));
    let known: Vec<KnownSet> = others.map(KnownSet::JointAcceleration).collect();
    System::new(file.problem(humanoid, &known).expect("a problem")).expect("a system")
}

#[test]
fn a_singular_state_has_no_solution() {
    let system = on_a_slippery_floor();
    let model = system.model();
    let template = requesting(&system, system.unknowns().joint_forces());
    let order = order::markowitz(&template).expect("regular in general position");
    let program = GuardedProgram::new(&system, &template, &order).expect("pivots were tried");
    let rest = [vec![0.1; model.nv()], vec![0.5; system.input_count()]].concat();
    let straight = [model.neutral_configuration(), rest.clone()].concat();
    let bent = [State::random(model, 1).q, rest].concat();
    let mut found = vec![0.0; 2 * model.nv()];
    let mut checks = [Check::default(); 2];
    GuardedRun::new(&system, &program)
        .expect("memory")
        .run(&[straight, bent].concat(), &mut found, &mut checks)
        .expect("sizes agree");
    assert_eq!(checks[0].status, SolveStatus::Singular, "{checks:?}");
    assert!(checks[0].condition > 1e14);
    assert_eq!(checks[1].status, SolveStatus::Accepted, "{checks:?}");
    let (straight, bent) = found.split_at(model.nv());
    assert!(straight.iter().all(|torque| torque.is_nan()));
    assert!(bent.iter().all(|torque| torque.is_finite()));
}

/// Whether there is a solution does not depend on whether doubles can hold it.
#[test]
fn a_solution_that_overflows_is_not_called_singular() {
    let system = System::new(Problem::forward_dynamics(tapered_chain(4))).expect("a system");
    let template = requesting(&system, system.unknowns().joint_accelerations());
    let order = order::aba(&system).expect("forward dynamics");
    let program = GuardedProgram::new(&system, &template, &order).expect("no pivot vanishes");
    let mut run = GuardedRun::new(&system, &program).expect("memory");
    let mut status = |v: f64, tau: f64| {
        let state = [[0.3; 4], [v; 4], [tau; 4]].concat();
        let (mut found, mut checks) = ([0.0; 4], [Check::default()]);
        run.run(&state, &mut found, &mut checks)
            .expect("sizes agree");
        let solved = matches!(
            checks[0].status,
            SolveStatus::Accepted | SolveStatus::FellBack
        );
        assert!(found.iter().all(|x| x.is_finite() == solved), "{checks:?}");
        (checks[0].status, found)
    };
    let (_, unit) = status(0.0, 1e150);
    let mut overflows = 0;
    for exponent in 150..309 {
        let tau = 10.0_f64.powi(exponent);
        let expected = unit.map(|acceleration| acceleration * (tau / 1e150));
        let (status, found) = status(0.0, tau);
        if status == SolveStatus::Overflow {
            overflows += 1;
        } else {
            close(
                "q̈",
                &found.map(|x| x / tau),
                &expected.map(|x| x / tau),
                TOLERANCE,
            );
        }
        let fits = expected.iter().all(|x| x.is_finite());
        assert_eq!(
            status != SolveStatus::Overflow,
            fits,
            "1e{exponent}: {status:?}"
        );
    }
    assert!(overflows > 0);
    for v in [1e155, 1e160, 1e300] {
        assert_eq!(status(v, 1.0).0, SolveStatus::Overflow, "{v}");
    }
    assert_eq!(status(1.0, 1.0).0, SolveStatus::Accepted);
}

/// Load cells alone under the feet (Nori 2017, Remark 5): pivots vanish in every state, but for
/// rounding.
#[test]
fn load_cells_under_the_feet_are_never_solved() {
    let humanoid = featherline_robots::humanoid();
    let feet = include_str!("../../../../robots/humanoid-feet.toml");
    let file = SensorFile::read(feet, &humanoid).expect("valid sensors");
    let system = System::new(file.problem(humanoid, &[]).expect("a problem")).expect("a system");
    let requested: Vec<usize> = system.unknowns().joint_forces().collect();
    let refused = Plan::new(&system, &requested, &quick(), |_| {});
    assert!(matches!(refused, Err(PlanError::Singular)), "{refused:?}");

    // A program made all the same finds no solution, either.
    let model = system.model();
    let template = requesting(&system, system.unknowns().joint_forces());
    let order = order::markowitz(&template).expect("rounding leaves pivots");
    let program = GuardedProgram::new(&system, &template, &order).expect("pivots were tried");
    let states: Vec<f64> = (0..100)
        .flat_map(|seed| {
            let inputs = (0..system.input_count()).map(|k| (1.3 * k as f64).sin());
            let moving = vec![0.1; model.nv()].into_iter().chain(inputs);
            State::random(model, seed).q.into_iter().chain(moving)
        })
        .collect();
    let mut found = vec![0.0; 100 * model.nv()];
    let mut checks = [Check::default(); 100];
    GuardedRun::new(&system, &program)
        .expect("memory")
        .run(&states, &mut found, &mut checks)
        .expect("sizes agree");
    assert!(
        checks
            .iter()
            .all(|check| check.status == SolveStatus::Singular)
    );
    assert!(found.iter().all(|torque| torque.is_nan()));
}

#[test]
fn a_plan_survives_as_bytes_and_solves_the_same() {
    let system = System::new(Problem::forward_dynamics(tapered_chain(5))).expect("a system");
    let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
    let mut stages = Vec::new();
    let plan = Plan::new(&system, &requested, &quick(), |stage| stages.push(stage));
    let plan = plan.expect("regular");
    let done: Vec<f64> = stages
        .iter()
        .filter_map(|stage| match stage {
            Stage::Search(progress) => Some(progress.done),
            Stage::Compilation => None,
        })
        .collect();
    assert!(done.is_sorted() && done.last() == Some(&1.0), "{done:?}");
    assert_eq!(stages.last(), Some(&Stage::Compilation));

    assert_eq!(
        plan.operations(),
        operations_of_the_solution(&system, &plan)
    );

    let key = Plan::key_of(&system, &requested, &quick());
    let read = Plan::from_bytes(&plan.to_bytes(), &system, key).expect("a plan");
    assert_eq!(read, plan);
}

#[test]
fn a_plan_of_something_else_is_refused() {
    let system = |links| System::new(Problem::forward_dynamics(tapered_chain(links)));
    let (three, four) = (system(3).expect("a system"), system(4).expect("a system"));
    let requested: Vec<usize> = three.unknowns().joint_accelerations().collect();
    let plan = Plan::new(&three, &requested, &quick(), |_| {}).expect("regular");
    let key = Plan::key_of(&three, &requested, &quick());
    let bytes = plan.to_bytes();
    let refused = |bytes: &[u8], key| Plan::from_bytes(bytes, &three, key).expect_err("no plan");
    assert_eq!(refused(b"{}", key), PlanFileError::NoPlan);
    assert_eq!(
        refused(&bytes[..bytes.len() - 1], key),
        PlanFileError::Damaged
    );
    for at in (16..bytes.len()).step_by(97) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(refused(&changed, key), PlanFileError::Damaged, "byte {at}");
    }
    let mut newer = bytes.clone();
    newer[12] += 1;
    assert!(matches!(
        refused(&newer, key),
        PlanFileError::Version { .. }
    ));
    let longer = SearchOptions {
        time: Duration::from_secs(51),
        ..quick()
    };
    for other in [
        Plan::key_of(&four, &requested, &quick()),
        Plan::key_of(&three, &requested[1..], &quick()),
        Plan::key_of(&three, &requested, &longer),
    ] {
        assert_ne!(other, key);
        assert_eq!(refused(&bytes, other), PlanFileError::Foreign);
    }
    // A forger who knows the key, but not the system.
    let forged = Plan::from_bytes(&bytes, &four, key).expect_err("another size");
    assert!(matches!(forged, PlanFileError::Unreadable(_)), "{forged}");
}

/// The operations that the search minimised: those of the program, without the check of the pivots.
fn operations_of_the_solution(system: &System, plan: &Plan) -> u64 {
    let found = plan.program().solve().requested();
    let requested = (0..system.unknowns().count()).map(|column| found.contains(&column));
    let template = system.template().expect("square");
    let template = template
        .requesting(requested.collect())
        .expect("sizes agree");
    let solve = CompiledSolve::new(system, &template, plan.order()).expect("an order");
    let (alone, watched) = (solve.program().count(), plan.program().solve().program());
    let watch = watched.count().total() - alone.total();
    assert!((1..alone.total() / 20).contains(&watch), "{watch}");
    alone.total()
}

#[test]
fn a_humanoid_of_40_joints_is_planned_once() {
    let system = System::new(Problem::forward_dynamics(featherline::samples::humanoid()));
    let system = system.expect("a system");
    let requested: Vec<usize> = system.unknowns().joint_accelerations().collect();
    let options = SearchOptions {
        restarts: 1,
        exchanges: 50,
        ..SearchOptions::default()
    };
    let plan = Plan::new(&system, &requested, &options, |_| {}).expect("regular");
    assert_eq!(
        plan.operations(),
        operations_of_the_solution(&system, &plan)
    );
    let key = Plan::key_of(&system, &requested, &options);
    let kept = Plan::from_bytes(&plan.to_bytes(), &system, key).expect("a plan");

    let state = State::random(system.model(), 3);
    let mut ws = Workspace::new(system.model());
    let expected = system
        .model()
        .aba(&mut ws, &state.q, &state.v, &state.tau)
        .expect("regular");
    let (mut found, mut checks) = (vec![f64::NAN; expected.len()], [Check::default()]);
    GuardedRun::new(&system, kept.program())
        .expect("memory")
        .run(&concatenated(&state), &mut found, &mut checks)
        .expect("sizes agree");
    close("q̈", &found, expected, TOLERANCE);
}

/// The torques of a robot on the floor don't depend on its angle about the vertical, but an angle
/// it must be.
#[test]
fn a_number_that_nothing_depends_on_must_be_one_too() {
    let panda = featherline_robots::panda();
    let system = System::new(Problem::inverse_dynamics(panda)).expect("a system");
    let template = requesting(&system, system.unknowns().joint_forces());
    let order = order::rnea(&system).expect("inverse dynamics");
    let program = GuardedProgram::new(&system, &template, &order).expect("triangular");
    let mut run = GuardedRun::new(&system, &program).expect("memory");
    let (mut torques, mut checks) = ([0.0; 7], [Check::default()]);
    let mut state = [0.1; 21];
    run.run(&state, &mut torques, &mut checks)
        .expect("sizes agree");
    for broken in [f64::NAN, f64::INFINITY] {
        state[0] = broken;
        assert!(run.run(&state, &mut torques, &mut checks).is_err());
    }
}
