//! XML text that may be hostile, and its elements with their positions in the text.

mod element;
mod guard;

pub(crate) use element::{Attribute, Element, shortened};
pub use guard::XmlRefusal;
pub(crate) use guard::{Place, Refused, check, parse};
