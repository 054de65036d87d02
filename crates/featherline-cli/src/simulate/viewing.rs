//! The page that follows a simulation.

use super::SimulateArguments;
use crate::failure::Failure;
use crate::live::{Live, Opening, announce};
use crate::robot::Robot;
use featherline_viewer::scene::Scene;
use featherline_viewer::server::Server;

/// A page, and whether a browser was opened for it.
pub struct Viewing {
    server: Server,
    opening: Opening,
}

impl Viewing {
    /// The page of `--view`.
    pub fn of(arguments: &SimulateArguments, robot: &Robot) -> Result<Option<Self>, Failure> {
        if !arguments.view {
            return Ok(None);
        }
        let server = Server::start(&Scene::of_robot(robot));
        let server = server.map_err(|error| Failure::Server(error.to_string()))?;
        let opening = Opening::new(false, arguments.no_open);
        announce(&server, opening)?;
        Ok(Some(Self { server, opening }))
    }

    /// The live view of samples.
    pub fn live(&self) -> Live<'_> {
        Live::new(&self.server, self.opening)
    }
}
