//! Integrals over meshes.
//!
//! A closed mesh is the sum of the signed tetrahedra between a reference point and its faces
//! (B. Mirtich, *Fast and accurate computation of polyhedral mass properties*, 1996, reduces the
//! same integrals to the faces). With the corners a, b, c seen from the reference point, and
//! s = a + b + c, a tetrahedron has the volume V = a·(b × c)/6, the first moment V s/4 and the
//! second moment V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20 (F. Tonon, *Explicit exact formulas for the 3-D
//! tetrahedron inertia tensor in terms of its vertex coordinates*, 2004). A triangle of area A has
//! A s/3 and A (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12.

use super::Mesh;
use crate::mass::{Distribution, MassError, MassProperties};
use crate::triangle::area_vector;
use featherline::spatial::{Inertia, Sym3, Vec3};

/// How mass properties follow from a mesh: the values of MJCF's attribute `inertia`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshInertia {
    /// The enclosed volume, exactly. The mesh must be closed and look outwards.
    Exact,
    /// The volume of the convex hull; right for convex meshes, open or closed.
    Convex,
    /// The surface, of uniform density, as a thin shell.
    Shell,
    /// The sum of the absolute volumes of the tetrahedra between the faces and one point: MuJoCo's
    /// old default. It counts volume twice where a mesh is not convex; for files that rely on it.
    ///
    /// The centre is seen from the centroid of the surface, volume and inertia from that centre.
    Legacy,
}

impl Mesh {
    /// Volume or surface, centre, and inertia at unit density. Cost O(faces); a hull comes first
    /// for [`MeshInertia::Convex`], a sort of the edges for [`MeshInertia::Exact`].
    ///
    /// # Errors
    ///
    /// * [`MassError::Empty`]: no volume, such as that of a flat mesh, or no surface.
    /// * [`MassError::NotClosed`], [`MassError::InsideOut`]: the mesh encloses no positive volume;
    ///   of [`MeshInertia::Exact`] only. A hole or a part that is inside out in a mesh of several
    ///   parts is taken as a cavity.
    /// * [`MassError::Hull`]: flat vertices have no convex hull.
    pub fn mass_properties(&self, how: MeshInertia) -> Result<MassProperties, MassError> {
        match how {
            MeshInertia::Exact => {
                let topology = self.topology();
                match topology.is_closed() {
                    true => self.enclosed(),
                    false => Err(MassError::NotClosed(Box::new(topology))),
                }
            }
            // A hull is closed by construction.
            MeshInertia::Convex => self.convex_hull()?.enclosed(),
            MeshInertia::Shell => {
                let surface = self.surface_inertia();
                MassProperties::checked(Distribution::Shell, surface)
            }
            MeshInertia::Legacy => self.legacy(),
        }
    }

    /// The exact properties of a closed mesh.
    fn enclosed(&self) -> Result<MassProperties, MassError> {
        let origin = self.surface_inertia().com;
        let mut moments = Moments::default();
        for triangle in self.triangles() {
            let [a, b, c] = triangle.map(|corner| corner - origin);
            moments.add_tetrahedron(a.dot(b.cross(c)) / 6.0, a, b, c);
        }
        let volume = moments.mass;
        if volume.abs() <= self.negligible_volume() {
            let distribution = Distribution::Solid;
            return Err(MassError::Empty { distribution });
        }
        if volume < 0.0 {
            return Err(MassError::InsideOut { volume });
        }
        let mut unit = moments.about_center();
        unit.com += origin;
        MassProperties::checked(Distribution::Solid, unit)
    }

    /// MuJoCo's old properties.
    fn legacy(&self) -> Result<MassProperties, MassError> {
        let absolute = |origin: Vec3<f64>| {
            let mut moments = Moments::default();
            for triangle in self.triangles() {
                let [a, b, c] = triangle.map(|corner| corner - origin);
                moments.add_tetrahedron((a.dot(b.cross(c)) / 6.0).abs(), a, b, c);
            }
            moments
        };
        let centroid = self.surface_inertia().com;
        let seen_from_centroid = absolute(centroid);
        if seen_from_centroid.mass <= self.negligible_volume() {
            let distribution = Distribution::Solid;
            return Err(MassError::Empty { distribution });
        }
        let center = centroid + seen_from_centroid.first * (1.0 / seen_from_centroid.mass);
        // The absolute volumes are not centred here, and MuJoCo does not move their moments there.
        let moments = absolute(center);
        let unit = Inertia::new(moments.mass, center, moments.about_origin());
        MassProperties::checked(Distribution::Solid, unit)
    }

    /// A volume that rounding alone may give to a flat mesh of this size.
    fn negligible_volume(&self) -> f64 {
        let extent = self.aabb().map_or(0.0, |around| around.sides().norm());
        1e-13 * self.surface() * extent
    }

    /// The inertia of the surface at unit density.
    fn surface_inertia(&self) -> Inertia<f64> {
        let Some(around) = self.aabb() else {
            return Inertia::zero();
        };
        // Seen from near by, moments about the centre lose no digits.
        let origin = around.center();
        let mut moments = Moments::default();
        for triangle in self.triangles() {
            let [a, b, c] = triangle.map(|corner| corner - origin);
            moments.add_triangle(area_vector(&triangle).norm(), a, b, c);
        }
        let mut inertia = moments.about_center();
        inertia.com += origin;
        inertia
    }
}

/// Mass, first moment, and second moments ∫ x xᵀ as xx, xy, xz, yy, yz, zz, about an origin.
#[derive(Clone, Copy, Default)]
struct Moments {
    mass: f64,
    first: Vec3<f64>,
    second: [f64; 6],
}

impl Moments {
    /// V s/4 and V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20.
    fn add_tetrahedron(&mut self, volume: f64, a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>) {
        self.add([a, b, c], volume, volume / 4.0, volume / 20.0);
    }

    /// A s/3 and A (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/12.
    fn add_triangle(&mut self, area: f64, a: Vec3<f64>, b: Vec3<f64>, c: Vec3<f64>) {
        self.add([a, b, c], area, area / 3.0, area / 12.0);
    }

    fn add(&mut self, [a, b, c]: [Vec3<f64>; 3], mass: f64, first: f64, second: f64) {
        let s = a + b + c;
        self.mass += mass;
        self.first += s * first;
        for v in [a, b, c, s] {
            let products = outer(v);
            for (sum, product) in self.second.iter_mut().zip(products) {
                *sum += second * product;
            }
        }
    }

    /// The rotational inertia about the origin: tr(Σ) 1 − Σ.
    fn about_origin(&self) -> Sym3<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.second;
        Sym3::new(yy + zz, -xy, -xz, zz + xx, -yz, xx + yy)
    }

    /// The inertia about the centre: Σ − m c cᵀ in place of Σ. No mass has its centre at the
    /// origin.
    fn about_center(&self) -> Inertia<f64> {
        if self.mass == 0.0 {
            return Inertia::new(0.0, Vec3::zero(), self.about_origin());
        }
        let center = self.first * (1.0 / self.mass);
        let mut centred = *self;
        for (sum, product) in centred.second.iter_mut().zip(outer(center)) {
            *sum -= self.mass * product;
        }
        Inertia::new(self.mass, center, centred.about_origin())
    }
}

/// The elements xx, xy, xz, yy, yz, zz of v vᵀ.
fn outer(v: Vec3<f64>) -> [f64; 6] {
    [
        v.x * v.x,
        v.x * v.y,
        v.x * v.z,
        v.y * v.y,
        v.y * v.z,
        v.z * v.z,
    ]
}
