//! The table of diagnostics: each error and warning with its code, severity and message.

/// Declares the errors or the warnings of files, one row each:
///
/// ```text
/// /// When it occurs.
/// Variant {
///     /// Its unit.
///     field: Type,
/// } [severity, code]
///     "the message, with the remedy", arguments;
/// ```
macro_rules! diagnostics {
    ($(#[$of_all:meta])* pub enum $name:ident { $(
        $(#[$doc:meta])*
        $variant:ident $({ $($(#[$field_doc:meta])* $field:ident: $kind:ty),* $(,)? })? $(($inner:ident: $inner_kind:ty))?
            [$severity:expr, $code:expr] $text:literal $(, $argument:expr)*;
    )* }) => {
        $(#[$of_all])*
        #[non_exhaustive]
        pub enum $name { $(
            $(#[$doc])*
            #[doc = concat!("\n\nMessage: ", $text)]
            $variant $({ $($(#[$field_doc])* $field: $kind),* })? $(($inner_kind))?,
        )* }

        impl $name {
            /// A word for the kind, such as `duplicate-name`. It stays the same between versions,
            /// and the same problem has the same word as an error and as a warning.
            #[expect(unused_variables, reason = "codes are the same for most values")]
            pub fn code(&self) -> &'static str {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($inner))? => $code,)*
                }
            }

            /// How much it matters: parts that are not used are notes; all else that is no error,
            /// such as a mesh that was not found, is a warning.
            #[expect(unused_variables, reason = "severities are the same for most values")]
            pub fn severity(&self) -> Severity {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($inner))? => $severity,)*
                }
            }
        }

        impl fmt::Display for $name {
            #[allow(unused_variables, reason = "some values are in no message")]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($inner))? => {
                        write!(f, $text $(, $argument)*)
                    })*
                }
            }
        }
    };
}

pub(crate) use diagnostics;

/// The end of a message that suggests another name, if there is one.
pub(crate) fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
