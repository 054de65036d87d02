//! XML text that may be hostile, its elements with their positions in the text, and text that is
//! written.

mod element;
mod guard;
mod writer;

pub(crate) use element::{Attribute, Element, shortened};
pub use guard::XmlRefusal;
pub(crate) use guard::{Place, Refused, check, parse};
pub(crate) use writer::{Text, number, numbers, vector};
