//! Arguments that are not arrays.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// The value of an argument.
pub fn taken<'a, 'py, T: FromPyObject<'a, 'py>>(
    name: &str,
    value: &'a Bound<'py, PyAny>,
    expected: &str,
) -> PyResult<T> {
    value.extract().map_err(|_| {
        let found = value
            .get_type()
            .name()
            .map_or_else(|_| String::new(), |it| format!(", not {it}"));
        PyTypeError::new_err(format!("{name} must be {expected}{found}"))
    })
}

/// Names; one of them needs no list.
pub fn names(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.extract::<String>() {
        Ok(one) => Ok(vec![one]),
        Err(_) => taken(name, value, "a name or a list of names"),
    }
}

/// The name of a frame; of a link or a joint, too.
pub struct FrameName<'a>(pub &'a str);

/// The name of a joint.
pub struct JointName<'a>(pub &'a str);

/// A name of a part, where others count them.
fn name_of<'a>(value: Borrowed<'a, '_, PyAny>, part: &str) -> PyResult<&'a str> {
    value.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "a {part} is given by its name, not by {}; model.{part}s lists them",
            shown(&value)
        ))
    })
}

/// A value in a message: a number as it is, else its type.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type().name();
    match value.extract::<f64>() {
        Ok(_) => value.to_string(),
        Err(_) => kind.map_or_else(|_| "this".to_owned(), |it| format!("a value of type {it}")),
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for FrameName<'a> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        name_of(value, "frame").map(Self)
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for JointName<'a> {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        name_of(value, "joint").map(Self)
    }
}

/// The arguments of a call, by position and by name.
#[derive(Clone, Copy)]
pub struct Given<'a, 'py> {
    pub parts: &'a Bound<'py, PyTuple>,
    pub named: Option<&'a Bound<'py, PyDict>>,
}

/// A call that has several forms: its name, and the arguments of each form, "needed [optional]".
pub struct Forms<'a> {
    pub call: &'a str,
    pub forms: &'a [&'a str],
}

impl Forms<'_> {
    /// The arguments in the order of the form that has their names. How many there may be by
    /// position is the caller's to say.
    pub fn in_order<'py>(&self, given: Given<'_, 'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let names = names_of(given.named)?;
        let first = given.parts.len();
        for form in self.forms {
            let words = || form.split_whitespace();
            let needed = words().filter(|word| !word.starts_with('[')).count();
            let own = words().map(|word| word.trim_matches(['[', ']']));
            let own: Vec<&str> = own.skip(first).take(names.len()).collect();
            let fits = first + names.len() >= needed && own.len() == names.len();
            if fits && own.iter().all(|word| names.iter().any(|name| name == word)) {
                let values = own
                    .iter()
                    .filter_map(|word| given.named?.get_item(*word).transpose());
                return given.parts.iter().map(Ok).chain(values).collect();
            }
        }
        Err(self.refused(given))
    }

    /// Up to `N` arguments in the order of the form that has their names. Those that are given by
    /// position alone are as they are.
    pub fn parts<'py, const N: usize>(
        &self,
        given: Given<'_, 'py>,
    ) -> PyResult<[Option<Bound<'py, PyAny>>; N]> {
        if given.parts.len() > N {
            return Err(self.refused(given));
        }
        if given.named.is_none() {
            let mut values = given.parts.iter();
            return Ok(std::array::from_fn(|_| values.next()));
        }
        let mut values = self.in_order(given)?.into_iter();
        Ok(std::array::from_fn(|_| values.next()))
    }

    /// The error for arguments of no form.
    pub fn refused(&self, given: Given<'_, '_>) -> PyErr {
        let names = match names_of(given.named) {
            Ok(names) => names,
            Err(error) => return error,
        };
        let count = given.parts.len();
        let by_position = (count > 0).then(|| format!("{count} by position"));
        let passed: Vec<String> = by_position.into_iter().chain(names).collect();
        let (call, passed, forms) = (self.call, passed.join(", "), self.forms.join("), ("));
        PyTypeError::new_err(format!(
            "{call} has no form with these arguments: {passed}. It takes ({forms})"
        ))
    }
}

fn names_of(named: Option<&Bound<'_, PyDict>>) -> PyResult<Vec<String>> {
    named.map_or(Ok(Vec::new()), |named| named.keys().extract())
}

/// [`Forms::in_order`] for Python.
#[pyfunction]
pub fn _in_order<'py>(
    call: &str,
    forms: Vec<String>,
    parts: &Bound<'py, PyTuple>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyTuple>> {
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let given = Given {
        parts,
        named: Some(named),
    };
    let forms = &forms;
    PyTuple::new(named.py(), Forms { call, forms }.in_order(given)?)
}

/// The argument of a method that has one, which has several names. The signature states each of
/// them: with `**named` a call by position would take a half longer.
pub fn one_of<'a, 'py, const N: usize>(
    method: &str,
    values: [(&str, Option<&'a Bound<'py, PyAny>>); N],
) -> PyResult<&'a Bound<'py, PyAny>> {
    let mut given = values.iter().filter_map(|(_, value)| *value);
    if let (Some(value), None) = (given.next(), given.next()) {
        return Ok(value);
    }
    Err(PyTypeError::new_err(format!(
        "{method} takes one argument: {}",
        values.map(|(name, _)| name).join(", or ")
    )))
}
