//! The account of what is conserved.

use featherline::Workspace;
use featherline::joint::JointKind;
use featherline::model::{JointSpec, ModelBuilder};
use featherline::samples;
use featherline::spatial::{Force, Inertia, Se3, Vec3};
use featherline_constraint::LoopGap;
use featherline_sim::integrator::RungeKutta4;
use featherline_sim::integrator::forces::BodyForces;
use featherline_sim::simulation::{
    Conservation, Drift, InnerEnergy, Method, Recorder, Sample, SimulationWarning, Simulator,
};

/// A sample of a robot that floats, at rest as a whole.
fn floating(t: f64, kinetic: f64) -> Sample<'static> {
    Sample {
        inner_energy: Some(InnerEnergy {
            kinetic,
            potential: 0.0,
        }),
        ..sample(t, kinetic, 0.0)
    }
}

fn sample(t: f64, kinetic: f64, potential: f64) -> Sample<'static> {
    Sample {
        t,
        q: &[],
        v: &[],
        tau: &[],
        kinetic_energy: kinetic,
        potential_energy: potential,
        inner_energy: None,
        momentum: Force::zero(),
        loop_gap: LoopGap::default(),
        contact: None,
    }
}

#[test]
fn errors_are_relative_to_a_motion() {
    // At rest against a weight of 97 J, but for the square of its rounding.
    let mut still = Conservation::new(&samples::double_pendulum());
    for (t, kinetic) in [(0.0, 0.0), (0.1, 2e-30)] {
        let _ = still.record(&sample(t, kinetic, 97.0 + 1e-14 * t)).unwrap();
    }
    assert_eq!(
        (still.energy_scale(), still.peak_energy_error()),
        (0.0, 0.0)
    );
    // Loops that lock it leave less than rounding of the velocity, at the height from which heights
    // are counted.
    let mut locked = Conservation::new(&samples::four_bar());
    for (t, kinetic, potential) in [(0.0, 0.0, 0.0), (0.1, 1e-90, 3e-16)] {
        let _ = locked.record(&sample(t, kinetic, potential)).unwrap();
    }
    assert_eq!(
        (locked.energy_scale(), locked.peak_energy_error()),
        (0.0, 0.0)
    );
    assert_eq!(locked.warning(), None);
    // A robot that falls without any motion of its own.
    let quadruped = featherline_robots::quadruped();
    let mut falls = Conservation::new(&quadruped);
    let fall = Sample {
        momentum: Force::new(Vec3::unit(2) * quadruped.total_mass(), Vec3::zero()),
        kinetic_energy: 0.5 * quadruped.total_mass(),
        ..floating(0.0, 0.0)
    };
    let _ = falls.record(&fall).unwrap();
    assert!(falls.floats_freely() && !falls.scale_is_inner());
    assert_eq!(falls.energy_scale(), 0.5 * quadruped.total_mass());
    let _ = falls.record(&floating(0.0, 1.0)).unwrap();
    assert!(falls.scale_is_inner() && falls.energy_scale() == 1.0);
}

#[test]
fn the_drift_is_the_least_squares_line() {
    let mut account = Conservation::new(&samples::double_pendulum());
    let times: Vec<f64> = (0..500).map(|k| 1e4 + 0.1 * k as f64).collect();
    // 4 J of kinetic energy at most; a slope of 3e-6 J/s under an oscillation.
    let energies: Vec<f64> = times
        .iter()
        .map(|t| -7.0 + 3e-6 * (t - 1e4) + 1e-4 * (37.0 * t).sin())
        .collect();
    for (t, energy) in times.iter().zip(&energies) {
        let _ = account.record(&sample(*t, 4.0, energy - 4.0)).unwrap();
    }
    // In two passes, by the textbook.
    let n = times.len() as f64;
    let mean = |x: &[f64]| x.iter().sum::<f64>() / n;
    let (mt, me) = (mean(&times), mean(&energies));
    let xx: f64 = times.iter().map(|t| (t - mt) * (t - mt)).sum();
    let xy: f64 = times
        .iter()
        .zip(&energies)
        .map(|(t, e)| (t - mt) * (e - me))
        .sum();
    let slope = xy / xx;
    // The error by the textbook for independent deviations, of means of parts of four: the
    // oscillation is fast enough.
    let parts: Vec<[f64; 2]> = times
        .chunks_exact(4)
        .zip(energies.chunks_exact(4))
        .map(|(t, e)| {
            [
                t.iter().sum::<f64>() / 4.0 - mt,
                e.iter().sum::<f64>() / 4.0 - me,
            ]
        })
        .collect();
    let xx: f64 = parts.iter().map(|p| p[0] * p[0]).sum();
    let own = parts.iter().map(|p| p[0] * p[1]).sum::<f64>() / xx;
    let left: f64 = parts.iter().map(|p| (p[1] - own * p[0]).powi(2)).sum();
    let error = (left / (parts.len() as f64 - 2.0) / xx).sqrt();
    let drift = account.energy_drift();
    // Rounding of times of 1e4 s and of energies of 7 J in differences of 1e-4 J.
    assert!((drift.slope - slope / 4.0).abs() < 1e-6 * (slope / 4.0).abs());
    let ratio = 4.0 * drift.error / error;
    assert!((0.99..1.6).contains(&ratio), "{ratio}");
    assert!((drift.slope * 4.0 - 3e-6).abs() < 3.0 * error);
    let peak = energies
        .iter()
        .fold(0.0_f64, |m, e| m.max((e - energies[0]).abs()));
    assert!((account.peak_energy_error() - peak / 4.0).abs() < 1e-12);
    assert_eq!(account.samples(), 500);
}

/// Numbers between −1 and 1, by a linear congruence (D. Knuth, MMIX).
fn random(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[test]
fn the_error_of_the_drift_is_honest_where_deviations_hang_together() {
    // Energies that forget what they were in some 200 of 4,000 samples, and have no drift: a slope
    // is beyond two standard errors about once in twenty times. If each sample counted, it would be
    // most of the time.
    let (mut beyond, mut state) = (0, 7);
    let runs = 200;
    for _ in 0..runs {
        let mut account = Conservation::new(&samples::double_pendulum());
        let mut energy = 0.0;
        for k in 0..4_000 {
            energy = 0.995 * energy + random(&mut state);
            let _ = account
                .record(&sample(f64::from(k), 1.0, energy - 1.0))
                .unwrap();
        }
        let drift = account.energy_drift();
        beyond += usize::from(drift.slope.abs() > 2.0 * drift.error);
    }
    assert!((2..runs / 6).contains(&beyond), "{beyond} of {runs}");
}

#[test]
fn the_error_of_the_drift_sees_what_lasts_beneath_what_changes() {
    // A hundred points of noise, and beneath it what forgets itself in some thirty of them:
    // neighbours are hardly alike, and yet it is the slow part that tilts the line. Three such
    // spans tell little of it, so that one line in fifteen is beyond three standard errors; if
    // neighbours alone were asked, it would be every third.
    let (mut beyond, mut certain, mut state) = (0, 0, 3);
    let runs = 400;
    for _ in 0..runs {
        let mut slow = 0.0;
        let mut points = Vec::new();
        for k in -200..100 {
            slow = 0.97 * slow + 0.243 * random(&mut state);
            if k >= 0 {
                points.push([f64::from(k), slow + random(&mut state)]);
            }
        }
        let drift = Drift::through(&points);
        beyond += usize::from(drift.slope.abs() > 3.0 * drift.error);
        // A slope from end to end by a hundred times all that is a slope.
        for point in &mut points {
            point[1] += point[0];
        }
        let drift = Drift::through(&points);
        certain += usize::from(drift.slope > 3.0 * drift.error);
    }
    assert!(beyond < runs / 7, "{beyond} of {runs}");
    assert!(certain > runs * 19 / 20, "{certain} of {runs}");
}

#[test]
fn nothing_that_rests_has_an_error() {
    let mut account = Conservation::new(&samples::double_pendulum());
    for k in 0..4 {
        let _ = account.record(&sample(f64::from(k), 0.0, -3.0)).unwrap();
    }
    assert_eq!(account.peak_energy_error(), 0.0);
    assert_eq!(account.energy_drift().slope, 0.0);
    assert_eq!(account.energies(), (-3.0, -3.0));
}

#[test]
fn falling_makes_no_error_look_smaller() {
    // The same tumbling robot at rest and thrown at 100 m/s, in steps that are coarse enough for
    // errors to show: the same error of energy, relative to the same motion of its limbs.
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let account = |speed: f64| {
        let mut v: Vec<f64> = (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect();
        v[0] += speed;
        let method = Method::variational(5e-3).unwrap();
        let mut simulation = Simulator::new(&model, method).start(0.0, &q, &v).unwrap();
        let mut account = Conservation::new(&model);
        simulation.run(1.0, 0.05, &mut account).unwrap();
        account
    };
    let (slow, fast) = (account(0.0), account(100.0));
    // Steps are solved to a part of the velocity of the whole, which is a hundred times that of the
    // limbs. The kinetic energies themselves are as 1 to 10⁴.
    let ratio = fast.energy_scale() / slow.energy_scale();
    assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    // By König's theorem, with a velocity of the centre of mass of its own.
    let mut ws = Workspace::new(&model);
    let v: Vec<f64> = (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect();
    let kinetic = model.kinetic_energy(&mut ws, &q, &v).unwrap();
    let moving = model
        .forward_kinematics_velocities(&mut ws, &q, &v)
        .unwrap();
    let centre = moving.center_of_mass_velocity().unwrap();
    let inner = kinetic - 0.5 * model.total_mass() * centre.norm_squared();
    assert!(slow.energy_scale() >= inner * (1.0 - 1e-12) && slow.energy_scale() < 2.0 * inner);
    // Nothing moves but the centre of mass.
    let mut account = Conservation::new(&model);
    let mut straight = Sample {
        kinetic_energy: 8.0,
        ..floating(0.0, 0.0)
    };
    straight.momentum.linear = Vec3::new((16.0 * model.total_mass()).sqrt(), 0.0, 0.0);
    let _ = account.record(&straight).unwrap();
    assert!((account.energy_scale() - 8.0).abs() < 1e-12);
}

#[test]
fn a_fast_fall_costs_the_inner_energy_no_digits() {
    // The same tumbling robot at rest and thrown at 1,000 km/s, where kinetic energies near 6·10¹²
    // J are a mJ apart, which is 10⁻⁵ of that of the limbs.
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let start = |speed: f64| {
        let mut v: Vec<f64> = (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect();
        v[0] += speed;
        let method = Method::steps(RungeKutta4::new(&model), 5e-3).unwrap();
        Simulator::new(&model, method).start(0.0, &q, &v).unwrap()
    };
    let measured = |speed: f64| {
        let mut simulation = start(speed);
        let sample = simulation.sample().unwrap();
        (
            sample.inner_energy.unwrap().kinetic,
            sample.momentum.angular,
        )
    };
    let ((slow, slow_moment), (fast, fast_moment)) = (measured(0.0), measured(1e6));
    // Velocities of 10⁶ m/s have 10⁻¹⁰ m/s between them.
    assert!((fast / slow - 1.0).abs() < 1e-8, "{slow:e} {fast:e}");
    assert!((fast_moment - slow_moment).norm() < 1e-8);
    // Over a second the steps themselves lose digits to the speed: some 40 J of the whole, and of
    // the limbs' 0.19 J some 5 µJ.
    let mut account = Conservation::new(&model);
    start(1e6).run(1.0, 0.05, &mut account).unwrap();
    let greatest = account.linear_momentum_scale();
    assert!((greatest / (model.total_mass() * 1e6) - 1.0).abs() < 1e-4);
    assert!(
        account.linear_momentum_error() < 1e-10 * greatest,
        "{account:?}"
    );
    assert!(account.center_energy_error() < 1e-10, "{account:?}");
    assert!(account.peak_energy_error() < 1e-4, "{account:?}");
    assert_eq!(account.warning(), None);
}

#[test]
fn a_motion_that_blows_up_does_not_hide_its_error() {
    let pendulum = || Conservation::new(&samples::double_pendulum());
    let recorded = |mut account: Conservation, energies: &[(f64, f64)]| {
        for (k, (kinetic, potential)) in energies.iter().enumerate() {
            let _ = account
                .record(&sample(k as f64, *kinetic, *potential))
                .unwrap();
        }
        account
    };
    // It falls by 8 J, then by 2 J more than it had, then all is lost; also in steps that are each
    // hardly wrong.
    let lost = recorded(
        pendulum(),
        &[(0.0, 9.0), (8.0, 1.0), (40.0, 5.0), (1e51, 0.0)],
    );
    assert_eq!(lost.energy_scale(), 8.0);
    assert!(lost.peak_energy_error() > 1e50);
    let doubling: Vec<_> = (0..100).map(|k| (1.05_f64.powi(k), 0.0)).collect();
    let slowly = recorded(pendulum(), &doubling);
    assert!(slowly.energy_scale() <= 2.0 && slowly.peak_energy_error() > 60.0);
    // From rest there is no other scale than what it blew up to.
    let at_once = recorded(pendulum(), &[(0.0, 0.0), (1e30, 0.0)]);
    assert_eq!(at_once.peak_energy_error(), 1.0);
    for account in [&lost, &slowly, &at_once] {
        let warning = account.warning();
        assert!(
            matches!(warning, Some(SimulationWarning::EnergyNotKept { change, about_center: false }) if change == account.peak_energy_error())
        );
    }
    // A tenth is tolerated, and rounding of a potential energy that dwarfs the motion.
    let sound = recorded(pendulum(), &[(10.0, 0.0), (5.0, 5.9)]);
    assert_eq!((sound.warning(), sound.energy_scale()), (None, 10.0));
    let creeping = recorded(pendulum(), &[(0.0, 97.0), (1e-20, 97.0 + 1e-13)]);
    assert_eq!(creeping.warning(), None);
    // In truth: a pendulum in steps of a third of a second loses what it had.
    let model = samples::double_pendulum();
    let run = |step: f64| {
        let method = Method::steps(RungeKutta4::new(&model), step).unwrap();
        let simulator = Simulator::new(&model, method);
        let mut simulation = simulator.start(0.0, &[3.0, 0.0], &[0.0, 0.0]).unwrap();
        let mut account = Conservation::new(&model);
        simulation.run(3.3, 0.3, &mut account).unwrap();
        account
    };
    let lost = run(0.3);
    assert!(
        lost.peak_energy_error() > 1.0 && lost.warning().is_some(),
        "{lost:?}"
    );
    assert_eq!(run(1e-3).warning(), None);
}

#[test]
fn momentum_is_kept_in_free_flight_and_not_under_a_force() {
    let model = featherline_robots::quadruped();
    let q = model.neutral_configuration();
    let v: Vec<f64> = (0..model.nv()).map(|k| (0.7 * k as f64).sin()).collect();
    let run = |push: f64| {
        let mut bodies = vec![Force::zero(); model.joints().len()];
        bodies[1].linear = Vec3::new(0.0, push, 0.0);
        let method = Method::steps(RungeKutta4::new(&model), 1e-3).unwrap();
        let mut simulation = Simulator::new(&model, method)
            .with_forces(BodyForces::new(bodies))
            .start(0.0, &q, &v)
            .unwrap();
        let mut account = Conservation::new(&model);
        simulation.run(1.0, 0.1, &mut account).unwrap();
        assert!(account.floats_freely());
        (
            account.linear_momentum_error(),
            account.angular_momentum_error(),
        )
    };
    let (linear, angular) = run(0.0);
    // Not kept to rounding by Runge-Kutta, but to its order: 12 kg in steps of 1 ms.
    assert!(linear < 1e-8 && angular < 1e-8, "{linear} {angular}");
    // One newton for a second, in a body that turns: up to 1 N s.
    let (linear, _) = run(1.0);
    assert!(linear > 0.3 && linear < 1.0 + 1e-6, "{linear}");
}

#[test]
fn robots_that_touch_the_world_do_not_float() {
    for model in [
        samples::double_pendulum(),
        featherline_robots::panda(),
        samples::stewart(),
        samples::four_bar(),
    ] {
        assert!(
            !Conservation::new(&model).floats_freely(),
            "{}",
            model.name()
        );
    }
    assert!(Conservation::new(&featherline_robots::humanoid()).floats_freely());
}

#[test]
fn a_base_that_turns_rotors_does_not_float() {
    // Their inertia resists the base's motion and is no part of the robot's momentum.
    for armature in [0.0, 0.1] {
        let mut builder = ModelBuilder::new("box");
        let base = JointSpec::new("base", ModelBuilder::UNIVERSE, JointKind::FreeFlyer);
        let base = builder.add_joint(base.armature(armature));
        let inertia = Inertia::cuboid(2.0, Vec3::new(0.1, 0.2, 0.3));
        builder.add_body(base, "box", Se3::identity(), inertia);
        let model = builder.build().unwrap().model;
        assert_eq!(Conservation::new(&model).floats_freely(), armature == 0.0);
    }
}
