//! The server, as a browser and as others see it.

use featherline_viewer::page;
use featherline_viewer::scene::Scene;
use featherline_viewer::server::{Contact, Server, State};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// How long a test waits for anything.
const PATIENCE: Duration = Duration::from_secs(20);

fn scene(name: &str) -> Scene {
    let text = format!("<robot name='{name}'><link name='a'/></robot>");
    Scene::of_robot(&featherline_formats::load_str(&text).expect("a robot"))
}

/// A running server, its host and its token.
struct Run {
    server: Server,
    host: String,
    token: String,
}

impl Run {
    fn new() -> Self {
        let server = Server::start(&scene("one")).expect("a server");
        let address = server
            .address()
            .strip_prefix("http://")
            .expect("the scheme");
        let (host, token) = address.split_once("/?token=").expect("host and token");
        let (host, token) = (host.to_owned(), token.to_owned());
        Self {
            server,
            host,
            token,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        stream.set_write_timeout(Some(PATIENCE)).expect("a time");
        stream
    }

    /// Status, headers and body of what is answered to bytes.
    fn ask(&self, bytes: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect();
        // The server may have answered, and closed, before the end of a request that is too large.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer
            .windows(4)
            .position(|it| it == b"\r\n\r\n")
            .expect("a head");
        let head = String::from_utf8(answer[..end].to_vec()).expect("text");
        let status = head[9..12].parse().expect("a status");
        (status, head, answer[end + 4..].to_vec())
    }

    /// The answer to a request for a target, with headers besides the host.
    fn get(&self, target: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let host = &self.host;
        self.ask(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").as_bytes())
    }

    /// A page that follows states.
    fn follow(&self) -> WebSocket<TcpStream> {
        let target = format!("ws://{}/live?token={}", self.host, self.token);
        let mut request = target.into_client_request().expect("a request");
        let origin = format!("http://{}", self.host).parse().expect("a header");
        request.headers_mut().insert("Origin", origin);
        let (socket, _) = tungstenite::client(request, self.connect()).expect("a handshake");
        socket
    }
}

/// The next message with text.
fn next(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        if let Message::Text(text) = socket.read().expect("a message") {
            return serde_json::from_str(&text).expect("JSON");
        }
    }
}

#[test]
fn the_page_and_the_scene_need_the_token() {
    let run = Run::new();
    let (page, scene_at) = (
        format!("/?token={}", run.token),
        format!("/scene?token={}", run.token),
    );
    let (status, head, body) = run.get(&page, "");
    assert_eq!((status, body), (200, page::HTML.as_bytes().to_vec()));
    assert!(
        head.contains("Content-Security-Policy: default-src 'none'"),
        "{head}"
    );
    // Notebooks of this machine may frame it.
    assert!(head.contains("frame-ancestors http://127.0.0.1:* http://localhost:* vscode-webview:"));
    assert!(!head.contains("script-src 'unsafe-inline'"));
    let (status, _, body) = run.get(&scene_at, "");
    assert_eq!((status, body), (200, scene("one").to_bytes()));
    let wrong = format!("{}0", &run.token[..31]);
    let other = if wrong == run.token {
        format!("{}1", &run.token[..31])
    } else {
        wrong
    };
    for target in [
        "/".to_owned(),
        "/scene".to_owned(),
        "/live".to_owned(),
        "/?token=".to_owned(),
        format!("/scene?token={other}"),
        format!("/scene?token={}", &run.token[..31]),
        format!("/scene?token={}0", run.token),
        format!("/scene?key={}", run.token),
    ] {
        assert_eq!(run.get(&target, "").0, 403, "{target}");
    }
    // By its other name.
    let port = run.host.rsplit(':').next().expect("a port");
    let local = format!(
        "GET {page} HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n\r\n"
    );
    assert_eq!(run.ask(local.as_bytes()).0, 200);
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let run = Run::new();
    let target = format!("/scene?token={}", run.token);
    let host = &run.host;
    let own = run.get(&target, &format!("Origin: http://{host}\r\n"));
    assert_eq!(own.0, 200);
    for origin in [
        "null",
        "http://example.org",
        "http://127.0.0.1",
        "https://127.0.0.1:1",
        "",
    ] {
        assert_eq!(
            run.get(&target, &format!("Origin: {origin}\r\n")).0,
            403,
            "{origin}"
        );
    }
    // A name that an attacker's server resolves to this machine.
    let port = host.rsplit(':').next().expect("a port");
    for host in [
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        String::new(),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        assert_eq!(run.ask(request.as_bytes()).0, 403, "{host}");
    }
    let none = format!("GET {target} HTTP/1.1\r\n\r\n");
    assert_eq!(run.ask(none.as_bytes()).0, 403);
    let two = run.get(&target, &format!("Host: {host}\r\n"));
    assert_eq!(two.0, 403);
    let handshake = "Origin: http://example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                     Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    assert_eq!(
        run.get(&format!("/live?token={}", run.token), handshake).0,
        403
    );
}

#[test]
fn nothing_but_three_paths_is_served() {
    let run = Run::new();
    for path in [
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/scene/",
        "/scene/../scene",
        "/index.html",
        "/favicon.ico",
        "\\",
        "scene",
    ] {
        let status = run.get(&format!("{path}?token={}", run.token), "").0;
        assert_eq!(status, 404, "{path}");
    }
    assert_eq!(run.get(&format!("/live?token={}", run.token), "").0, 426);
    let host = &run.host;
    let post = format!(
        "POST /scene?token={} HTTP/1.1\r\nHost: {host}\r\n\r\n",
        run.token
    );
    assert_eq!(run.ask(post.as_bytes()).0, 405);
    assert_eq!(run.ask(b"\x16\x03\x01 no request at all\r\n\r\n").0, 400);
}

#[test]
fn requests_that_are_too_large_are_refused() {
    let run = Run::new();
    let target = format!("/scene?token={}", run.token);
    let long = format!("X: {}\r\n", "x".repeat(20 << 10));
    assert_eq!(run.get(&target, &long).0, 431);
    let many = "X: x\r\n".repeat(100);
    assert_eq!(run.get(&target, &many).0, 431);
    let endless = vec![b'a'; 1 << 20];
    assert_eq!(run.ask(&endless).0, 431);
}

#[test]
fn responses_are_compressed_where_the_browser_takes_it() {
    let run = Run::new();
    let (status, head, body) = run.get(
        &format!("/scene?token={}", run.token),
        "Accept-Encoding: br, gzip\r\n",
    );
    assert_eq!(status, 200);
    assert!(head.contains("Content-Encoding: gzip"), "{head}");
    let mut bytes = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(&body[..]);
    decoder.read_to_end(&mut bytes).expect("gzip");
    assert_eq!(bytes, scene("one").to_bytes());
}

#[test]
fn there_are_only_so_many_connections() {
    let run = Run::new();
    let pages: Vec<_> = (0..32).map(|_| run.follow()).collect();
    let target = format!("/?token={}", run.token);
    assert_eq!(run.get(&target, "").0, 503);
    drop(pages);
    // The first places are free once the server has seen that they are closed.
    while run.get(&target, "").0 != 200 {
        std::thread::yield_now();
    }
}

#[test]
fn who_lacks_the_token_keeps_nobody_out_and_nothing_open() {
    let run = Run::new();
    let target = format!("/?token={}", run.token);
    let silent: Vec<TcpStream> = (0..40).map(|_| run.connect()).collect();
    // Others send on, byte by byte, when they are refused.
    let dripping = |_| {
        let mut stream = run.connect();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        std::thread::spawn(move || {
            let begin = Instant::now();
            // The server ends it.
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(20));
            }
            begin.elapsed()
        })
    };
    let dripping: Vec<_> = (0..40).map(dripping).collect();
    let begin = Instant::now();
    assert_eq!(run.get(&target, "").0, 200);
    // The farewell takes 200 ms at most; a loaded machine has time to spare.
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
    for client in dripping {
        let open = client.join().expect("a client");
        assert!(open < Duration::from_secs(3), "{open:?}");
    }
    let begin = Instant::now();
    drop(run);
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
    drop(silent);
}

#[test]
fn pages_see_states_and_scenes_and_the_end() {
    let run = Run::new();
    let mut pages = [run.follow(), run.follow()];
    assert_eq!(run.server.pages(), 2);
    let contact = Contact {
        point: [0.0, 1.0, 2.0],
        normal: [0.0, 0.0, 1.0],
        force: [0.0, 0.0, 9.5],
    };
    run.server.show(&State {
        t: Some(0.1),
        q: &[1.0, -2.5],
        v: &[3.0],
        tau: Some(&[0.5]),
        contacts: &[contact],
    });
    for page in &mut pages {
        let expected = r#"{"kind":"state","t":0.1,"q":[1.0,-2.5],"v":[3.0],"tau":[0.5],
                           "contacts":[{"point":[0.0,1.0,2.0],"normal":[0.0,0.0,1.0],"force":[0.0,0.0,9.5]}]}"#;
        assert_eq!(
            next(page),
            serde_json::from_str::<Value>(expected).expect("JSON")
        );
    }
    run.server.replace(&scene("two"));
    for page in &mut pages {
        assert_eq!(next(page)["kind"], "scene");
    }
    let (_, _, body) = run.get(&format!("/scene?token={}", run.token), "");
    assert_eq!(body, scene("two").to_bytes());
    // A page that comes later sees the latest state.
    let mut late = run.follow();
    assert_eq!(next(&mut late)["t"], 0.1);
    // A page that goes is forgotten.
    let [mut first, mut second] = pages;
    first.close(None).expect("closed");
    while run.server.pages() > 2 {
        std::thread::yield_now();
    }
    let host = run.host.clone();
    drop(run);
    assert_eq!(next(&mut second)["kind"], "end");
    assert_eq!(next(&mut late)["kind"], "end");
    assert!(TcpStream::connect(host).is_err());
}

#[test]
fn a_page_that_reads_nothing_slows_nobody() {
    let run = Run::new();
    let stalled = run.follow();
    let mut page = run.follow();
    // A message is larger than what the system keeps for a page that reads nothing.
    let q = vec![0.123_456_789_012_345_6; 300_000];
    let show = |k: u32| {
        run.server.show(&State {
            t: Some(f64::from(k)),
            q: &q,
            ..State::default()
        });
    };
    show(0);
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let last = *seen.last().unwrap_or(&-1.0);
        // Shown many times while the page reads once: it misses states, and sees the last of them.
        let first = (last + 1.0) as u32;
        let used = allocation_counter::measure(|| (first..first + 50).for_each(show));
        assert_eq!(used.count_total, 0, "nothing is allocated");
        let newest = f64::from(first + 49);
        while *seen.last().unwrap_or(&-1.0) < newest {
            seen.push(next(&mut page)["t"].as_f64().expect("a time"));
        }
    }
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
    assert!(seen.len() < 50, "{seen:?}");
    // The page that reads nothing is still there: it was being written to all the time.
    assert_eq!(run.server.pages(), 2);
    drop(stalled);
}
