//! The quantities of `eval`, by key.

use crate::failure::Failure;
use crate::names;
use featherline::Model;
use featherline::kinematics::ReferenceFrame;
use featherline::model::FrameId;

/// Something that can be computed for a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
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
}

impl Quantity {
    /// Whether the quantity needs matrices of nv × nv entries, not only recursions over the tree.
    pub fn needs_matrices(&self) -> bool {
        matches!(
            self,
            Self::MassMatrix | Self::MassMatrixInverse | Self::QddCrba
        )
    }
}

/// A quantity and the key of its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub key: String,
    pub quantity: Quantity,
}

const NAMED: [(&str, Quantity); 15] = [
    ("state", Quantity::State),
    ("tau", Quantity::Tau),
    ("bias", Quantity::Bias),
    ("gravity", Quantity::Gravity),
    ("mass_matrix", Quantity::MassMatrix),
    ("mass_matrix_inverse", Quantity::MassMatrixInverse),
    ("passive", Quantity::Passive),
    ("qdd", Quantity::Qdd),
    ("qdd_crba", Quantity::QddCrba),
    ("placements", Quantity::Placements),
    ("com", Quantity::Com),
    ("centroidal_momentum", Quantity::CentroidalMomentum),
    ("kinetic_energy", Quantity::KineticEnergy),
    ("potential_energy", Quantity::PotentialEnergy),
    ("operation_counts", Quantity::OperationCounts),
];

const ALL: &str = "all";
const JACOBIAN: &str = "jacobian";

/// All quantities that need no name of a link, without those given.
pub fn all_but(hidden: &[Quantity]) -> Vec<Request> {
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
    if requests.iter().all(|it| it.quantity != Quantity::State) {
        let state = all()
            .into_iter()
            .filter(|it| it.quantity == Quantity::State);
        requests.extend(state);
    }
}

fn all() -> Vec<Request> {
    let request = |(key, quantity): (&str, Quantity)| Request {
        key: key.to_owned(),
        quantity,
    };
    NAMED.map(request).into()
}

fn request(key: &str, model: &Model) -> Result<Request, Failure> {
    let quantity = match NAMED.into_iter().find(|(name, _)| *name == key) {
        Some((_, quantity)) => quantity,
        None => match key.split_once(':') {
            Some((JACOBIAN, frame)) => jacobian(key, frame, model)?,
            _ => return Err(unknown(key)),
        },
    };
    Ok(Request {
        key: key.to_owned(),
        quantity,
    })
}

fn jacobian(key: &str, frame: &str, model: &Model) -> Result<Quantity, Failure> {
    let (frame, reference) = names::frame_and_axes(key, frame, model)?;
    Ok(Quantity::Jacobian { frame, reference })
}

fn unknown(key: &str) -> Failure {
    let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).chain([ALL]).collect();
    names::unknown(key, &names)
}
