//! Diagnosis of a system: what it determines, what it measures twice, and what would help.

use super::problem::{System, failure};
use super::text;
use featherline_system::Switches;
use pyo3::prelude::*;

/// How much of a system one configuration determines.
///
/// `name` is "neutral", that of a reference configuration, or "random 1" …; `rank` the rank of D;
/// `open` the number of independent directions that nothing determines; `undetermined` the names of
/// the numbers that are not determined.
#[pyclass(
    frozen,
    module = "featherline.results",
    name = "Configuration",
    get_all
)]
#[derive(Clone)]
pub struct Configuration {
    /// The configuration's name: "neutral", that of a reference configuration, or of a random one.
    name: String,
    /// The rank of D there.
    rank: usize,
    /// How many directions of the unknowns are not determined.
    open: usize,
    /// The requested numbers that are not determined, in words.
    undetermined: Vec<String>,
}

#[pymethods]
impl Configuration {
    fn __repr__(&self) -> String {
        format!(
            "Configuration('{}', rank={}, open={}, {} undetermined)",
            self.name,
            self.rank,
            self.open,
            self.undetermined.len()
        )
    }
}

/// The determined and undetermined unknowns of a `System`, in the structure of its matrix and in
/// numbers: in the neutral configuration, in reference configurations, and in random ones.
///
/// `solvable`: whether everything is determined in all of them; `solvable_in_general`: in random
/// ones. `redundant_sensors` can be taken away, each by itself, without losing anything;
/// `dependent_sets` are knowns and readings that say the same. `print(diagnosis)` tells all.
#[pyclass(frozen, module = "featherline.results", name = "Diagnosis", get_all)]
pub struct Diagnosis {
    /// The number of unknowns.
    unknowns: usize,
    /// The number of equations.
    equations: usize,
    /// The greatest rank that numbers at the places of D's entries can have.
    structural_rank: usize,
    /// The size of the largest block of the block triangular form.
    largest_block: usize,
    /// Whether everything is determined in all configurations that were tried.
    solvable: bool,
    /// Whether everything is determined in random configurations.
    solvable_in_general: bool,
    /// Whether everything but forces in closed loops is determined in them.
    solvable_but_for_loop_forces: bool,
    /// How many equations follow from the others.
    redundant_equations: usize,
    /// Sensors that can be taken away, each by itself, without losing anything; None where they
    /// were not looked for.
    redundant_sensors: Option<Vec<String>>,
    /// Knowns and readings that say the same; None where they were not looked for.
    dependent_sets: Option<Vec<Vec<String>>>,
    /// The results in each configuration.
    configurations: Vec<Configuration>,
    /// All of it as a text.
    report: String,
}

#[pymethods]
impl Diagnosis {
    fn __str__(&self) -> &str {
        &self.report
    }

    fn __repr__(&self) -> String {
        let verdict = match (self.solvable, self.solvable_in_general) {
            (true, _) => "everything is determined".to_owned(),
            (false, true) => "determined in general, not in every configuration".to_owned(),
            (false, false) => {
                let open = self.configurations.iter().map(|one| one.open).max();
                match open {
                    Some(open) => format!("not determined: up to {open} directions are open"),
                    None => "not determined".to_owned(),
                }
            }
        };
        format!(
            "Diagnosis({} equations, {} unknowns; {verdict}; {} redundant equations)",
            self.equations, self.unknowns, self.redundant_equations
        )
    }
}

/// The additions that would determine everything.
///
/// `additions` are sets of words for `known` and of sensors, the smallest first; each of them is
/// enough. `smallest`: whether no smaller set is. `open`: how many directions are open without
/// them.
#[pyclass(frozen, module = "featherline.results", name = "Advice", get_all)]
pub struct Advice {
    /// How many directions are open without them.
    open: usize,
    /// Sets of words for `known` and of sensors, the smallest first; each of them is enough.
    additions: Vec<Vec<String>>,
    /// Whether no smaller set is enough.
    smallest: bool,
}

#[pymethods]
impl Advice {
    fn __repr__(&self) -> String {
        match (self.open, self.additions.first()) {
            (0, _) => "Advice(nothing is open)".to_owned(),
            (open, None) => format!(
                "Advice({open} directions are open; nothing in the catalogue would close them)"
            ),
            (open, Some(first)) => format!(
                "Advice({open} directions are open; {} ways to close them, such as {})",
                self.additions.len(),
                first.join(" and ")
            ),
        }
    }
}

#[pymethods]
impl System {
    /// The diagnosis of the system: which quantities are determined, which are not, and which are
    /// measured more than once.
    ///
    /// `without` names sensors and contacts that are switched off: what is left if they fail?
    ///
    /// >>> fl.System(panda, known=["qdd", "no-external-forces"]).diagnose().solvable
    /// True
    #[pyo3(signature = (*, without=vec![]))]
    fn diagnose(&self, py: Python<'_>, without: Vec<String>) -> PyResult<Diagnosis> {
        let system = &self.parts.system;
        let mut switches = Switches::all_on(system);
        let problem = system.problem();
        for name in &without {
            // A name stands for all sensors of a table for several joints, too.
            let is_meant = |own: &str| match own.strip_prefix(name.as_str()) {
                Some(rest) => rest.is_empty() || rest.starts_with('.'),
                None => false,
            };
            let mut is_there = false;
            for id in problem.sensor_ids() {
                if is_meant(&problem.sensors()[id.index()].name) {
                    switches.set(id, false);
                    is_there = true;
                }
            }
            if !is_there {
                let names: Vec<&str> = problem.sensors().iter().map(|s| s.name.as_str()).collect();
                return Err(text::no_such("sensor", name, &names));
            }
        }
        let diagnosis = py
            .detach(|| featherline_system::Diagnosis::with(system, &switches))
            .map_err(failure)?;
        let sensors = system.problem().sensors();
        let looked = diagnosis.looked_for_redundant;
        let configurations = diagnosis.samples.iter().map(|sample| Configuration {
            name: sample.sample.clone(),
            rank: sample.rank,
            open: sample.directions.len(),
            undetermined: diagnosis.undetermined_in_words(system, sample),
        });
        Ok(Diagnosis {
            unknowns: diagnosis.unknowns,
            equations: diagnosis.rows,
            structural_rank: diagnosis.structure.rank(),
            largest_block: diagnosis.structure.largest_block(),
            solvable: diagnosis.is_solvable(),
            solvable_in_general: diagnosis.is_solvable_in_general(),
            solvable_but_for_loop_forces: diagnosis.leaves_loop_forces_open(system),
            redundant_equations: diagnosis.redundancy(),
            redundant_sensors: looked.then(|| {
                let redundant = diagnosis.redundant.iter();
                redundant
                    .map(|sensor| sensors[sensor.index()].name.clone())
                    .collect()
            }),
            dependent_sets: looked.then(|| diagnosis.dependent_sets_in_words(system)),
            configurations: configurations.collect(),
            report: diagnosis.report(system),
        })
    }

    /// Quantities to measure or to know in addition, so that everything is determined.
    ///
    /// >>> fl.System(panda, known=["qdd"]).advise().additions[0]
    /// ['no-external-forces']
    fn advise(&self, py: Python<'_>) -> PyResult<Advice> {
        let system = &self.parts.system;
        let advice = py.detach(|| {
            let catalogue = featherline_system::Advice::catalogue(system);
            featherline_system::Advice::from_catalogue(system, &catalogue)
        });
        let advice = advice.map_err(failure)?;
        let sets = advice.additions.iter().map(|set| {
            set.iter()
                .map(|one| one.name(system.model()))
                .collect::<Vec<String>>()
        });
        Ok(Advice {
            open: advice.open,
            additions: sets.collect(),
            smallest: advice.smallest,
        })
    }
}
