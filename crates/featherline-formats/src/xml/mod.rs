//! XML text that may be hostile, its elements with their positions in the text, and text that is
//! written.

mod document;
mod element;
mod refusal;
mod writer;

pub(crate) use document::Document;
pub(crate) use element::{Attribute, Element, shortened};
pub(crate) use refusal::Refused;
pub use refusal::XmlRefusal;
pub(crate) use writer::{Text, escaped, number, numbers, vector};
