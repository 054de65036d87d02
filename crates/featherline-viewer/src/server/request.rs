//! Requests: reading their heads, and whether they are allowed.

use super::response::Refusal;
use super::token;
use std::io::Read;
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The most bytes of the head of a request.
const HEAD: usize = 16 << 10;

/// The most headers.
const HEADERS: usize = 64;

/// How long the head of a request may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request that is allowed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) path: String,
    /// Whether the browser takes gzip.
    pub(super) takes_gzip: bool,
    /// The key of a handshake that asks for a websocket.
    pub(super) websocket_key: Option<String>,
}

/// Reads the head of a request, and checks it. What follows the head is not read.
pub(super) fn read(stream: &mut TcpStream, secret: &str, port: u16) -> Result<Request, Refusal> {
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut piece = [0; 2048];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(Refusal::Slow);
        }
        match stream.read(&mut piece) {
            Ok(0) => return Err(Refusal::Malformed),
            Ok(count) => head.extend_from_slice(&piece[..count]),
            Err(_) => return Err(Refusal::Slow),
        }
        if let Some(request) = parse(&head, secret, port)? {
            return Ok(request);
        }
        if head.len() > HEAD {
            return Err(Refusal::TooLarge);
        }
    }
}

/// The request of a head; none if the head is not complete.
fn parse(head: &[u8], secret: &str, port: u16) -> Result<Option<Request>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(status) if status.is_partial() => return Ok(None),
        Ok(_) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::TooLarge),
        Err(_) => return Err(Refusal::Malformed),
    }
    let values = |name: &str| -> Vec<&str> {
        let named = parsed
            .headers
            .iter()
            .filter(|it| it.name.eq_ignore_ascii_case(name));
        named
            .map(|it| std::str::from_utf8(it.value).unwrap_or_default().trim())
            .collect()
    };
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let [host] = values("host")[..] else {
        return Err(Refusal::Host);
    };
    if !hosts.iter().any(|it| it.eq_ignore_ascii_case(host)) {
        return Err(Refusal::Host);
    }
    let own = format!("http://{host}");
    if !values("origin")
        .iter()
        .all(|it| it.eq_ignore_ascii_case(&own))
    {
        return Err(Refusal::Origin);
    }
    if parsed.method != Some("GET") {
        return Err(Refusal::Method);
    }
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let given = query.split('&').find_map(|it| it.strip_prefix("token="));
    if !given.is_some_and(|given| token::is_same(given, secret)) {
        return Err(Refusal::Token);
    }
    let says = |name: &str, word: &str| {
        let words = values(name).into_iter().flat_map(|it| it.split(','));
        words
            .into_iter()
            .any(|it| it.trim().eq_ignore_ascii_case(word))
    };
    let is_websocket = says("upgrade", "websocket")
        && says("connection", "upgrade")
        && says("sec-websocket-version", "13");
    let key = values("sec-websocket-key");
    let websocket_key = match key[..] {
        [key] if is_websocket => Some(key.to_owned()),
        _ => None,
    };
    Ok(Some(Request {
        path: path.to_owned(),
        takes_gzip: takes_gzip(&values("accept-encoding")),
        websocket_key,
    }))
}

/// Whether gzip is among the encodings, with a weight that is not zero.
fn takes_gzip(encodings: &[&str]) -> bool {
    encodings
        .iter()
        .flat_map(|it| it.split(','))
        .any(|encoding| {
            let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
            let weight = weight.trim().strip_prefix("q=").map(str::parse::<f64>);
            name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight, Some(Ok(0.0)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_weights() {
        assert!(takes_gzip(&["deflate, gzip;q=0.5"]) && takes_gzip(&["br", "GZIP"]));
        assert!(!takes_gzip(&["gzip;q=0, br"]) && !takes_gzip(&["gzipped"]) && !takes_gzip(&[]));
    }

    #[test]
    fn a_head_is_complete_or_not() {
        let head = b"GET /scene?a=1&token=T HTTP/1.1\r\nhost: LOCALHOST:80\r\nAccept-Encoding: gzip\r\n\r\n";
        let request = parse(head, "T", 80).expect("allowed").expect("complete");
        assert_eq!(
            (request.path.as_str(), request.takes_gzip),
            ("/scene", true)
        );
        for end in 0..head.len() {
            assert_eq!(parse(&head[..end], "T", 80), Ok(None), "{end}");
        }
    }
}
