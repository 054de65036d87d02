//! Pictures of a robot: the page, drawn by a browser without a window.
//!
//! Chromium, Chrome, Edge or Brave draws, whichever is found first: the program that the
//! environment variable [`VARIABLE`] names, one on `PATH`, or one where installers put it. It loads
//! the page of a [`Server`] on this machine, and nothing else.

mod browser;
mod devtools;

pub use browser::VARIABLE;

use crate::scene::Scene;
use crate::server::{Server, ServerError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use browser::Browser;
use devtools::Page;
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// How a picture is made.
///
/// ```no_run
/// use featherline_viewer::picture::Picture;
/// use featherline_viewer::scene::Scene;
///
/// let panda = featherline_robots::load("panda", &Default::default())?;
/// let picture = Picture { size: Some([1200, 900]), ..Picture::default() };
/// std::fs::write("panda.png", picture.png(&Scene::of_robot(&panda))?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Width and height in pixels; without, 960 by 600 of a PNG and 480 by 300 of a GIF.
    pub size: Option<[u32; 2]>,
    /// The direction to look from, in axes of the world; without, that of the page.
    pub from: Option<[f64; 3]>,
    /// The configuration, nq entries; without, the one that the page begins with: the first of the
    /// recording if there is one, else the [start](featherline_formats::Robot::start) of the robot.
    pub q: Option<Vec<f64>>,
}

/// Why there is no picture.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// There is no browser that can draw.
    #[error(
        "no browser is found that could draw the picture; install Chromium, Chrome or Edge (on Debian: `apt install chromium`), \
         or set {VARIABLE} to the path of one"
    )]
    NoBrowser,
    /// The environment variable names no program.
    #[error(
        "{VARIABLE} is `{}`, and no such file is there; set it to the path of Chromium, Chrome or Edge, or unset it",
        path.display()
    )]
    NotAProgram {
        /// The path that it names.
        path: PathBuf,
    },
    /// The browser does not start, or ends.
    #[error("the browser {} does not draw: {reason}; set {VARIABLE} to the path of another one", program.display())]
    Browser {
        /// Its program.
        program: PathBuf,
        /// The message of the browser or the system.
        reason: String,
    },
    /// The page has no picture to give.
    #[error("the page could not be drawn: {reason}")]
    Page {
        /// The message of the page.
        reason: String,
    },
    /// A GIF of a robot without a motion.
    #[error("a GIF shows a motion, and there is none; give a recording to play, or make a PNG")]
    NoMotion,
    /// A size that no picture has.
    #[error("a picture has {} to {} pixels along each side, and this one would have {width}×{height}", SIDES.0, SIDES.1)]
    Size {
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
    /// No file can be written for the browser.
    #[error(
        "the browser needs a folder for its files: {0}; free the disk, or set TMPDIR to another folder"
    )]
    Folder(#[from] io::Error),
    /// The page can't be served.
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// Pixels along a side of a picture, at least and at most.
const SIDES: (u32, u32) = (16, 4096);
const PNG: [u32; 2] = [960, 600];
const GIF: [u32; 2] = [480, 300];
/// Pictures a second of a GIF.
const RATE: u32 = 20;

/// A picture that the page is asked for.
#[derive(Serialize)]
struct Request<'a> {
    q: Option<&'a [f64]>,
    from: Option<[f64; 3]>,
    width: u32,
    rate: Option<u32>,
}

impl Picture {
    /// The bytes of a PNG of the robot on its ground, without the page's panels. The robot fills
    /// the picture. Cost: seconds, most of them the start of the browser.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn png(&self, scene: &Scene) -> Result<Vec<u8>, PictureError> {
        self.draw(scene, PNG, None)
    }

    /// The bytes of a GIF of the scene's [recording](Scene::with_recording): 20 pictures a second,
    /// at most 200; longer motions are shown faster. The camera stands still, where the robot never
    /// leaves the picture. Cost: that of [`png`](Self::png), and a tenth of a second a picture.
    ///
    /// # Errors
    /// [`PictureError`].
    pub fn gif(&self, scene: &Scene) -> Result<Vec<u8>, PictureError> {
        if !scene.has_recording() {
            return Err(PictureError::NoMotion);
        }
        self.draw(scene, GIF, Some(RATE))
    }

    fn draw(
        &self,
        scene: &Scene,
        usual: [u32; 2],
        rate: Option<u32>,
    ) -> Result<Vec<u8>, PictureError> {
        let [width, height] = self.size.unwrap_or(usual);
        let sides = SIDES.0..=SIDES.1;
        if !sides.contains(&width) || !sides.contains(&height) {
            return Err(PictureError::Size { width, height });
        }
        let request = Request {
            q: self.q.as_deref(),
            from: self.from,
            width,
            rate,
        };
        // Numbers: nothing that JSON can't hold.
        let request = serde_json::to_string(&request).expect("a request is representable in JSON");
        let mut browser = Browser::start()?;
        let server = Server::start(scene)?;
        let mut page = Page::open(browser.address(), server.address(), [width, height])
            .map_err(|reason| browser.failed(reason))?;
        let text = page
            .evaluate(&script(&request))
            .map_err(|reason| PictureError::Page { reason })?;
        page.close();
        let bytes = STANDARD.decode(text).map_err(|error| PictureError::Page {
            reason: error.to_string(),
        });
        browser.end();
        bytes
    }
}

/// The script that the page runs: it waits until the robot is drawn, and gives the picture as
/// base64.
fn script(request: &str) -> String {
    format!(
        "(async () => {{
            const data = document.documentElement.dataset;
            while (data.ready !== 'yes') await new Promise((done) => setTimeout(done, 20));
            if (!window.viewer) throw new Error(document.querySelector('.fault')?.textContent ?? 'nothing is shown');
            return await window.viewer.picture({request});
        }})()"
    )
}
