//! Mass properties: how much space or surface there is, where its centre is, how it is spread.

use crate::hull::HullError;
use crate::topology::Topology;
use featherline::spatial::{Inertia, Sym3, Vec3};
use thiserror::Error;

/// How the mass of a body is spread over its geometry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Uniform density through the volume, in kg/m³.
    Solid,
    /// Uniform density over the surface, in kg/m², without thickness.
    Shell,
}

/// The mass properties of a body of unit density: 1 kg/m³ in its volume, or 1 kg/m² on its surface.
///
/// ```
/// use featherline_geometry::{Distribution, Sphere};
///
/// let ball = Sphere::new(0.1);
/// // Steel, by its density; and a table-tennis ball, by its mass.
/// let steel = ball.mass_properties(Distribution::Solid)?.with_density(7850.0);
/// assert!((steel.mass - 32.88).abs() < 0.01);
/// let hollow = ball.mass_properties(Distribution::Shell)?.with_mass(0.0027);
/// assert!((hollow.rotational.xx() - 2.0 / 3.0 * 0.0027 * 0.01).abs() < 1e-18);
/// # Ok::<(), featherline_geometry::MassError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Whether the volume or the surface carries the mass.
    pub distribution: Distribution,
    /// The inertia at unit density. Its mass is the volume, in m³, or the surface, in m².
    pub unit: Inertia<f64>,
}

impl MassProperties {
    /// The volume, in m³, or the surface, in m².
    pub fn measure(&self) -> f64 {
        self.unit.mass
    }

    /// The centre of the volume or of the surface, in m.
    pub fn center(&self) -> Vec3<f64> {
        self.unit.com
    }

    /// The inertia of the body of a density, in kg/m³ or kg/m².
    pub fn with_density(&self, density: f64) -> Inertia<f64> {
        let elements = self.unit.rotational.to_elements().map(|e| e * density);
        let [xx, xy, xz, yy, yz, zz] = elements;
        let rotational = Sym3::new(xx, xy, xz, yy, yz, zz);
        Inertia::new(self.unit.mass * density, self.unit.com, rotational)
    }

    /// The inertia of the body of a mass, in kg.
    pub fn with_mass(&self, mass: f64) -> Inertia<f64> {
        let scaled = self.with_density(mass / self.unit.mass);
        Inertia::new(mass, scaled.com, scaled.rotational)
    }

    /// The properties, if they are those of a body.
    pub(crate) fn checked(
        distribution: Distribution,
        unit: Inertia<f64>,
    ) -> Result<Self, MassError> {
        let elements = unit.rotational.to_elements();
        let finite =
            unit.mass.is_finite() && unit.com.is_finite() && elements.iter().all(|e| e.is_finite());
        match (finite, unit.mass > 0.0) {
            (false, _) => Err(MassError::NotFinite),
            (true, false) => Err(MassError::Empty { distribution }),
            (true, true) => Ok(Self { distribution, unit }),
        }
    }
}

/// Why a body has no mass properties.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum MassError {
    /// The volume or surface is zero.
    #[error("the {} is zero; {}", measure(.distribution), remedy(.distribution))]
    Empty {
        /// The distribution of mass: over the volume or over the surface.
        distribution: Distribution,
    },
    /// The body has no end.
    #[error("a plane has no end and no mass; use a box for a plate")]
    Unbounded,
    /// A size is negative or not a number.
    #[error("{name} is {value}; a size must be finite and not negative")]
    BadSize {
        /// The size.
        name: &'static str,
        /// Its value, in m.
        value: f64,
    },
    /// A number overflows.
    #[error("the mass properties overflow; check the unit of the sizes")]
    NotFinite,
    /// The surface of a mesh does not enclose a volume.
    #[error("the mesh is not closed: {0}; repair it, or use its convex hull or its surface")]
    NotClosed(Box<Topology>),
    /// The faces of a mesh look inwards.
    #[error(
        "the mesh is inside out: its signed volume is {volume} m³; flip its faces, or use its convex hull"
    )]
    InsideOut {
        /// The signed volume, in m³.
        volume: f64,
    },
    /// The mesh has no convex hull.
    #[error(transparent)]
    Hull(#[from] HullError),
}

fn measure(distribution: &Distribution) -> &'static str {
    match distribution {
        Distribution::Solid => "volume",
        Distribution::Shell => "surface",
    }
}

fn remedy(distribution: &Distribution) -> &'static str {
    match distribution {
        Distribution::Solid => "a flat body can be given as a shell",
        Distribution::Shell => "check the sizes",
    }
}
