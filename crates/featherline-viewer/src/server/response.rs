//! Responses.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Malformed,
    TooLarge,
    Slow,
    Host,
    Origin,
    Method,
    Token,
    Path,
    Websocket,
    Busy,
}

impl Refusal {
    /// The status, and what to do.
    fn status(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => (
                "400 Bad Request",
                "this is not a request that is understood",
            ),
            Self::TooLarge => (
                "431 Request Header Fields Too Large",
                "the request is too large",
            ),
            Self::Slow => ("408 Request Timeout", "the request took too long"),
            Self::Host => (
                "403 Forbidden",
                "the host is another; open the address that was printed",
            ),
            Self::Origin => ("403 Forbidden", "other pages may not ask this server"),
            Self::Method => ("405 Method Not Allowed", "only GET is answered"),
            Self::Token => (
                "403 Forbidden",
                "the token is missing or wrong; open the address that was printed",
            ),
            Self::Path => ("404 Not Found", "there is no such file"),
            Self::Websocket => ("426 Upgrade Required", "this is the address of a websocket"),
            Self::Busy => (
                "503 Service Unavailable",
                "too many pages are open; close some",
            ),
        }
    }
}

/// How long a write may take.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a client may take to close in all, and how much of what it still sends is read: a
/// connection that is closed with something unread is cut off, with the response in it.
const FAREWELL: (Duration, usize) = (Duration::from_millis(200), 1 << 20);

/// Headers of every response: nothing is kept or guessed, nothing goes to other pages.
const HEADERS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
                       Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
                       Cross-Origin-Opener-Policy: same-origin\r\nConnection: close\r\n";

/// Sends a response, and closes the connection. A client that has gone does not matter.
pub(super) fn send(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\n{HEADERS}{headers}Content-Length: {length}\r\n\r\n");
    let sent = stream
        .set_write_timeout(Some(PATIENCE))
        .and_then(|()| stream.write_all(head.as_bytes()))
        .and_then(|()| stream.write_all(body))
        .and_then(|()| stream.shutdown(Shutdown::Write));
    if sent.is_err() {
        return;
    }
    let deadline = Instant::now() + FAREWELL.0;
    let mut piece = [0; 4096];
    let mut left = FAREWELL.1;
    while left > 0 {
        let time = deadline.saturating_duration_since(Instant::now());
        if time.is_zero() || stream.set_read_timeout(Some(time)).is_err() {
            return;
        }
        match stream.read(&mut piece) {
            Ok(count @ 1..) => left = left.saturating_sub(count),
            _ => return,
        }
    }
}

/// Sends why a request is refused.
pub(super) fn refuse(stream: &mut TcpStream, refusal: Refusal) {
    let (status, reason) = refusal.status();
    let kind = "Content-Type: text/plain; charset=utf-8\r\nContent-Security-Policy: default-src 'none'\r\n";
    let text = format!("{reason}\n");
    send(stream, status, kind, text.as_bytes());
}
