//! `view`, and `simulate --view`: what is served and written.

use crate::process::{command, run};
use crate::simulate::path;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A command that serves a page, until it is dropped.
struct Serving {
    child: Child,
    host: String,
    token: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let out = child.stdout.as_mut().expect("it was piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line
            .trim_end()
            .strip_prefix("http://127.0.0.1:")
            .expect("an address");
        let (port, token) = address.split_once("/?token=").expect("a token");
        Self {
            host: format!("127.0.0.1:{port}"),
            token: token.to_owned(),
            child,
        }
    }

    /// A connection with a request of a path.
    fn ask(&self, path: &str, headers: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("it listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a time");
        let (host, token) = (&self.host, &self.token);
        let request = format!("GET {path}?token={token} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    }

    fn get(&self, path: &str) -> String {
        let mut answer = Vec::new();
        self.ask(path, "")
            .read_to_end(&mut answer)
            .expect("an answer");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It runs until it is ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_and_the_robot_are_served() {
    let serving = Serving::start(&["view", "panda", "--no-open"]);
    let page = serving.get("/");
    assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    assert!(page.contains("<title>featherline</title>"));
    let scene = serving.get("/scene");
    assert!(
        scene.contains("FLSC") && scene.contains(r#""name":"panda""#),
        "{scene}"
    );
}

#[test]
fn a_robot_that_cannot_be_read_is_served_as_an_error() {
    let file = path("view_broken.urdf");
    std::fs::write(
        &file,
        "<robot name='r'>\n<link name='a'><inertial/></link></robot>",
    )
    .expect("written");
    let serving = Serving::start(&["view", file.to_str().expect("UTF-8"), "--no-open"]);
    let scene = serving.get("/scene");
    assert!(
        scene.contains(r#""error":{"message":"#) && scene.contains(r#""line":2"#),
        "{scene}"
    );
    // In a page that is written there is nobody to mend it for.
    let html = path("view_broken.html");
    let written = run(&[
        "view",
        file.to_str().expect("UTF-8"),
        "--html",
        html.to_str().expect("UTF-8"),
    ]);
    assert_eq!(written.code, 2, "{}", written.err);
    assert!(!html.exists());
    assert_eq!(run(&["view", "no_such_robot", "--no-open"]).code, 2);
}

#[test]
fn a_page_is_written_with_a_recording_inside() {
    let (recorded, html) = (path("view_run.csv"), path("view_run.html"));
    let (recorded_name, html_name) = (
        recorded.to_str().expect("UTF-8"),
        html.to_str().expect("UTF-8"),
    );
    let made = run(&[
        "simulate",
        "double_pendulum",
        "--seconds",
        "0.1",
        "--record",
        recorded_name,
    ]);
    assert_eq!(made.code, 0, "{}", made.err);
    let written = run(&[
        "view",
        "double_pendulum",
        "--play",
        recorded_name,
        "--html",
        html_name,
    ]);
    assert_eq!((written.code, written.err.as_str()), (0, ""));
    let page = std::fs::read_to_string(&html).expect("it was written");
    assert!(page.contains("<script id=\"scene\" type=\"text/plain\">"));
    let other = run(&[
        "view",
        "panda",
        "--play",
        recorded_name,
        "--html",
        html_name,
    ]);
    assert_eq!(other.code, 2);
    assert!(
        other
            .err
            .contains("column 2 is `q.shoulder`, where `panda` has `q.panda_joint1`"),
        "{}",
        other.err
    );
    let robot = run(&["view", recorded_name]);
    assert_eq!(robot.code, 2);
    let expected = format!("`featherline view ROBOT --play {recorded_name}` plays it");
    assert!(robot.err.contains(&expected), "{}", robot.err);
}

#[test]
fn a_page_follows_a_simulation_and_stays() {
    let serving = Serving::start(&[
        "simulate",
        "double_pendulum",
        "--seconds",
        "0.05",
        "--view",
        "--no-open",
    ]);
    let handshake = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                     Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let mut stream = serving.ask("/live", handshake);
    let mut seen = Vec::new();
    let mut piece = [0; 4096];
    // The last sample stays the latest state, however late a page comes.
    while !String::from_utf8_lossy(&seen).contains(r#""kind":"state","t":0.05"#) {
        let count = stream.read(&mut piece).expect("a message");
        assert!(count > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&piece[..count]);
    }
    let head = String::from_utf8_lossy(&seen).into_owned();
    // The key and its answer are the example of RFC 6455.
    assert!(head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{head}");
    assert!(serving.get("/").starts_with("HTTP/1.1 200 OK"));
}

/// The bytes of a picture, and what was said; with the browser that there is, or another.
fn drawn(name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (Option<Vec<u8>>, String) {
    let file = path(name);
    // One of an earlier run may be there.
    let _ = std::fs::remove_file(&file);
    let mut command = command(arguments);
    command.arg(&file).envs(variables.iter().copied());
    let output = command.output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let bytes = std::fs::read(&file).ok();
    assert_eq!(output.status.success(), bytes.is_some(), "{said}");
    (bytes, said)
}

#[test]
fn a_picture_without_a_browser_is_an_error_that_says_what_to_install() {
    let nowhere = [("PATH", ""), ("FEATHERLINE_BROWSER", "")];
    let (none, said) = drawn("nobody.png", &["view", "panda", "--png"], &nowhere);
    // Where installers put a browser, it is found without a path.
    if none.is_none() {
        assert!(said.contains("install Chromium"), "{said}");
        assert!(said.contains("FEATHERLINE_BROWSER"), "{said}");
    }
    let wrong = [("FEATHERLINE_BROWSER", "/no/such/browser")];
    let (none, said) = drawn("nobody.png", &["view", "panda", "--png"], &wrong);
    assert!(
        none.is_none() && said.contains("/no/such/browser"),
        "{said}"
    );
    // A program that is no browser ends with or without an error message.
    let wrong = [("FEATHERLINE_BROWSER", env!("CARGO_BIN_EXE_featherline"))];
    let (none, said) = drawn("nobody.png", &["view", "panda", "--png"], &wrong);
    assert!(none.is_none() && said.contains("does not draw"), "{said}");
}

#[test]
fn what_a_picture_can_not_be_is_an_error() {
    for (arguments, reason) in [
        (
            &["view", "panda", "--q", "1", "--png"][..],
            "needs 7 (nq = 7)",
        ),
        (
            &["view", "panda", "--from", "0,0,0", "--png"],
            "--from needs three numbers",
        ),
        (
            &["view", "panda", "--size", "8x8", "--png"],
            "16 to 4096 pixels",
        ),
        (
            &["view", "panda", "--size", "large", "--png"],
            "such as 1200x900",
        ),
        (
            &["view", "panda", "--configuration", "hom", "--png"],
            "did you mean `home`",
        ),
        (&["view", "panda", "--gif"], "--play <RECORDING>"),
        (
            &["view", "panda", "--port", "1", "--png"],
            "cannot be used with",
        ),
    ] {
        let (none, said) = drawn("impossible.png", arguments, &[]);
        assert!(none.is_none() && said.contains(reason), "{said}");
    }
}

#[test]
fn a_browser_draws_pictures_where_there_is_one() {
    let arguments = [
        "view", "panda", "--size", "320x200", "--from", "0,-1,0.1", "--png",
    ];
    let (png, said) = drawn("panda.png", &arguments, &[]);
    if said.contains("no browser is found") {
        return;
    }
    let png = png.expect(&said);
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    // Width and height are the first numbers of a PNG, and of a GIF.
    assert_eq!(png[16..24], [0, 0, 1, 64, 0, 0, 0, 200]);
    let recorded = path("drawn.csv");
    let recorded = recorded.to_str().expect("UTF-8");
    let made = run(&[
        "simulate",
        "panda",
        "--seconds",
        "0.3",
        "--record",
        recorded,
    ]);
    assert_eq!(made.code, 0, "{}", made.err);
    let arguments = [
        "view", "panda", "--play", recorded, "--size", "160x100", "--gif",
    ];
    let (gif, said) = drawn("panda.gif", &arguments, &[]);
    let gif = gif.expect(&said);
    assert_eq!(&gif[..6], b"GIF89a");
    assert_eq!(gif[6..10], [160, 0, 100, 0]);
    // 0.3 s at 20 pictures a second.
    let pictures = gif
        .windows(3)
        .filter(|it| *it == [0x21, 0xf9, 0x04])
        .count();
    assert_eq!(pictures, 6);
}
