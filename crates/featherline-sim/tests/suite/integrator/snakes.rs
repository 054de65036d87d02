//! Snakes whose ends are thrown about like whips: what guesses and corrections must not lose.

use allocation_counter::measure;
use featherline::Model;
use featherline::samples;
use featherline_sim::integrator::{
    IntegratorError, MaximalVariationalIntegrator, VariationalIntegrator,
};

/// Both variational integrators, as far as these tests need them.
trait Motion {
    fn step(&mut self, h: f64) -> Result<(), IntegratorError>;
    fn energy(&mut self) -> f64;
}

impl Motion for VariationalIntegrator<'_> {
    fn step(&mut self, h: f64) -> Result<(), IntegratorError> {
        Self::step(self, h)
    }

    fn energy(&mut self) -> f64 {
        Self::energy(self).unwrap()
    }
}

impl Motion for MaximalVariationalIntegrator<'_> {
    fn step(&mut self, h: f64) -> Result<(), IntegratorError> {
        Self::step(self, h)
    }

    fn energy(&mut self) -> f64 {
        Self::energy(self).unwrap()
    }
}

fn started<'m>(model: &'m Model, q: &[f64], v: &[f64]) -> [Box<dyn Motion + 'm>; 2] {
    let mut minimal = VariationalIntegrator::new(model);
    let mut maximal = MaximalVariationalIntegrator::new(model).unwrap();
    minimal.start(0.0, q, v).unwrap();
    maximal.start(0.0, q, v).unwrap();
    [Box::new(minimal), Box::new(maximal)]
}

/// A snake of twenty links that hangs from the world, and is not quite straight.
fn hanging() -> (Model, Vec<f64>) {
    let mut q: Vec<f64> = (0..20).map(|k| 0.15 * (1.3 * k as f64).sin()).collect();
    q[0] += std::f64::consts::FRAC_PI_2;
    (samples::snake(20), q)
}

#[test]
fn the_end_of_a_hanging_snake_is_not_lost() {
    // Guesses of high order are wrong there by many times the motion now and then, and solutions
    // far from the last velocities bring energy along: 4.6 J at once, after a second.
    let (model, q) = hanging();
    for mut motion in started(&model, &q, &[0.0; 20]) {
        let before = motion.energy();
        for step in 0..3_000 {
            motion
                .step(0.01)
                .unwrap_or_else(|error| panic!("{step}: {error}"));
            // The error of the step, as in steps of half the length four times over: some
            // hundredths of the kinetic energy.
            let error = motion.energy() - before;
            assert!(error.abs() < 0.01, "{step}: {error}");
        }
    }
}

#[test]
fn a_step_that_is_sought_again_allocates_nothing() {
    // In steps of 20 ms corrections grow in every third or so.
    let (model, q) = hanging();
    let [mut minimal, _] = started(&model, &q, &[0.0; 20]);
    let mut outcome = Ok(());
    let counted = measure(|| outcome = (0..60).try_for_each(|_| minimal.step(0.02)));
    outcome.unwrap();
    assert_eq!(counted.count_total, 0);
}

#[test]
fn a_whip_of_a_hundred_links_is_followed() {
    let model = samples::snake(100);
    for mut motion in started(&model, &[0.0; 100], &[0.01; 100]) {
        let before = motion.energy();
        // It falls by ten metres, and has up to 1,000 J.
        for step in 0..8_000 {
            motion
                .step(1e-3)
                .unwrap_or_else(|error| panic!("{step}: {error}"));
        }
        let error = motion.energy() - before;
        assert!(error.abs() < 10.0, "{error}");
    }
}

#[test]
fn a_step_without_a_solution_nearby_says_which_has_one() {
    let model = samples::snake(100);
    for mut motion in started(&model, &[0.0; 100], &[0.01; 100]) {
        let error = (0..2_000).find_map(|_| motion.step(5e-3).err());
        #[expect(clippy::wildcard_enum_match_arm, reason = "one of many errors")]
        let works = match error.expect("the whip is too fast") {
            IntegratorError::NotConverged { shorter, .. }
            | IntegratorError::Diverged { shorter, .. } => shorter.unwrap(),
            other => panic!("{other}"),
        };
        assert!(works < 5e-3);
        motion.step(works).unwrap();
    }
}
