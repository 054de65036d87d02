//! The quantities of `eval`, by key.

use crate::failure::Failure;
use crate::names;
use crate::states::State;
use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;
use featherline::quantity::{self, AnyQuantity, CATALOGUE, Dimension};

/// Something that can be computed for a state.
#[derive(Clone, Debug, PartialEq)]
pub enum EvalQuantity {
    State,
    Tau,
    Bias,
    Gravity,
    MassMatrix,
    MassMatrixInverse,
    Passive,
    Qdd,
    QddCrba,
    Placements,
    Jacobian {
        frame: FrameId,
        reference: ReferenceFrame,
    },
    Com,
    CentroidalMomentum,
    KineticEnergy,
    PotentialEnergy,
    OperationCounts,
    Accelerations,
    TransmittedForces,
    ArticulatedInertias,
    Ltdl,
    MaximalDynamics,
    TauDerivatives,
    QddDerivatives,
    /// One of the catalogue, by its name.
    Listed(&'static str),
}

impl EvalQuantity {
    /// Whether the quantity needs matrices of nv × nv entries, not only recursions over the tree.
    pub fn needs_matrices(&self) -> bool {
        if let Self::Listed(name) = self {
            let entry = quantity::find(name).map(AnyQuantity::entry);
            let of_velocities = |it: &&Dimension| **it == Dimension::Nv;
            let dimensions = entry.into_iter().flat_map(|it| it.output.dimensions);
            return dimensions.filter(of_velocities).count() > 1;
        }
        matches!(
            self,
            Self::MassMatrix
                | Self::MassMatrixInverse
                | Self::QddCrba
                | Self::Ltdl
                | Self::TauDerivatives
                | Self::QddDerivatives
        )
    }
}

/// A quantity and the key of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub key: String,
    pub quantity: EvalQuantity,
}

const NAMED: [(&str, EvalQuantity); 15] = [
    ("state", EvalQuantity::State),
    ("tau", EvalQuantity::Tau),
    ("bias", EvalQuantity::Bias),
    ("gravity", EvalQuantity::Gravity),
    ("mass_matrix", EvalQuantity::MassMatrix),
    ("mass_matrix_inverse", EvalQuantity::MassMatrixInverse),
    ("passive", EvalQuantity::Passive),
    ("qdd", EvalQuantity::Qdd),
    ("qdd_crba", EvalQuantity::QddCrba),
    ("placements", EvalQuantity::Placements),
    ("com", EvalQuantity::Com),
    ("centroidal_momentum", EvalQuantity::CentroidalMomentum),
    ("kinetic_energy", EvalQuantity::KineticEnergy),
    ("potential_energy", EvalQuantity::PotentialEnergy),
    ("operation_counts", EvalQuantity::OperationCounts),
];

/// Those that are computed only by name: they have six numbers for each body, or several matrices.
const BY_NAME: [(&str, EvalQuantity); 7] = [
    ("accelerations", EvalQuantity::Accelerations),
    ("transmitted_forces", EvalQuantity::TransmittedForces),
    ("articulated_inertias", EvalQuantity::ArticulatedInertias),
    ("ltdl", EvalQuantity::Ltdl),
    ("maximal_dynamics", EvalQuantity::MaximalDynamics),
    ("tau_derivatives", EvalQuantity::TauDerivatives),
    ("qdd_derivatives", EvalQuantity::QddDerivatives),
];

const ALL: &str = "all";
const JACOBIAN: &str = "jacobian";

/// All quantities but those by name, without those given.
pub fn all_but(hidden: &[EvalQuantity]) -> Vec<Request> {
    let mut requests = all();
    requests.retain(|r| !hidden.contains(&r.quantity));
    requests
}

/// The requests of a `--compute` list, without repetitions.
pub fn requests(list: &[String], model: &Model) -> Result<Vec<Request>, Failure> {
    let mut requests: Vec<Request> = Vec::new();
    for key in list.iter().map(|key| names::canonical(key)) {
        let added = if key == ALL {
            all()
        } else {
            vec![request(key, model)?]
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
        let state = all()
            .into_iter()
            .filter(|it| it.quantity == EvalQuantity::State);
        requests.extend(state);
    }
}

fn all() -> Vec<Request> {
    let request = |(key, quantity): (&str, EvalQuantity)| Request {
        key: key.to_owned(),
        quantity,
    };
    NAMED.map(request).into()
}

fn request(key: &str, model: &Model) -> Result<Request, Failure> {
    let mut named = NAMED.into_iter().chain(BY_NAME);
    let quantity = match named.find(|(name, _)| *name == key) {
        Some((_, quantity)) => quantity,
        None => match key.split_once(':') {
            Some((JACOBIAN, frame)) => jacobian(key, frame, model)?,
            _ => match listed().find(|it| it.entry().is_called(key)) {
                Some(found) => EvalQuantity::Listed(found.entry().name),
                None => return Err(unknown(key)),
            },
        },
    };
    Ok(Request {
        key: key.to_owned(),
        quantity,
    })
}

/// The part of a state that an input of the catalogue is.
pub fn input<'a>(name: &str, state: &'a State, forces: &'a [f64]) -> Option<&'a [f64]> {
    Some(match name {
        "q" => &state.q,
        "v" => &state.v,
        "a" => &state.a,
        "tau" | "b" => &state.tau,
        "f" => forces,
        _ => return None,
    })
}

/// The quantities of the catalogue that a state has the inputs of, and that have no name above.
pub fn listed() -> impl Iterator<Item = &'static dyn AnyQuantity> {
    let known = State::default();
    let named = |word: &str| {
        let mut all = NAMED.iter().chain(&BY_NAME);
        all.any(|(name, _)| *name == names::canonical(word))
    };
    let own = CATALOGUE.iter().copied();
    own.filter(move |it| {
        let mut inputs = it.entry().inputs.iter();
        !named(it.entry().name) && inputs.all(|own| input(own.name, &known, &[]).is_some())
    })
}

fn jacobian(key: &str, frame: &str, model: &Model) -> Result<EvalQuantity, Failure> {
    let (frame, reference) = names::jacobian(key, frame, model)?;
    Ok(EvalQuantity::Jacobian { frame, reference })
}

fn unknown(key: &str) -> Failure {
    let named = NAMED.iter().chain(&BY_NAME).map(|(name, _)| *name);
    let all = named.chain(listed().map(|it| it.entry().name)).chain([ALL]);
    Failure::Quantity(names::unknown(key, &all.collect::<Vec<_>>()))
}
