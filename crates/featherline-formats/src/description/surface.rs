//! Surfaces: friction, restitution and softness of shapes, and those of two shapes that touch.

pub use featherline::contact_law::{FrictionLaw, ImpactLaw};
use featherline::words::Words;

/// The contact properties of a shape's surface. A value that is not given is the
/// [default](ContactDefaults) of the description.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Surface {
    /// Coulomb's coefficient of friction μ, not negative.
    pub friction: Option<f64>,
    /// Another coefficient across the first direction of a contact's plane, in which `friction` is
    /// then the coefficient; by default the same. The simulation's source of contacts chooses the
    /// first direction.
    pub friction_across: Option<f64>,
    /// Which motions friction resists; sliding if it is not given.
    pub dimension: Option<ContactDimension>,
    /// Newton's coefficient of restitution e, from 0 (no rebound) to 1.
    pub restitution: Option<f64>,
    /// How it yields; rigid without one.
    pub softness: Option<Softness>,
    /// Which of two surfaces counts: the one of higher priority alone; both, combined, if they have
    /// the same.
    pub priority: i32,
}

/// Which motions of two surfaces on each other friction resists, the least first: `condim` of MJCF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContactDimension {
    /// None: they push, and slide without friction.
    Frictionless,
    /// Sliding, in both directions of the contact's plane.
    Sliding,
    /// Sliding, and spinning about the normal. Simulations here resist sliding alone.
    Torsional,
    /// These, and rolling about both tangents. Simulations here resist sliding alone.
    Rolling,
}

/// How a surface yields at a point of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Softness {
    /// The stiffness k in N/m, more than zero.
    pub stiffness: f64,
    /// The damping d in N·s/m, not negative.
    pub damping: f64,
}

impl Softness {
    /// A stiffness in N/m with a damping in N·s/m.
    pub fn new(stiffness: f64, damping: f64) -> Self {
        Self { stiffness, damping }
    }

    /// Two soft surfaces, one on the other: 1/k = 1/k₁ + 1/k₂, and each dampens its share of the
    /// depth, d = k² (d₁/k₁² + d₂/k₂²).
    fn on(self, other: Self) -> Self {
        let stiffness = (self.stiffness.recip() + other.stiffness.recip()).recip();
        let own = |it: Self| it.damping * (stiffness / it.stiffness).powi(2);
        Self {
            stiffness,
            damping: own(self) + own(other),
        }
    }
}

/// How the coefficients of friction of two surfaces combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FrictionRule {
    /// The geometric mean, √(μ₁ μ₂): one slippery surface makes the contact slippery.
    #[default]
    GeometricMean,
    /// The larger one, as in MuJoCo.
    Larger,
}

impl Words for FrictionRule {
    const WHAT: &'static str = "rule of friction";
    const WORDS: &'static [(&'static str, Self)] = &[
        ("geometric-mean", Self::GeometricMean),
        ("larger", Self::Larger),
    ];
}

/// Surfaces that a description does not give, and how two surfaces combine.
///
/// ```
/// use featherline_formats::description::{ContactDefaults, Surface};
///
/// let defaults = ContactDefaults::default();
/// let ice = Surface::default().with_friction(0.02);
/// let rubber = Surface::default().with_friction(0.98).with_restitution(0.5);
/// let contact = defaults.combine(Some(&ice), Some(&rubber));
/// assert!((contact.friction - 0.14).abs() < 1e-12);
/// assert_eq!(contact.restitution, 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactDefaults {
    /// Coulomb's coefficient of friction of a surface that gives none: 0.8, that of rubber on dry
    /// concrete, unless a file says otherwise.
    pub friction: f64,
    /// The coefficient of restitution of a surface that gives none: 0 unless a file says otherwise.
    pub restitution: f64,
    /// How a surface yields that gives no softness: not at all unless a file says otherwise.
    pub softness: Option<Softness>,
    /// How two coefficients of friction combine.
    pub friction_rule: FrictionRule,
    /// The law of friction and contact.
    pub friction_law: FrictionLaw,
    /// The law of impacts.
    pub impact_law: ImpactLaw,
}

impl Default for ContactDefaults {
    fn default() -> Self {
        Self {
            friction: 0.8,
            restitution: 0.0,
            softness: None,
            friction_rule: FrictionRule::default(),
            friction_law: FrictionLaw::default(),
            impact_law: ImpactLaw::default(),
        }
    }
}

/// Friction, restitution and softness of two shapes that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PairSurface {
    /// Coulomb's coefficient of friction μ; zero for what is frictionless.
    pub friction: f64,
    /// The coefficient across the first direction of the contact's plane, where it is another one.
    pub friction_across: Option<f64>,
    /// Which motions friction resists: the greater of both surfaces' dimensions.
    pub dimension: ContactDimension,
    /// Newton's coefficient of restitution e.
    pub restitution: f64,
    /// How they yield; rigid without one.
    pub softness: Option<Softness>,
}

/// Bits that say which shapes may touch: two do if a bit of the type of one is a bit of the
/// affinity of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ContactMask {
    /// The bits of its type.
    pub kind: u32,
    /// The bits of the types that it touches.
    pub affinity: u32,
}

impl Default for ContactMask {
    /// All bits: it touches everything that touches anything.
    fn default() -> Self {
        Self {
            kind: u32::MAX,
            affinity: u32::MAX,
        }
    }
}

impl Surface {
    /// The same surface with a coefficient of friction.
    #[must_use]
    pub fn with_friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }

    /// The same surface with another coefficient of friction across the first direction of a
    /// contact's plane.
    #[must_use]
    pub fn with_friction_across(mut self, friction: f64) -> Self {
        self.friction_across = Some(friction);
        self
    }

    /// The same surface with the motions that friction resists.
    #[must_use]
    pub fn with_dimension(mut self, dimension: ContactDimension) -> Self {
        self.dimension = Some(dimension);
        self
    }

    /// The same surface with a coefficient of restitution.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.restitution = Some(restitution);
        self
    }

    /// The same surface with a stiffness in N/m and a damping in N·s/m.
    #[must_use]
    pub fn with_softness(mut self, softness: Softness) -> Self {
        self.softness = Some(softness);
        self
    }
}

impl FrictionRule {
    /// The coefficient of friction of two surfaces.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            // √(μ₁ μ₂), without overflow of the product.
            Self::GeometricMean => a.sqrt() * b.sqrt(),
            Self::Larger => a.max(b),
        }
    }
}

impl ContactDefaults {
    /// Friction and restitution of two surfaces: friction by the [rule](FrictionRule), in each
    /// direction by itself, the larger restitution and dimension, one softness on the other. Of two
    /// priorities, the surface of the higher one counts alone.
    pub fn combine(&self, a: Option<&Surface>, b: Option<&Surface>) -> PairSurface {
        let (a, b) = (
            a.copied().unwrap_or_default(),
            b.copied().unwrap_or_default(),
        );
        let is_alone = a.priority != b.priority;
        let (a, b) = match a.priority.cmp(&b.priority) {
            std::cmp::Ordering::Less => (b, b),
            std::cmp::Ordering::Equal => (a, b),
            std::cmp::Ordering::Greater => (a, a),
        };
        let friction = |it: Surface| it.friction.unwrap_or(self.friction);
        let restitution = |it: Surface| it.restitution.unwrap_or(self.restitution);
        let softness = |it: Surface| it.softness.or(self.softness);
        let combined = |of: &dyn Fn(Surface) -> f64| match a == b {
            // √(μ²) need not be μ.
            true => of(a),
            false => self.friction_rule.combine(of(a), of(b)),
        };
        let across = |it: Surface| it.friction_across.unwrap_or(friction(it));
        let dimension = |it: Surface| it.dimension.unwrap_or(ContactDimension::Sliding);
        PairSurface {
            friction: combined(&friction),
            friction_across: Some(combined(&across)),
            dimension: dimension(a).max(dimension(b)),
            restitution: restitution(a).max(restitution(b)),
            softness: match (softness(a), softness(b)) {
                (Some(a), Some(b)) if !is_alone => Some(a.on(b)),
                (one, other) => one.or(other),
            },
        }
        .without_what_does_nothing()
    }
}

impl PairSurface {
    /// The same with what a surface gives for the pair. Friction that is given without a dimension
    /// resists sliding.
    #[must_use]
    pub fn overridden_by(self, surface: &Surface) -> Self {
        let given = surface
            .friction
            .map(|_| ContactDimension::Sliding.max(self.dimension));
        Self {
            friction: surface.friction.unwrap_or(self.friction),
            friction_across: match surface.friction {
                Some(_) => surface.friction_across,
                None => surface.friction_across.or(self.friction_across),
            },
            dimension: surface.dimension.or(given).unwrap_or(self.dimension),
            restitution: surface.restitution.unwrap_or(self.restitution),
            softness: surface.softness.or(self.softness),
        }
        .without_what_does_nothing()
    }

    /// The same without friction where it is frictionless, and without a second coefficient that is
    /// the first one.
    fn without_what_does_nothing(mut self) -> Self {
        if self.dimension == ContactDimension::Frictionless {
            self.friction = 0.0;
            self.friction_across = None;
        }
        self.friction_across = self.friction_across.filter(|it| *it != self.friction);
        self
    }
}

impl ContactMask {
    /// Bits of a type and of an affinity.
    pub fn new(kind: u32, affinity: u32) -> Self {
        Self { kind, affinity }
    }

    /// Whether shapes of two masks may touch: (k₁ & a₂) | (k₂ & a₁) is not zero.
    pub fn allows(self, other: Self) -> bool {
        (self.kind & other.affinity) | (other.kind & self.affinity) != 0
    }
}
