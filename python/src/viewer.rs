//! Robots in the browser.

use crate::array::{Argument, Numbers, Value};
use crate::model::Model;
use crate::robot::{Robot, load_robot};
use crate::simulation::{Recording, read_error};
use crate::states::one_state;
use featherline_formats::Robot as Read;
use featherline_record::{RecordedContacts, read};
use featherline_viewer::page;
use featherline_viewer::picture::{Picture, PictureError};
use featherline_viewer::scene::{self, RecordedMotion, Scene};
use featherline_viewer::server::{Contact, Server, State};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A robot in the browser, made by `view`. It ends with `close`, at the end of a `with` block, and
/// with the program.
#[pyclass(frozen, module = "featherline", name = "Viewer")]
pub struct Viewer {
    /// Of the robot's file, or of the model alone.
    robot: Py<PyAny>,
    model: Py<Model>,
    /// The address of the page; whoever has it sees the robot.
    #[pyo3(get)]
    address: String,
    inner: Mutex<Inner>,
}

struct Inner {
    scene: Scene,
    /// None when it has ended.
    server: Option<Server>,
}

/// Shows a robot in the browser: a `Robot` of `load_robot`, a `Model`, which has no shapes, or what
/// `load_robot` takes, with its options. `recording` is the `Recording` of a simulation, or the
/// path of a recorded file, which the page plays.
///
/// The page is served on 127.0.0.1, at the port, or at a free one. The browser opens if Python runs
/// in a terminal, or as `open` says; a notebook shows the page where the viewer is the value of a
/// cell.
///
/// >>> import featherline as fl
/// >>> viewer = fl.view("panda", open=False)
/// >>> viewer.address.startswith("http://127.0.0.1:")
/// True
/// >>> viewer.show([0, -0.5, 0, -2, 0, 1.5, 0.8])
/// >>> viewer.close()
#[pyfunction]
#[pyo3(signature = (robot, recording=None, *, port=0, open=None, **options), text_signature = "(robot, recording=None, *, port=0, open=None, **options)")]
pub fn view(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    recording: Option<Value<'_, '_>>,
    port: u16,
    open: Option<bool>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Viewer> {
    let (robot, model) = taken(robot, options)?;
    let scene = scene(&robot, &model, recording)?;
    let server = py.detach(|| Server::start_at(&scene, port));
    let server = server.map_err(|error| PyOSError::new_err(error.to_string()))?;
    let viewer = Viewer {
        robot: robot.unbind(),
        model,
        address: server.address().to_owned(),
        inner: Mutex::new(Inner {
            scene,
            server: Some(server),
        }),
    };
    if opens(py, open)? {
        py.import("webbrowser")?
            .call_method1("open", (&viewer.address,))?;
    }
    Ok(viewer)
}

/// Writes a picture of a robot to a file: a PNG of the configuration q (nq,), or a GIF of a
/// `recording`, as the ending of `path` says. The robot and the recording are what `view` takes,
/// with the same options. Without q the robot is where a simulation begins, or where the recording
/// does.
///
/// `size` is the width and the height in pixels, (960, 600) or of a GIF (480, 300) unless given,
/// and `look_from` the direction to look from, (1, -0.75, 0.45) unless given. A GIF has 20 pictures
/// a second, at most 200.
///
/// A browser without a window draws: Chromium, Chrome, Edge or Brave. The environment variable
/// FEATHERLINE_BROWSER names one that is not found by itself. Without a browser this raises an
/// OSError that says what to install.
///
/// >>> import featherline as fl
/// >>> fl.picture("panda", "panda.png", [0, -0.5, 0, -2, 0, 1.5, 0.8])   # doctest: +SKIP
#[pyfunction]
#[pyo3(signature = (robot, path, q=None, *, recording=None, size=None, look_from=None, **options), text_signature = "(robot, path, q=None, *, recording=None, size=None, look_from=None, **options)")]
pub fn picture(
    py: Python<'_>,
    robot: &Bound<'_, PyAny>,
    path: PathBuf,
    q: Option<Value<'_, '_>>,
    recording: Option<Value<'_, '_>>,
    size: Option<[u32; 2]>,
    look_from: Option<[f64; 3]>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let (robot, model) = taken(robot, options)?;
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let moves = match ending.to_str() {
        Some("png") => false,
        Some("gif") => true,
        _ => {
            return Err(PyValueError::new_err(format!(
                "path: `{}` ends with neither .png nor .gif, which say what is written",
                path.display()
            )));
        }
    };
    if q.is_some() && recording.is_some() {
        return Err(PyValueError::new_err(
            "q and recording both say where the robot is; leave one of them out",
        ));
    }
    let q = q
        .map(|q| one_state("q", q, model.get().model.nq()))
        .transpose()?;
    if let Some(q) = &q {
        finite("q", q)?;
    }
    if let Some(from) = &look_from {
        finite("look_from", from)?;
        if from.iter().all(|x| *x == 0.0) {
            return Err(PyValueError::new_err(
                "look_from is zero, which is no direction",
            ));
        }
    }
    let scene = scene(&robot, &model, recording)?;
    let picture = Picture {
        size,
        from: look_from,
        q,
    };
    let bytes = py.detach(|| match moves {
        true => picture.gif(&scene),
        false => picture.png(&scene),
    });
    let bytes = bytes.map_err(|error| {
        let is_asked_wrongly = matches!(error, PictureError::NoMotion | PictureError::Size { .. });
        match is_asked_wrongly {
            true => PyValueError::new_err(error.to_string()),
            false => PyOSError::new_err(error.to_string()),
        }
    })?;
    std::fs::write(path, bytes)?;
    Ok(())
}

/// The robot that is shown, read if it is not yet, and its model.
fn taken<'py>(
    robot: &Bound<'py, PyAny>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<(Bound<'py, PyAny>, Py<Model>)> {
    let py = robot.py();
    let is_read = robot.cast::<Robot>().is_ok() || robot.cast::<Model>().is_ok();
    if is_read && options.is_some_and(|it| !it.is_empty()) {
        return Err(PyValueError::new_err(
            "options say how a file is read; this robot has been read",
        ));
    }
    let robot = match is_read {
        true => robot.clone(),
        false => Bound::new(py, load_robot(py, robot, options)?)?.into_any(),
    };
    let model = match robot.cast::<Model>() {
        Ok(model) => model.clone().unbind(),
        Err(_) => robot.cast::<Robot>()?.get().shared_model(py),
    };
    Ok((robot, model))
}

/// Whether the browser opens: as the caller says, or in a terminal.
fn opens(py: Python<'_>, open: Option<bool>) -> PyResult<bool> {
    match open {
        Some(open) => Ok(open),
        None => {
            let out = py.import("sys")?.getattr("stdout")?;
            // Some notebooks and windows have no output, or one that is no file.
            match out.getattr_opt("isatty")? {
                Some(isatty) => isatty.call0()?.is_truthy(),
                None => Ok(false),
            }
        }
    }
}

/// The scene of a robot, with a recording of its motion.
fn scene(
    robot: &Bound<'_, PyAny>,
    model: &Py<Model>,
    recording: Option<Value<'_, '_>>,
) -> PyResult<Scene> {
    let py = robot.py();
    let scene = match robot.cast::<Robot>() {
        Ok(robot) => {
            let read = robot.get().read();
            py.detach(|| Scene::of_robot(read))
        }
        Err(_) => {
            let model = model.get().model.as_ref().clone();
            Scene::of_robot(&Read::from_model(model))
        }
    };
    let Some(recording) = recording else {
        return Ok(scene);
    };
    if let Ok(recording) = recording.cast::<Recording>() {
        let of_same = recording.get().robot() == model.get();
        if !of_same {
            return Err(PyValueError::new_err(
                "the recording is of another robot than the one that is shown",
            ));
        }
        let [times, q, v, tau] = recording.get().motion();
        return Ok(scene.with_recording(&RecordedMotion {
            file: "simulation",
            times: &times,
            q: &q,
            v: &v,
            tau: Some(&tau),
            contacts: recording.get().contacts_of_rows().as_ref().map(shown),
        }));
    }
    let path: PathBuf = recording.extract()?;
    let motion = py.detach(|| read(&path, &model.get().model));
    let motion = motion.map_err(|reason| read_error(py, &reason))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(scene.with_recording(&RecordedMotion {
        file: &file,
        times: &motion.times,
        q: &motion.q,
        v: &motion.v,
        tau: Some(&motion.tau),
        contacts: motion.contacts.as_ref().map(shown),
    }))
}

/// The contacts as pages show them.
fn shown(contacts: &RecordedContacts) -> scene::RecordedContacts<'_> {
    scene::RecordedContacts {
        counts: &contacts.counts,
        points: &contacts.points,
        normals: &contacts.normals,
        forces: &contacts.forces,
    }
}

/// Forces at points, six numbers each.
fn contacts(value: Value<'_, '_>) -> PyResult<Vec<Contact>> {
    let argument = Argument {
        name: "contacts",
        value,
        width: 6,
    };
    let rows = Numbers::<f64>::read(&argument)?;
    let contact = |row: &[f64]| Contact {
        point: [row[0], row[1], row[2]],
        normal: [0.0; 3],
        force: [row[3], row[4], row[5]],
    };
    Ok(rows.chunks_exact(6).map(contact).collect())
}

fn finite(name: &str, numbers: &[f64]) -> PyResult<()> {
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(PyValueError::new_err(format!(
            "{name}[{i}] is not finite, and can't be shown"
        ))),
    }
}

impl Viewer {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // The contents are whole between any two calls.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Viewer {
    /// Shows a state on all pages: the configuration q (nq,), and the velocity v (nv,), joint
    /// forces tau (nv,), the time t in s, and contacts (n, 6), each a point and the force on the
    /// robot there in the world, as far as they are known.
    ///
    /// Pages show the latest state, at most 60 a second. The call copies the numbers and waits for
    /// no page.
    #[pyo3(signature = (q, v=None, tau=None, *, t=None, contacts=None))]
    fn show(
        &self,
        q: Value<'_, '_>,
        v: Option<Value<'_, '_>>,
        tau: Option<Value<'_, '_>>,
        t: Option<f64>,
        contacts: Option<Value<'_, '_>>,
    ) -> PyResult<()> {
        let model = &self.model.get().model;
        let q = one_state("q", q, model.nq())?;
        let v = v.map(|v| one_state("v", v, model.nv())).transpose()?;
        let tau = tau
            .map(|tau| one_state("tau", tau, model.nv()))
            .transpose()?;
        let contacts = contacts.map(self::contacts).transpose()?;
        for (name, numbers) in [("q", Some(&q)), ("v", v.as_ref()), ("tau", tau.as_ref())] {
            finite(name, numbers.map_or(&[], |it| it))?;
        }
        let state = State {
            t,
            q: &q,
            v: v.as_deref().unwrap_or_default(),
            tau: tau.as_deref(),
            contacts: contacts.as_deref().unwrap_or_default(),
        };
        match &self.inner().server {
            Some(server) => server.show(&state),
            None => return Err(ended()),
        }
        Ok(())
    }

    /// Gives all pages a recorded motion to play: the `Recording` of a simulation, or the path of a
    /// recorded file.
    fn play(&self, py: Python<'_>, recording: Value<'_, '_>) -> PyResult<()> {
        let scene = scene(self.robot.bind(py), &self.model, Some(recording))?;
        let mut inner = self.inner();
        match &inner.server {
            Some(server) => server.replace(&scene),
            None => return Err(ended()),
        }
        inner.scene = scene;
        Ok(())
    }

    /// The page as the text of one HTML file, with the robot, its meshes and its recording inside,
    /// which needs no network; written to a file if there is a path.
    #[pyo3(signature = (path=None))]
    fn html(&self, path: Option<PathBuf>) -> PyResult<String> {
        let html = page::with_scene(&self.inner().scene);
        if let Some(path) = path {
            std::fs::write(path, &html)?;
        }
        Ok(html)
    }

    /// Ends the server. Pages stay as they are.
    fn close(&self, py: Python<'_>) {
        let server = self.inner().server.take();
        py.detach(|| drop(server));
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: Value<'_, '_>,
        _error: Value<'_, '_>,
        _trace: Value<'_, '_>,
    ) {
        self.close(py);
    }

    fn __repr__(&self) -> String {
        match self.inner().server {
            Some(_) => format!("Viewer('{}')", self.address),
            None => "Viewer(closed)".to_owned(),
        }
    }

    /// The page in a notebook.
    fn _repr_html_(&self) -> String {
        format!(
            "<iframe src=\"{}\" title=\"featherline\" style=\"width:100%;height:480px;border:0\"></iframe>",
            self.address
        )
    }
}

fn ended() -> PyErr {
    PyRuntimeError::new_err("the viewer is closed; `view` opens another one")
}
