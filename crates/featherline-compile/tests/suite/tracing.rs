//! Traced kernels against the kernels themselves.

use crate::common::{assert_close, inputs, kernel, models, of, quantities, tolerance};
use featherline::scalar::{Dual, OpCount, Scalar};
use featherline::{Error, Workspace};
use featherline_compile::{Graph, Trace};

#[test]
fn a_traced_kernel_computes_what_the_kernel_computes() -> Result<(), Error> {
    for (seed, model) in models(40).iter().enumerate() {
        for quantity in quantities(model) {
            let graph = quantity.trace(model)?.graph;
            let x = inputs(&quantity, model, seed as u64);
            let what = format!("{quantity:?} of {}", model.name());
            let found = graph
                .evaluate(&x)
                .expect("as many inputs as the quantity has");
            assert_close(
                &found,
                &kernel(&quantity, model, &x)?,
                tolerance(&quantity),
                &what,
            );
        }
    }
    Ok(())
}

#[test]
fn a_trace_is_never_more_work_than_the_kernel_counts() -> Result<(), Error> {
    for model in models(12) {
        let x = inputs(&of("rnea"), &model, 3);
        let variables: Vec<OpCount> = x.iter().map(|&x| OpCount::variable(x)).collect();
        let (q, rest) = variables.split_at(model.nq());
        let (v, a) = rest.split_at(model.nv());
        let mut ws = Workspace::new(&model);
        let (result, by_kernel) = OpCount::measure(|| model.rnea(&mut ws, q, v, a).map(|_| ()));
        result?;
        let graph = of("rnea").trace(&model)?.graph;
        let (_, by_graph) = OpCount::measure(|| graph.evaluate(&variables).expect("sizes agree"));
        assert!(
            by_graph.additions <= by_kernel.additions,
            "{by_graph:?} {by_kernel:?}"
        );
        assert!(by_graph.multiplications <= by_kernel.multiplications);
    }
    Ok(())
}

#[test]
fn a_graph_of_a_kernel_can_be_differentiated() -> Result<(), Error> {
    let model = &models(8)[7];
    let x = inputs(&of("bias"), model, 1);
    let graph = of("bias").trace(model)?.graph;
    let seeded = |direction: usize| -> Vec<Dual<f64, 1>> {
        (0..x.len())
            .map(|i| Dual::new(x[i], [f64::from(u8::from(i == direction))]))
            .collect()
    };
    for direction in 0..x.len() {
        let duals = seeded(direction);
        let (q, v) = duals.split_at(model.nq());
        let mut ws = Workspace::new(model);
        let expected: Vec<f64> = model
            .bias(&mut ws, q, v)?
            .iter()
            .map(|tau| tau.tangent[0])
            .collect();
        let found = graph.evaluate(&duals).expect("sizes agree");
        let found: Vec<f64> = found.iter().map(|tau| tau.tangent[0]).collect();
        assert_close(
            &found,
            &expected,
            tolerance(&of("bias")),
            "derivative of the bias",
        );
    }
    Ok(())
}

#[test]
fn symbolic_zeros_are_known() {
    let graph = Graph::record(2, |x| {
        let zero = Trace::constant(0.0);
        assert!((x[0] * zero).is_zero() && (x[0] - x[0]).is_zero() && (zero / x[1]).is_zero());
        assert!(!(x[0] - x[1]).is_zero() && !Trace::constant(1e-300).is_zero());
        assert_eq!(
            (x[0] * zero + Trace::constant(2.5)).constant_value(),
            Some(2.5)
        );
        assert_eq!(x[0].constant_value(), None);
        vec![]
    });
    assert!(graph.outputs().is_empty());
}

#[test]
fn checks_take_variables_for_valid_and_decide_constants() {
    Graph::record(1, |x| {
        let (low, high) = (Trace::constant(-1.0), Trace::constant(2.0));
        assert!(x[0].is_finite() && Trace::all(x[0].less(low)) && x[0].all_between(0.0, 1.0));
        assert!(Trace::all(low.less(high)) && !Trace::all(high.less(low)));
        assert!(!Trace::constant(f64::NAN).is_finite());
        assert!(!high.all_between(0.0, 1.0));
        vec![]
    });
}

#[test]
fn recordings_nest_and_an_error_ends_one() {
    let outer = Graph::record(1, |x| {
        let inner = Graph::record(1, |y| vec![y[0] * y[0]]);
        assert_eq!(inner.evaluate(&[3.0]), Ok(vec![9.0]));
        let failed = Graph::try_record(1, |y| if y.len() == 1 { Err("no") } else { Ok(vec![]) });
        assert_eq!(failed.err(), Some("no"));
        vec![x[0] + x[0]]
    });
    assert_eq!(outer.evaluate(&[3.0]), Ok(vec![6.0]));
}

#[test]
#[should_panic(expected = "outside of the recording that made it")]
fn a_node_of_another_recording_is_refused() {
    let mut kept = None;
    Graph::record(1, |x| {
        kept = Some(x[0]);
        vec![]
    });
    let stale = kept.expect("the recording ran");
    Graph::record(1, |x| vec![x[0] + stale]);
}

#[test]
fn inputs_of_the_wrong_number_are_an_error() {
    let graph = Graph::record(2, |x| vec![x[0]]);
    let error = graph
        .evaluate(&[1.0])
        .expect_err("one number for two inputs");
    assert_eq!(
        error.to_string(),
        "the inputs must have 2 numbers, but it has 1"
    );
}
