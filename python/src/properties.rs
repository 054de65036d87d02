//! Properties of classes, a line for each.

/// Read-only properties of a class: `name: type = |self| value;`, or with `|self, py: 'py|`, under
/// its documentation.
macro_rules! properties {
    ($class:ident: $($(#[$documentation:meta])*
        $name:ident: $type:ty = |$this:ident $(, $py:ident: $life:lifetime)?| $value:expr;)*) => {
        #[pymethods]
        impl $class {$(
            $(#[$documentation])*
            #[getter]
            fn $name$(<$life>)?(&$this $(, $py: Python<$life>)?) -> $type {
                $value
            }
        )*}
    };
}

pub(crate) use properties;
