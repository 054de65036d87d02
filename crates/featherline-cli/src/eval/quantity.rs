//! The quantities of `eval`, by key.

use super::evaluation::not_of_a_state;
use crate::failure::Failure;
use crate::names;
use featherline::Model;
use featherline::quantity::{ListedQuantity, Parameters};

/// Something that can be computed for a state.
#[derive(Clone, Debug, PartialEq)]
pub enum EvalQuantity {
    State,
    OperationCounts,
    MaximalDynamics,
    /// One of the catalogue.
    Listed(&'static ListedQuantity, Parameters),
}

/// A quantity and the key of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub key: String,
    pub quantity: EvalQuantity,
}

/// Those that are not in the catalogue.
const OWN: [(&str, EvalQuantity); 3] = [
    (names::STATE, EvalQuantity::State),
    (names::OPERATION_COUNTS, EvalQuantity::OperationCounts),
    (names::MAXIMAL_DYNAMICS, EvalQuantity::MaximalDynamics),
];

/// All that is computed where nothing is asked for; the others are computed by name.
pub const USUAL: [&str; 15] = [
    "state",
    "tau",
    "bias",
    "gravity",
    "mass_matrix",
    "mass_matrix_inverse",
    "passive",
    "qdd",
    "qdd_crba",
    "placements",
    "com",
    "centroidal_momentum",
    "kinetic_energy",
    "potential_energy",
    "operation_counts",
];

const ALL: &str = "all";

/// The usual ones, without those given.
pub fn all_but(hidden: &[EvalQuantity], model: &Model) -> Result<Vec<Request>, Failure> {
    let mut requests = usual(model)?;
    requests.retain(|r| !hidden.contains(&r.quantity));
    Ok(requests)
}

/// The requests of a `--compute` list, without repetitions.
pub fn requests(list: &[String], model: &Model) -> Result<Vec<Request>, Failure> {
    let mut requests: Vec<Request> = Vec::new();
    for word in list {
        let added = if word.trim() == ALL {
            usual(model)?
        } else {
            vec![request(word, model)?]
        };
        for request in added {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
    }
    Ok(requests)
}

/// Adds the state, unless it is requested already.
pub fn add_state(requests: &mut Vec<Request>) {
    if requests.iter().all(|it| it.quantity != EvalQuantity::State) {
        requests.push(Request {
            key: names::STATE.to_owned(),
            quantity: EvalQuantity::State,
        });
    }
}

fn usual(model: &Model) -> Result<Vec<Request>, Failure> {
    USUAL.iter().map(|word| request(word, model)).collect()
}

fn request(word: &str, model: &Model) -> Result<Request, Failure> {
    let word = word.trim();
    if let Some((name, quantity)) = OWN.into_iter().find(|(name, _)| *name == word) {
        let key = name.to_owned();
        return Ok(Request { key, quantity });
    }
    let own = OWN.map(|(name, _)| name);
    let others = own.into_iter().chain([ALL]);
    let (listed, parameters) = names::quantity(word, model, others).map_err(Failure::Quantity)?;
    if let Some(name) = not_of_a_state(listed) {
        return Err(Failure::Quantity(format!(
            "quantity `{word}`: a state has no `{name}`; compute it from Python or Rust"
        )));
    }
    Ok(Request {
        // A quantity of a frame is answered under the word that names the frame.
        key: match listed.entry.parameters {
            [] => listed.entry.key.to_owned(),
            _ => word.to_owned(),
        },
        quantity: EvalQuantity::Listed(listed, parameters),
    })
}
