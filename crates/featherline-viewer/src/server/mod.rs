//! A server of the page on this machine.
//!
//! It listens on 127.0.0.1 alone. Every request needs the token of the address, which is drawn for
//! each server; `Host`, and `Origin` where there is one, must be the server's own, so that no other
//! page of the browser can ask it anything. The page may not load from anywhere else.
//!
//! | request | answer |
//! |---|---|
//! | `GET /?token=T` | the page |
//! | `GET /scene?token=T` | the [scene](crate::scene) as bytes |
//! | `GET /live?token=T` | a websocket with states as text in JSON |
//!
//! A page that connects to `/live` before it asks for the scene misses no replacement of it.

mod connection;
mod live;
mod policy;
mod request;
mod response;
mod shared;
mod state;
mod token;

pub use state::{Contact, State};

use crate::scene::Scene;
use shared::Shared;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// Why a server can't start.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The system gives no port.
    #[error(
        "can't listen on 127.0.0.1:{port}: {source}; another port may be free, and 0 takes one that is"
    )]
    Port {
        /// The port that was asked for; 0 for any.
        port: u16,
        /// The operating system's message.
        source: io::Error,
    },
    /// The system gives no random numbers for the token.
    #[error("the system gives no random numbers, without which no address is secret: {reason}")]
    Random {
        /// The operating system's message.
        reason: String,
    },
    /// The system starts no thread.
    #[error("can't start a thread: {source}; end other programs")]
    Thread {
        /// The operating system's message.
        source: io::Error,
    },
}

/// A server of the page, until it is dropped.
///
/// ```
/// use featherline_viewer::scene::Scene;
/// use featherline_viewer::server::{Server, State};
///
/// let robot = featherline_formats::load_str("<robot name='r'><link name='a'/></robot>")?;
/// let server = Server::start(&Scene::of_robot(&robot))?;
/// assert!(server.address().starts_with("http://127.0.0.1:"));
/// server.show(&State { t: Some(0.1), ..State::default() });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    address: String,
    listener: Option<JoinHandle<()>>,
    socket: SocketAddr,
}

/// How long pages may take to hear of the end.
const FAREWELL: Duration = Duration::from_millis(500);

impl Server {
    /// Serves a scene on a free port.
    ///
    /// # Errors
    /// [`ServerError`] if the system gives no port, no random numbers or no thread.
    pub fn start(scene: &Scene) -> Result<Self, ServerError> {
        Self::start_at(scene, 0)
    }

    /// Serves a scene on a port; 0 takes one that is free.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_at(scene: &Scene, port: u16) -> Result<Self, ServerError> {
        let token = token::draw()?;
        let refused = |source| ServerError::Port { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(refused)?;
        let socket = listener.local_addr().map_err(refused)?;
        let address = format!("http://{socket}/?token={token}");
        let shared = Arc::new(Shared::new(token, socket.port(), scene.to_bytes()));
        let serving = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("featherline-viewer".to_owned());
        let thread = thread.spawn(move || connection::accept(&listener, &serving));
        let thread = thread.map_err(|source| ServerError::Thread { source })?;
        Ok(Self {
            shared,
            address,
            listener: Some(thread),
            socket,
        })
    }

    /// The address of the page, with the token: whoever has it sees the robot.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Shows a state on every page, at most 60 a second: the latest of them.
    ///
    /// The state is copied and sent by other threads, so that no page slows the caller. Nothing is
    /// allocated unless the state has more numbers than those before. Cost: the copy.
    pub fn show(&self, state: &State<'_>) {
        self.shared.show(state);
    }

    /// Serves another scene, which open pages then fetch.
    pub fn replace(&self, scene: &Scene) {
        self.shared.replace(scene.to_bytes());
    }

    /// How many pages follow states now.
    pub fn pages(&self) -> usize {
        self.shared.pages()
    }
}

/// A secret of 128 random bits, as text.
pub(crate) fn secret() -> Result<String, ServerError> {
    token::draw()
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.end();
        // The listener waits for a connection. Without one it would wait on.
        if TcpStream::connect_timeout(&self.socket, FAREWELL).is_ok()
            && let Some(listener) = self.listener.take()
        {
            // It ends by itself, also after a panic.
            let _ = listener.join();
        }
        self.shared.wait_for_pages(FAREWELL);
    }
}
