//! Code words of errors and warnings, for programs that read them.

use crate::error::ErrorCause;
use crate::warning::WarningCause;
use crate::xml::XmlRefusal;
use featherline::model::{ModelError, ModelWarning};

impl ErrorCause {
    /// A word for the kind of error, such as `duplicate-name`. It stays the same between versions,
    /// and the same problem has the same word as an error and as a warning.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "unreadable",
            Self::NotUtf8 => "not-utf8",
            Self::Xml(refusal) => xml(refusal),
            Self::UnknownFormat { .. } | Self::OtherFormat(_) => "unknown-format",
            Self::NoLinks => "no-links",
            Self::MissingElement { .. } => "missing-element",
            Self::DuplicateElement { .. } => "duplicate-element",
            Self::NotOneShape => "not-one-shape",
            Self::MissingAttribute { .. } => "missing-attribute",
            Self::EmptyName { .. } => "empty-name",
            Self::NotANumber { .. } => "not-a-number",
            Self::NotFinite { .. } => "not-finite",
            Self::NumberCount { .. } => "number-count",
            Self::TwoRotations | Self::SeveralRotations { .. } => "several-rotations",
            Self::ZeroQuaternion => "zero-quaternion",
            Self::UnknownJointType { .. } => "unknown-joint-type",
            Self::DuplicateName { .. } => "duplicate-name",
            Self::ReservedName { .. } => "reserved-name",
            Self::NoFixedJoint { .. } => "no-fixed-joint",
            Self::UnknownLink { .. } => "unknown-link",
            Self::SelfJoint { .. } => "self-joint",
            Self::TwoParents { .. } => "two-parents",
            Self::TwoRoots { .. } => "two-roots",
            Self::Cycle { .. } => "cycle",
            Self::UnknownMimicked { .. } => "unknown-mimicked",
            Self::MimicCycle { .. } => "mimic-cycle",
            Self::MimicFreedom { .. } => "mimic-freedom",
            Self::MimicTurns { .. } => "mimic-turns",
            Self::TooManyMimicked { .. } | Self::TooMany { .. } => "too-many",
            Self::ZeroAxis => "zero-axis",
            Self::Negative { .. } => "negative",
            Self::InertiaNotPositive { .. } => "inertia-not-positive",
            Self::EmptyRange { .. } => "empty-range",
            Self::UnknownWord { .. } => "unknown-word",
            Self::UnknownName { .. } => "unknown-name",
            Self::Include { .. } => "include",
            Self::MissingSize { .. } => "missing-size",
            Self::NoVolume { .. } => "no-volume",
            Self::NotAllowed { .. } => "not-allowed",
            Self::NotExpressible { .. } => "not-expressible",
            Self::NotToml(_) => "not-toml",
            Self::UnknownKey { .. } => "unknown-key",
            Self::MissingKey { .. } => "missing-key",
            Self::WrongType { .. } => "wrong-type",
            Self::NoRobot { .. } => "no-robot",
            Self::NotJson(_) => "not-json",
            Self::NotAModelFile => "not-a-model-file",
            Self::ModelFileVersion { .. } => "model-file-version",
            Self::ModelFileField(_) => "model-file-field",
            Self::InvalidModel(_) => "invalid-model",
            Self::NoSuchPart { .. } => "no-such-part",
            Self::Strict { .. } => "strict",
            Self::MissingInertia { .. } => "no-inertia",
            Self::ShapeWithoutVolume { .. } => "no-volume",
            Self::BadDensity { .. } => "bad-density",
            Self::Xacro(_) => "xacro",
            Self::NoFolder { .. } => "no-folder",
            Self::Model(error) => model_error(error),
        }
    }
}

impl WarningCause {
    /// A word for the kind of warning, such as `no-limit`. It stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unused { .. } => "unused",
            Self::NotInFormat { .. } => "not-in-format",
            Self::Misspelt {
                kind: "attribute", ..
            } => "misspelt-attribute",
            Self::Misspelt { .. } => "misspelt-element",
            Self::Simplified { .. } => "simplified",
            Self::NotModelled { .. } => "not-modelled",
            Self::NoRobotName => "no-robot-name",
            Self::NoLimit => "no-limit",
            Self::NoBound { .. } => "no-bound",
            Self::NoRange => "no-range",
            Self::EqualLimits { .. } => "equal-limits",
            Self::ZeroBound { .. } => "zero-bound",
            Self::LeftOut { .. } => "left-out",
            Self::NoSuchParts { .. } => "no-such-parts",
            Self::MissingMesh { .. } | Self::MissingMeshes { .. } => "missing-mesh",
            Self::MeshOutside { .. } => "mesh-outside",
            Self::NoFolder { .. } => "no-folder",
            Self::UnknownArgument { .. } => "unknown-argument",
            Self::IdleOption { .. } => "idle-option",
            Self::NotWritten { .. } => "not-written",
            Self::UnknownMaterial { .. } => "unknown-material",
            Self::UnknownMimicked { .. } => "unknown-mimicked",
            Self::WrittenAs { .. } => "written-as",
            Self::Renamed { .. } => "renamed",
            Self::Unnamed { .. } => "unnamed",
            Self::NotConvex { .. } => "not-convex",
            Self::MeshesConverted { .. } => "meshes-converted",
            Self::RefusedBy { .. } => "refused-by",
            Self::ZeroMass { .. } => "zero-mass",
            Self::TooDense { .. } => "too-dense",
            Self::LargeMoments { .. } => "large-moments",
            Self::OutsideShapes { .. } => "outside-shapes",
            Self::Degrees { .. } | Self::DegreesInOrigin { .. } | Self::DegreesInState { .. } => {
                "degrees"
            }
            Self::FarAway { .. } => "far-away",
            Self::InertiaFromShapes { .. } => "inertia-from-shapes",
            Self::OtherRobot { .. } => "other-robot",
            Self::OtherName { .. } => "other-name",
            Self::MimicState { .. } => "mimic-state",
            Self::StateOutsideLimits { .. } => "state-outside-limits",
            Self::Model(warning) => model_warning(warning),
        }
    }
}

fn xml(refusal: &XmlRefusal) -> &'static str {
    match refusal {
        XmlRefusal::Empty => "empty-file",
        XmlRefusal::TooLarge { .. } => "too-large-file",
        XmlRefusal::TooMany { .. } | XmlRefusal::TooDeep { .. } => "too-many",
        XmlRefusal::DocumentType => "document-type",
        XmlRefusal::Truncated { .. } => "truncated",
        XmlRefusal::DuplicateAttribute { .. } => "duplicate-attribute",
        XmlRefusal::Malformed { .. } => "malformed-xml",
    }
}

fn model_error(error: &ModelError) -> &'static str {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others share a code")]
    match error {
        ModelError::NotFinite { .. } => "not-finite",
        ModelError::Negative { .. } => "negative",
        ModelError::InertiaNotPositive { .. } => "inertia-not-positive",
        ModelError::DuplicateName { .. } => "duplicate-name",
        ModelError::EmptyRange { .. } => "empty-range",
        ModelError::BadMimic { .. } => "bad-mimic",
        ModelError::BadLoop { .. } => "bad-loop",
        _ => "invalid-model",
    }
}

fn model_warning(warning: &ModelWarning) -> &'static str {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the others share a code")]
    match warning {
        ModelWarning::TriangleInequality { .. } => "triangle-inequality",
        ModelWarning::InertiaNotPositive { .. } => "inertia-not-positive",
        ModelWarning::PointMass { .. } => "point-mass",
        ModelWarning::MasslessInertia { .. } => "massless-inertia",
        ModelWarning::MovesNothing { .. } => "moves-nothing",
        ModelWarning::DependentMotions { .. } => "dependent-motions",
        ModelWarning::TooLarge { .. } => "too-large",
        ModelWarning::ContradictoryLimits { .. } => "contradictory-limits",
        ModelWarning::MimicJumps { .. } => "mimic-turns",
        _ => "doubtful-model",
    }
}
