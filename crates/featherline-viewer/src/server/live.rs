//! States to a page, over a websocket (RFC 6455).

use super::response::PATIENCE;
use super::shared::{Connection, NextMessage};
use super::state::StoredState;
use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// The shortest time between two messages: 60 a second.
const PERIOD: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// How long to wait for news before the page is heard again.
const IDLE: Duration = Duration::from_millis(100);

/// How long to listen to the page.
const LISTEN: Duration = Duration::from_millis(1);

/// The most bytes of a message of a page, which has nothing to say.
const HEARD: usize = 4 << 10;

/// Sends the latest state whenever there is a newer one, until the page or the server ends.
pub(super) fn follow(mut stream: TcpStream, key: &str, mut connection: Connection) {
    let accept = derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    // Counted before the page knows that it follows.
    let mut heard = connection.shared.heard();
    connection.follow();
    let begun = stream
        .set_write_timeout(Some(PATIENCE))
        .and_then(|()| stream.set_read_timeout(Some(LISTEN)))
        .and_then(|()| stream.set_nodelay(true))
        .and_then(|()| stream.write_all(head.as_bytes()));
    if begun.is_err() {
        return;
    }
    let config = WebSocketConfig::default()
        .read_buffer_size(HEARD)
        .max_message_size(Some(HEARD))
        .max_frame_size(Some(HEARD));
    let mut socket = WebSocket::from_raw_socket(stream, Role::Server, Some(config));
    let mut state = StoredState::default();
    loop {
        let text = match connection.shared.news(&mut heard, &mut state, IDLE) {
            NextMessage::None => None,
            NextMessage::State => Some(state.get().to_json()),
            NextMessage::Scene => Some(r#"{"kind":"scene"}"#.to_owned()),
            NextMessage::End => {
                // The page may have gone, too.
                let _ = socket.send(Message::text(r#"{"kind":"end"}"#));
                let _ = socket.close(None);
                return;
            }
        };
        let begin = Instant::now();
        if let Some(text) = text
            && socket.send(Message::text(text)).is_err()
        {
            // Gone, or too slow for the greatest time of a write.
            return;
        }
        if !listens(&mut socket) {
            return;
        }
        std::thread::sleep(PERIOD.saturating_sub(begin.elapsed()));
    }
}

/// Reads a message, if there is one; false once the page has gone.
fn listens(socket: &mut WebSocket<TcpStream>) -> bool {
    match socket.read() {
        // The message does not matter; pings are answered, and a farewell is an error next time.
        Ok(_) => true,
        Err(Error::Io(error)) => {
            matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
        }
        Err(_) => false,
    }
}
