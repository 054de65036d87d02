//! Limits that a text must meet before it is parsed as XML, so that no text can exhaust memory or
//! time.

use super::MeshErrorKind;

/// The greatest number of attributes of one element: the parser compares each with all before.
const MAX_ATTRIBUTES: usize = 256;
/// The greatest number of namespace declarations: each repeats those of the ancestors.
const MAX_NAMESPACES: usize = 256;
/// The greatest number of elements, comments and texts.
pub(super) const MAX_NODES: u32 = 4 << 20;

/// Refuses a text with too many attributes in one element or too many namespaces.
pub(super) fn check(text: &str) -> Result<(), MeshErrorKind> {
    let namespaces = text.matches("xmlns").take(MAX_NAMESPACES + 1).count();
    if namespaces > MAX_NAMESPACES {
        let (what, limit) = ("namespace declarations", MAX_NAMESPACES);
        return Err(MeshErrorKind::TooMany { what, limit });
    }
    // Every sign since the last `<` counts: a quoted value may have a `>` in it, but no `<`.
    let (mut attributes, mut is_element) = (0, false);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'<' => (attributes, is_element) = (0, !matches!(bytes.peek(), Some(b'!' | b'?'))),
            b'=' if is_element => attributes += 1,
            _ => {}
        }
        if attributes > MAX_ATTRIBUTES {
            let (what, limit) = ("attributes in one element", MAX_ATTRIBUTES);
            return Err(MeshErrorKind::TooMany { what, limit });
        }
    }
    Ok(())
}
