//! A page that is served while a command runs.

use crate::failure::Failure;
use crate::message::{note, warn};
use featherline_sim::simulation::{Recorder, RecorderError, Sample};
use featherline_viewer::server::{Contact, Server, State};
use std::io::{IsTerminal, Write, stdout};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Whether the browser is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    Browser,
    Nothing,
}

impl Opening {
    /// By the options; by default only where somebody reads the output.
    pub fn new(open: bool, no_open: bool) -> Self {
        match open || (!no_open && stdout().is_terminal()) {
            true => Self::Browser,
            false => Self::Nothing,
        }
    }
}

/// Prints the address, and opens it.
pub fn announce(server: &Server, opening: Opening) -> Result<(), Failure> {
    let mut out = stdout().lock();
    writeln!(out, "{}", server.address())?;
    out.flush()?;
    drop(out);
    if opening == Opening::Browser
        && let Err(error) = open::that_detached(server.address())
    {
        warn(&format!(
            "no browser opens ({error}); open the address above"
        ));
    }
    note("the page is served until Ctrl-C");
    Ok(())
}

/// Waits for Ctrl-C, which ends the program.
pub fn stay() -> ! {
    loop {
        std::thread::park();
    }
}

/// How long a simulation waits for the browser that it has opened.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows samples in real time: each when its time has come.
pub struct Live<'s> {
    server: &'s Server,
    /// The time of the first sample, and when it was shown.
    begun: Option<(f64, Instant)>,
    contacts: Vec<Contact>,
}

impl<'s> Live<'s> {
    /// Follows a simulation; waits for the first page, if a browser was opened.
    pub fn new(server: &'s Server, opening: Opening) -> Self {
        let deadline = Instant::now() + PATIENCE;
        while opening == Opening::Browser && server.pages() == 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        Self {
            server,
            begun: None,
            contacts: Vec::new(),
        }
    }
}

impl Recorder for Live<'_> {
    fn record(&mut self, sample: &Sample<'_>) -> Result<ControlFlow<()>, RecorderError> {
        let (t, begin) = *self.begun.get_or_insert_with(|| (sample.t, Instant::now()));
        // A simulation that is slower than real time is shown as it comes.
        let due = Duration::try_from_secs_f64(sample.t - t).unwrap_or_default();
        std::thread::sleep(due.saturating_sub(begin.elapsed()));
        self.contacts.clear();
        if let Some(contact) = &sample.contact {
            let pushing = contact.contacts.iter();
            let pushing = pushing.filter(|it| it.normal_impulse() > 0.0);
            self.contacts.extend(pushing.map(|it| Contact {
                point: it.contact.point.to_array(),
                normal: it.contact.normal.to_array(),
                force: contact.force(it).to_array(),
            }));
        }
        self.server.show(&State {
            t: Some(sample.t),
            q: sample.q,
            v: sample.v,
            tau: Some(sample.tau),
            contacts: &self.contacts,
        });
        Ok(ControlFlow::Continue(()))
    }
}
