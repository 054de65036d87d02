//! A simulation in progress allocates nothing.

use allocation_counter::measure;
use featherline::integrator::{DormandPrince, RungeKutta4, Tolerance, forces};
use featherline::samples;
use featherline::simulation::{
    Conservation, GravityCompensation, Method, ProportionalDerivative, Simulator,
};

#[test]
fn steps_samples_controllers_and_projections_allocate_nothing() {
    // The counter counts.
    assert!(measure(|| drop(std::hint::black_box(vec![1.0; 3]))).count_total > 0);
    for model in [
        samples::double_pendulum(),
        featherline_robots::humanoid(),
        samples::four_bar(),
        samples::stewart(),
    ] {
        let q = model.neutral_configuration();
        let rest = vec![0.0; model.nv()];
        let methods = [
            Method::steps(RungeKutta4::new(&model), 1e-3).unwrap(),
            Method::tolerance(DormandPrince::new(&model, Tolerance::default()).unwrap()),
        ];
        let trees = model.loop_joints().is_empty();
        let variational = trees.then(|| Method::variational(1e-3).unwrap());
        let maximal = Method::maximal_variational(1e-3).unwrap();
        for method in methods.into_iter().chain(variational).chain([maximal]) {
            let control = ProportionalDerivative::critical(&model, &q, 1.0).unwrap();
            let mut simulation = Simulator::new(&model, method)
                .with_controller(control)
                .with_forces(forces::passive(&model, 1e-3).unwrap())
                .start(0.0, &q, &rest)
                .unwrap();
            // What is told of steep forces takes memory, once.
            simulation.run(0.0, 0.01, &mut ()).unwrap();
            let mut conservation = Conservation::new(&model);
            let mut outcome = Ok(());
            let counted = measure(|| outcome = simulation.run(0.02, 0.01, &mut conservation));
            outcome.unwrap();
            assert_eq!(
                (counted.count_total, conservation.samples()),
                (0, 3),
                "{}",
                model.name()
            );
        }
        let control = GravityCompensation::new(&model);
        let method = Method::steps(RungeKutta4::new(&model), 1e-3).unwrap();
        let mut simulation = Simulator::new(&model, method)
            .with_controller(control)
            .start(0.0, &q, &rest)
            .unwrap();
        let counted = measure(|| simulation.run(0.01, 0.01, &mut ()).unwrap());
        assert_eq!(counted.count_total, 0, "{}", model.name());
    }
}

#[test]
fn a_long_chain_with_dampers_starts_in_memory_that_grows_with_its_length() {
    let greatest = |links: usize| {
        let model = samples::snake(links);
        let q = model.neutral_configuration();
        let still = vec![0.0; model.nv()];
        let damped = vec![100.0; model.nv()];
        let control = ProportionalDerivative::new(&model, &q, &still, &damped).unwrap();
        let method = Method::steps(RungeKutta4::new(&model), 1e-4).unwrap();
        let simulator = Simulator::new(&model, method).with_controller(control);
        let mut cautions = 0;
        let counted = measure(|| {
            let mut simulation = simulator.start(0.0, &q, &still).unwrap();
            simulation.run(1e-4, 1e-4, &mut ()).unwrap();
            cautions = simulation.cautions().len();
        });
        // The dampers were looked at.
        assert_eq!(cautions, 1);
        counted.bytes_max
    };
    // Twice, but for what does not grow at all.
    let (half, whole) = (greatest(10_000), greatest(20_000));
    assert!(whole as f64 <= 2.01 * half as f64, "{half} {whole}");
}
