//! State shared by the caller and the threads of connections.

use super::policy;
use super::state::{State, StoredState};
use crate::page;
use std::collections::VecDeque;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Bytes that are served, compressed where a browser takes that.
#[derive(Debug, Default)]
pub(super) struct Payload {
    pub(super) bytes: Vec<u8>,
    compressed: OnceLock<Vec<u8>>,
}

impl Payload {
    fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            compressed: OnceLock::new(),
        }
    }

    /// The bytes as gzip, made once.
    pub(super) fn compressed(&self) -> &[u8] {
        self.compressed
            .get_or_init(|| page::compressed(&self.bytes))
    }
}

/// The state that changes.
#[derive(Debug, Default)]
struct ServerState {
    state: StoredState,
    /// How many states have been shown.
    states: u64,
    scene: Arc<Payload>,
    /// How many times the scene was replaced.
    scenes: u64,
    is_over: bool,
    /// Connections that have not shown the token, the oldest first, by their numbers.
    strangers: VecDeque<(u64, TcpStream)>,
    /// How many connections there have been.
    number: u64,
    /// Connections that have shown the token, and are open.
    connections: usize,
    /// Those of them that follow states.
    pages: usize,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) token: String,
    pub(super) port: u16,
    /// The policy that the page is under.
    pub(super) policy: String,
    pub(super) page: Payload,
    current: Mutex<ServerState>,
    /// Something has changed.
    changed: Condvar,
}

/// The most connections at once that have shown the token.
const CONNECTIONS: usize = 32;

/// The most that have not. The oldest gives way to one that comes, so that nobody who lacks the
/// token keeps those out who have it.
const STRANGERS: usize = 32;

/// The next message to a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NextMessage {
    /// Nothing, for some time.
    None,
    /// The state that was asked for is a newer one.
    State,
    /// The scene was replaced.
    Scene,
    /// The server ends.
    End,
}

/// The numbers of the states and scenes that a page has received.
#[derive(Debug, Default)]
pub(super) struct PageProgress {
    states: u64,
    scenes: u64,
}

impl Shared {
    pub(super) fn new(token: String, port: u16, scene: Vec<u8>) -> Self {
        Self {
            token,
            policy: policy::of_page(page::HTML, port),
            port,
            page: Payload::new(page::HTML.as_bytes().to_vec()),
            current: Mutex::new(ServerState {
                scene: Arc::new(Payload::new(scene)),
                ..ServerState::default()
            }),
            changed: Condvar::new(),
        }
    }

    fn current(&self) -> MutexGuard<'_, ServerState> {
        // Nothing that holds the lock can leave half a change.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn show(&self, state: &State<'_>) {
        let mut current = self.current();
        current.state.set(state);
        current.states += 1;
        drop(current);
        self.changed.notify_all();
    }

    pub(super) fn replace(&self, scene: Vec<u8>) {
        let mut current = self.current();
        current.scene = Arc::new(Payload::new(scene));
        current.scenes += 1;
        drop(current);
        self.changed.notify_all();
    }

    pub(super) fn scene(&self) -> Arc<Payload> {
        Arc::clone(&self.current().scene)
    }

    pub(super) fn pages(&self) -> usize {
        self.current().pages
    }

    pub(super) fn end(&self) {
        let mut current = self.current();
        current.is_over = true;
        for (_, stream) in current.strangers.drain(..) {
            close(&stream);
        }
        drop(current);
        self.changed.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.current().is_over
    }

    /// Waits until no page follows states, or for some time.
    pub(super) fn wait_for_pages(&self, most: Duration) {
        let waiting = |current: &mut ServerState| current.pages > 0;
        // Poisoned or not, there is nothing more to do.
        let _ = self
            .changed
            .wait_timeout_while(self.current(), most, waiting);
    }

    /// A place for a connection that has yet to show the token.
    pub(super) fn connect(self: &Arc<Self>, stream: &TcpStream) -> io::Result<Connection> {
        let stream = stream.try_clone()?;
        let mut current = self.current();
        if current.strangers.len() >= STRANGERS
            && let Some((_, oldest)) = current.strangers.pop_front()
        {
            close(&oldest);
        }
        current.number += 1;
        let number = current.number;
        current.strangers.push_back((number, stream));
        Ok(Connection {
            shared: Arc::clone(self),
            number,
            is_admitted: false,
            follows: false,
        })
    }

    /// The numbers of a page that begins: it has seen no state, and asks for the scene itself.
    pub(super) fn heard(&self) -> PageProgress {
        PageProgress {
            states: 0,
            scenes: self.current().scenes,
        }
    }

    /// Waits for news, or for some time. A newer state is copied to `state`.
    pub(super) fn news(
        &self,
        heard: &mut PageProgress,
        state: &mut StoredState,
        most: Duration,
    ) -> NextMessage {
        let is_old = |current: &mut ServerState| {
            !current.is_over && current.states == heard.states && current.scenes == heard.scenes
        };
        let waited = self
            .changed
            .wait_timeout_while(self.current(), most, is_old);
        let (current, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if current.is_over {
            return NextMessage::End;
        }
        if current.scenes != heard.scenes {
            heard.scenes = current.scenes;
            return NextMessage::Scene;
        }
        if current.states == heard.states {
            return NextMessage::None;
        }
        heard.states = current.states;
        state.set(&current.state.get());
        NextMessage::State
    }
}

/// The place of a connection, until it is dropped.
pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    number: u64,
    /// Whether it has shown the token.
    is_admitted: bool,
    follows: bool,
}

/// Ends a connection, and with it the thread that waits for it.
fn close(stream: &TcpStream) {
    // It may have gone.
    let _ = stream.shutdown(Shutdown::Both);
}

impl Connection {
    /// Counts the connection among those that have shown the token; false if they are too many.
    pub(super) fn admit(&mut self) -> bool {
        let mut current = self.shared.current();
        if current.connections >= CONNECTIONS {
            return false;
        }
        current.connections += 1;
        current
            .strangers
            .retain(|(number, _)| *number != self.number);
        self.is_admitted = true;
        true
    }

    /// Counts the connection among those that follow states.
    pub(super) fn follow(&mut self) {
        self.follows = true;
        self.shared.current().pages += 1;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut current = self.shared.current();
        current.connections -= usize::from(self.is_admitted);
        current
            .strangers
            .retain(|(number, _)| *number != self.number);
        current.pages -= usize::from(self.follows);
        drop(current);
        self.shared.changed.notify_all();
    }
}
