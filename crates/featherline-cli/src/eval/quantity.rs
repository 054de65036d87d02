//! What can be computed, by key.

use crate::failure::Failure;
use crate::suggestion::did_you_mean;
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
    QddAba,
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
    /// Whether the quantity takes room for matrices of nv × nv entries, and not only for recursions over the tree.
    pub fn needs_matrices(&self) -> bool {
        matches!(
            self,
            Self::MassMatrix | Self::MassMatrixInverse | Self::QddCrba
        )
    }
}

/// A quantity and the key under which it was asked for.
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
    ("qdd_aba", Quantity::QddAba),
    ("qdd_crba", Quantity::QddCrba),
    ("placements", Quantity::Placements),
    ("com", Quantity::Com),
    ("centroidal_momentum", Quantity::CentroidalMomentum),
    ("kinetic_energy", Quantity::KineticEnergy),
    ("potential_energy", Quantity::PotentialEnergy),
    ("operation_counts", Quantity::OperationCounts),
];

const REFERENCES: [(&str, ReferenceFrame); 3] = [
    ("local", ReferenceFrame::Local),
    ("world", ReferenceFrame::World),
    ("aligned", ReferenceFrame::LocalWorldAligned),
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
    for key in list.iter().map(|key| key.trim()) {
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
    let (frame, reference) = frame_and_axes(key, frame, model)?;
    Ok(Quantity::Jacobian { frame, reference })
}

/// The frame and the axes in `LINK:FRAME`, which stands in the quantity `key`.
///
/// A frame's name may itself contain colons, so that the last one counts.
pub fn frame_and_axes(
    key: &str,
    frame: &str,
    model: &Model,
) -> Result<(FrameId, ReferenceFrame), Failure> {
    let bad = |reason: String| Err(Failure::Quantity(format!("quantity `{key}`: {reason}")));
    let Some((link, axes)) = frame.rsplit_once(':') else {
        return bad("write jacobian:LINK:FRAME, FRAME being local, world or aligned".to_owned());
    };
    let Some((_, reference)) = REFERENCES.into_iter().find(|(name, _)| *name == axes) else {
        let names = REFERENCES.map(|(name, _)| name);
        return bad(format!(
            "there are Jacobians in the frames {}, none in `{axes}`{}",
            names.join(", "),
            did_you_mean(axes, names)
        ));
    };
    match model.frame_id(link) {
        Ok(frame) => Ok((frame, reference)),
        Err(unknown) => bad(unknown.to_string()),
    }
}

fn unknown(key: &str) -> Failure {
    let names = || NAMED.iter().map(|(name, _)| *name).chain([ALL]);
    let suggestion = if key.starts_with(JACOBIAN) {
        "; write jacobian:LINK:FRAME, FRAME being local, world or aligned".to_owned()
    } else {
        did_you_mean(key, names())
    };
    let list: Vec<&str> = names().collect();
    Failure::Quantity(format!(
        "there is no quantity `{key}`{suggestion}\nquantities: {}, jacobian:LINK:local|world|aligned",
        list.join(", ")
    ))
}
