//! Every quantity of one state, from both sides.

mod all_terms;
mod configuration;
mod derivatives;
mod dynamics;
mod kinematics;
mod momentum;
mod regressors;
mod system;

pub use system::Systems;

use crate::agreement::{Family, Pair, Sensitivity};
use crate::close_to_singular::Inverses;
use crate::layout::Layout;
use crate::reference::State;
use anyhow::{Context, Result};
use featherline::spatial::Force;
use featherline::{Error, Model, Workspace};
use std::collections::BTreeSet;

/// Arrays that are given, not compared.
const INPUTS: [&str; 8] = [
    "q",
    "v",
    "a",
    "tau_in",
    "fext",
    "condition",
    "q_other",
    "q_unnormalised",
];

/// A group of quantities, under the reference's name, and what computes it.
type Group = (&'static str, fn(&mut Case<'_>) -> Result<(), Error>);

const GROUPS: [Group; 15] = [
    ("inverse_dynamics", dynamics::inverse_dynamics),
    ("matrices", dynamics::matrices),
    ("passive_forces", dynamics::passive_forces),
    ("forward_dynamics", dynamics::forward_dynamics),
    ("kinematics", kinematics::kinematics),
    ("jacobians", kinematics::jacobians),
    ("hessians", kinematics::hessians),
    ("derivatives", derivatives::derivatives),
    ("regressors", regressors::regressors),
    ("centre_of_mass", momentum::centre_of_mass),
    ("subtrees", momentum::subtrees),
    ("centroidal", momentum::centroidal),
    ("energy", momentum::energy),
    ("all_terms", all_terms::all_terms),
    ("configuration", configuration::configuration),
];

/// The results of both sides for a state.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The quantities that both sides have.
    pub pairs: Vec<Pair>,
    /// Quantities that one side has and the other lacks, or refuses for another reason.
    pub failures: Vec<String>,
    /// Quantities that neither side has, with both reasons.
    pub undefined: Vec<Undefined>,
    /// The condition number of the mass matrix.
    pub condition: f64,
    /// The inverses of the mass matrix, where the matrix is close to singular.
    pub inverses: Option<Inverses>,
}

/// A group of quantities that exists on neither side.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Undefined {
    /// The group.
    pub group: &'static str,
    /// The reference's reason.
    pub theirs: String,
    /// Our reason.
    pub ours: String,
}

/// A state, in our order of coordinates.
struct Input {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
    forces: Vec<Force<f64>>,
    condition: f64,
    /// Another configuration, and how far to go there.
    other: Option<(Vec<f64>, f64)>,
    /// The configuration before it was normalised.
    unnormalised: Option<Vec<f64>>,
}

impl Input {
    fn new(model: &Model, layout: &Layout, state: &State, fraction: Option<f64>) -> Result<Self> {
        let given = |name| {
            let values = state.values(name);
            values.with_context(|| format!("state {} has no `{name}`", state.index))
        };
        let mut forces = vec![Force::zero(); model.joints().len()];
        let rows = given("fext")?.as_chunks::<6>().0;
        for (&joint, &row) in layout.joints.iter().zip(rows) {
            forces[joint.index()] = Force::from_array(row);
        }
        let other = state.values("q_other").map(|q| layout.our_q(q));
        Ok(Self {
            q: layout.our_q(given("q")?),
            v: layout.our_v(given("v")?),
            a: layout.our_v(given("a")?),
            tau: layout.our_v(given("tau_in")?),
            forces,
            condition: given("condition")?.first().copied().unwrap_or(f64::NAN),
            other: other.zip(fraction),
            unnormalised: state.values("q_unnormalised").map(|q| layout.our_q(q)),
        })
    }
}

/// One state on its way through the groups.
struct Case<'a> {
    model: &'a Model,
    layout: &'a Layout,
    ws: &'a mut Workspace<f64>,
    input: &'a Input,
    state: &'a State,
    pairs: Vec<Pair>,
    inverses: Option<Inverses>,
    known: BTreeSet<&'static str>,
}

impl Case<'_> {
    /// Compares with the array of the given name, if the reference has it.
    fn compare(&mut self, name: &'static str, family: Family, ours: Vec<f64>) {
        self.known.insert(name);
        self.pair(name, name, family, Sensitivity::Rounding, ours);
    }

    /// Compares another way to a quantity with the array of the given name, if the reference has
    /// it.
    fn pair(
        &mut self,
        quantity: &'static str,
        name: &'static str,
        family: Family,
        sensitivity: Sensitivity,
        ours: Vec<f64>,
    ) {
        self.known.insert(name);
        if let Some(theirs) = self.state.values(name) {
            self.pairs.push(Pair {
                quantity,
                family,
                sensitivity,
                ours,
                theirs: theirs.to_vec(),
            });
        }
    }

    /// Compares with what follows from the reference's numbers.
    fn derived(
        &mut self,
        quantity: &'static str,
        family: Family,
        ours: Vec<f64>,
        theirs: Vec<f64>,
    ) {
        self.pairs.push(Pair {
            quantity,
            family,
            sensitivity: Sensitivity::Rounding,
            ours,
            theirs,
        });
    }

    /// Whether the reference has an array.
    fn has(&self, name: &str) -> bool {
        self.state.values(name).is_some()
    }
}

/// Computes everything that the reference has for a state.
///
/// `fraction` is where configurations are interpolated; `groups` are those that the reference was
/// asked for, none for all.
///
/// # Errors
/// If an input is missing.
pub fn compare(
    model: &Model,
    layout: &Layout,
    ws: &mut Workspace<f64>,
    systems: &mut Systems,
    state: &State,
    fraction: Option<f64>,
    groups: &[String],
) -> Result<Compared> {
    let input = Input::new(model, layout, state, fraction)?;
    let mut case = Case {
        model,
        layout,
        ws,
        input: &input,
        state,
        pairs: Vec::new(),
        inverses: None,
        known: BTreeSet::from(INPUTS),
    };
    let (mut failures, mut undefined) = (Vec::new(), Vec::new());
    for (group, run) in GROUPS {
        // All terms are those of other groups once more.
        let asked = |name: &String| name == group || group == "all_terms";
        if !groups.is_empty() && !groups.iter().any(asked) {
            continue;
        }
        match (run(&mut case), state.missing.get(group)) {
            (Ok(()), None) => {}
            // Accelerations that the reference gives up on are judged by their residual.
            (Ok(()), Some(_)) if group == "forward_dynamics" => {}
            (Ok(()), Some(theirs)) => {
                failures.push(format!("{group}: only the reference refuses: {theirs}"));
            }
            (Err(ours), None) => failures.push(format!("{group}: {ours}")),
            (Err(ours), Some(theirs)) => undefined.push(Undefined {
                group,
                theirs: theirs.clone(),
                ours: ours.to_string(),
            }),
        }
    }
    if let Err(ours) = system::compare(&mut case, systems) {
        failures.push(format!("sparse system: {ours:#}"));
    }
    for (name, reason) in &state.missing {
        if !GROUPS.iter().any(|(group, _)| group == name) {
            failures.push(format!("{name}: only the reference refuses: {reason}"));
        }
    }
    let unknown = state
        .arrays
        .keys()
        .filter(|n| !case.known.contains(n.as_str()));
    failures.extend(unknown.map(|name| format!("{name}: nothing here computes it")));
    Ok(Compared {
        pairs: case.pairs,
        failures,
        undefined,
        condition: input.condition,
        inverses: case.inverses,
    })
}
