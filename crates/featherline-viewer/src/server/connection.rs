//! Connections: a thread each, of a bounded number.

use super::live;
use super::request::{self, Request};
use super::response::{self, Refusal, refuse};
use super::shared::{Connection, Payload, Shared};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

/// The pause after a connection that the system refuses: it may lack memory.
const PAUSE: Duration = Duration::from_millis(50);

/// Answers connections until the server ends.
pub(super) fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.is_over() {
            return;
        }
        let Ok(connected) = stream.and_then(|it| Ok((shared.connect(&it)?, it))) else {
            std::thread::sleep(PAUSE);
            continue;
        };
        let (connection, stream) = connected;
        let thread = std::thread::Builder::new().name("featherline-viewer".to_owned());
        // Without a thread the connection is closed.
        let _ = thread.spawn(move || serve(stream, connection));
    }
}

/// Answers one request.
fn serve(mut stream: TcpStream, mut connection: Connection) {
    let shared = &connection.shared;
    let answered = request::read(&mut stream, &shared.token, shared.port);
    let request = match answered {
        Ok(request) => request,
        Err(refusal) => return refuse(&mut stream, refusal),
    };
    if !connection.admit() {
        return refuse(&mut stream, Refusal::Busy);
    }
    let shared = &connection.shared;
    match request.path.as_str() {
        "/" => {
            let kind = format!(
                "Content-Type: text/html; charset=utf-8\r\nContent-Security-Policy: {}\r\n",
                shared.policy
            );
            send(&mut stream, &request, &kind, &shared.page);
        }
        "/scene" => {
            let kind = "Content-Type: application/octet-stream\r\n";
            send(&mut stream, &request, kind, &shared.scene());
        }
        "/live" => match request.websocket_key {
            Some(key) => live::follow(stream, &key, connection),
            None => refuse(&mut stream, Refusal::Websocket),
        },
        _ => refuse(&mut stream, Refusal::Path),
    }
}

fn send(stream: &mut TcpStream, request: &Request, kind: &str, served: &Payload) {
    let (encoding, body) = match request.takes_gzip {
        true => ("Content-Encoding: gzip\r\n", served.compressed()),
        false => ("", &served.bytes[..]),
    };
    let headers = format!("{kind}Vary: Accept-Encoding\r\n{encoding}");
    response::send(stream, "200 OK", &headers, body);
}
