//! A sample as a row of numbers.

use crate::coordinates;
use featherline::Model;
use featherline::simulation::Sample;

/// What the numbers of a row are called: t, then q, v and tau with the names of their entries, and so on.
pub fn names(model: &Model) -> Vec<String> {
    let entries = |what: &str, entries: Vec<coordinates::Entry>| -> Vec<String> {
        entries
            .into_iter()
            .map(|entry| format!("{what}.{}", entry.label))
            .collect()
    };
    let mut names = vec!["t".to_owned()];
    names.extend(entries("q", coordinates::configuration(model)));
    names.extend(entries("v", coordinates::velocity(model)));
    names.extend(entries("tau", coordinates::velocity(model)));
    let others = [
        "kinetic_energy",
        "potential_energy",
        "energy",
        "linear_momentum.x",
        "linear_momentum.y",
        "linear_momentum.z",
        "angular_momentum.x",
        "angular_momentum.y",
        "angular_momentum.z",
        "loop_gap",
        "loop_gap_rate",
    ];
    names.extend(others.map(str::to_owned));
    names
}

/// The first name that two columns would have: joint `a` with a component `x` beside a joint `a.x`.
pub fn name_given_twice(model: &Model) -> Option<String> {
    let mut names = names(model);
    names.sort_unstable();
    let pair = names.windows(2).find(|pair| pair[0] == pair[1]);
    pair.map(|pair| pair[0].clone())
}

/// The numbers of a sample, in the order of their names.
pub fn row(sample: &Sample<'_>, row: &mut Vec<f64>) {
    row.clear();
    row.push(sample.t);
    for part in [sample.q, sample.v, sample.tau] {
        row.extend_from_slice(part);
    }
    row.extend([
        sample.kinetic_energy,
        sample.potential_energy,
        sample.energy(),
    ]);
    row.extend(sample.momentum.to_array());
    row.extend([sample.loop_gap.position, sample.loop_gap.velocity]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use featherline::integrator::RungeKutta4;
    use featherline::simulation::{Method, Simulator};

    #[test]
    fn every_number_has_a_name() {
        for name in ["humanoid", "stewart", "hand"] {
            let model = featherline_robots::model(name, &Default::default()).unwrap();
            let method = Method::steps(RungeKutta4::new(&model), 0.01).unwrap();
            let q = model.neutral_configuration();
            let simulator = Simulator::new(&model, method);
            let mut simulation = simulator.start(0.0, &q, &vec![0.0; model.nv()]).unwrap();
            let mut numbers = Vec::new();
            row(&simulation.sample().unwrap(), &mut numbers);
            assert_eq!(numbers.len(), names(&model).len(), "{name}");
        }
    }
}
