//! The condition of the mass matrix.

use crate::failure::Failure;
use crate::states::RandomStates;
use featherline::{Error, Model, Workspace};
use std::fmt;

/// The number of random configurations.
const CONFIGURATIONS: u64 = 20;
const SEED: u64 = 0;
/// With a larger condition number, accelerations have less than six of double precision's sixteen
/// digits.
const BADLY_CONDITIONED: f64 = 1e10;

/// The condition of the mass matrix.
pub enum Conditioning {
    Sound,
    /// It has no inverse.
    Singular {
        joint: String,
        place: String,
    },
    /// It is too large for double precision.
    Overflow {
        place: String,
    },
    /// Its inverse has few correct digits.
    Bad {
        joint: String,
        place: String,
        condition: f64,
    },
}

impl fmt::Display for Conditioning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sound => Ok(()),
            Self::Singular { joint, place } => write!(
                f,
                "joint `{joint}`: the mass matrix is singular at {place}, so that accelerations don't follow from \
                 forces; give the links that the joint moves mass and rotational inertia, or the joint an armature"
            ),
            Self::Overflow { place } => write!(
                f,
                "the mass matrix overflows at {place}: masses, moments of inertia, lengths or the ratios of joints that \
                 mimic are too large; check their units"
            ),
            Self::Bad {
                joint,
                place,
                condition,
            } => write!(
                f,
                "joint `{joint}`: the mass matrix is badly conditioned at {place} (condition number {condition:.0e} or \
                 more), so that accelerations have few correct digits; the joint moves hardly any inertia of its own"
            ),
        }
    }
}

/// The worst condition of the mass matrix in the neutral and in random configurations.
pub fn conditioning(model: &Model) -> Result<Conditioning, Failure> {
    let neutral = (
        "the neutral configuration".to_owned(),
        model.neutral_configuration(),
    );
    let random = RandomStates::new(model, CONFIGURATIONS, SEED).enumerate();
    let random = random.map(|(k, state)| (format!("random configuration {}", k + 1), state.q));
    let mut ws = Workspace::new(model);
    let mut worst = (BADLY_CONDITIONED, Conditioning::Sound);
    for (place, q) in std::iter::once(neutral).chain(random) {
        let mass = match model.crba(&mut ws, &q) {
            Ok(mass) => mass,
            Err(Error::Overflow { .. }) => return Ok(Conditioning::Overflow { place }),
            Err(error) => return Err(error.into()),
        };
        let largest = (0..model.nv()).map(|k| mass[(k, k)]).fold(0.0, f64::max);
        let factor = match model.ltdl(&mut ws, &q) {
            Ok(factor) => factor,
            Err(Error::SingularInertia { joint }) => {
                return Ok(Conditioning::Singular { joint, place });
            }
            Err(Error::Overflow { .. }) => return Ok(Conditioning::Overflow { place }),
            Err(error) => return Err(error.into()),
        };
        // The largest eigenvalue is at least a diagonal element, the least one at most a pivot.
        let pivots = (0..model.nv()).map(|k| (factor.pivot(k), k));
        let Some((least, k)) = pivots.min_by(|a, b| a.0.total_cmp(&b.0)) else {
            break;
        };
        let condition = largest / least;
        if condition > worst.0 {
            let owner = model
                .joints()
                .iter()
                .find(|j| (j.idx_v..j.idx_v + j.nv).contains(&k));
            let joint = owner.map(|j| j.name.clone()).unwrap_or_default();
            worst = (
                condition,
                Conditioning::Bad {
                    joint,
                    place,
                    condition,
                },
            );
        }
    }
    Ok(worst.1)
}
