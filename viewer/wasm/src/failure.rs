//! Errors of robot files as JavaScript has them.

use featherline_formats::Error;
use std::path::PathBuf;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// JavaScript's `Error`, with where it was found.
    #[wasm_bindgen(js_name = Error)]
    pub type Failure;

    #[wasm_bindgen(constructor, js_class = "Error")]
    fn new(message: &str) -> Failure;

    #[wasm_bindgen(method, setter)]
    fn set_file(this: &Failure, file: Option<String>);

    #[wasm_bindgen(method, setter)]
    fn set_line(this: &Failure, line: Option<u32>);

    #[wasm_bindgen(method, setter)]
    fn set_column(this: &Failure, column: Option<u32>);

    #[wasm_bindgen(method, setter)]
    fn set_element(this: &Failure, element: Option<String>);

    #[wasm_bindgen(method, setter)]
    fn set_code(this: &Failure, code: &str);
}

/// The error of a text that was read from a file, `arm.urdf:12:5: …`.
pub fn of_file(error: &Error, file: Option<String>) -> Failure {
    let mut location = error.location().clone();
    let (message, place) = (error.to_string(), location.to_string());
    let what = message.strip_prefix(&place).unwrap_or(&message);
    location.file = file.clone().map(PathBuf::from);
    let failure = Failure::new(&format!("{location}{what}"));
    let position = location.position;
    failure.set_file(file);
    failure.set_line(position.and_then(|it| u32::try_from(it.line).ok()));
    failure.set_column(position.and_then(|it| u32::try_from(it.column).ok()));
    failure.set_element(location.element);
    failure.set_code(error.cause().code());
    failure
}
