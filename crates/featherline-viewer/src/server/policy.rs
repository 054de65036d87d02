//! The permissions of the page: the content security policy.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The policy of a page: its own scripts, by their hashes, its own styles, and connections to the
/// server on this machine; nothing else. Notebooks on this machine may frame it.
pub(super) fn of_page(html: &str, port: u16) -> String {
    let hashes: String = scripts(html)
        .map(|script| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(script))))
        .collect();
    format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval'{hashes}; style-src 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src data:; worker-src blob:; \
         connect-src 'self' data: blob: ws://127.0.0.1:{port} ws://localhost:{port}; \
         base-uri 'none'; form-action 'none'; \
         frame-ancestors http://127.0.0.1:* http://localhost:* vscode-webview:"
    )
}

/// The text of each script of a page.
fn scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|rest| {
        let (_, text) = rest.split_once('>')?;
        text.split_once("</script").map(|(text, _)| text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_allowed_by_their_hashes() {
        let html = "<head><script type=\"module\">alert(1)</script></head><script></script>";
        assert_eq!(scripts(html).collect::<Vec<_>>(), ["alert(1)", ""]);
        let policy = of_page(html, 8000);
        // Of `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`, and of nothing (FIPS
        // 180-4).
        assert!(
            policy.contains("'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"),
            "{policy}"
        );
        assert!(
            policy.contains("'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe-eval'; ") || policy.contains("'wasm-unsafe-eval'"));
        assert!(policy.starts_with("default-src 'none'; "));
    }
}
