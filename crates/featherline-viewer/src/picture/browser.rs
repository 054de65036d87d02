//! A browser without a window: where it is, its start and its end.

use super::PictureError;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The environment variable that names the browser's program.
pub const VARIABLE: &str = "FEATHERLINE_BROWSER";

/// Programs on `PATH`, the first that is there.
const NAMES: [&str; 9] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
    "microsoft-edge-stable",
    "msedge",
    "brave-browser",
];

/// Where installers of macOS put programs.
const MACOS: [&str; 4] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "/Applications/Brave Browser.app/Contents/MacOS/Brave Browser",
];

/// Where those of Windows do, below the folders of these environment variables.
const WINDOWS: [&str; 3] = [
    r"Google\Chrome\Application\chrome.exe",
    r"Chromium\Application\chrome.exe",
    r"Microsoft\Edge\Application\msedge.exe",
];
const FOLDERS: [&str; 3] = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"];

/// The arguments of the browser: it draws with the processor, the same everywhere, keeps
/// nothing, and asks nobody for anything.
const OPTIONS: [&str; 13] = [
    "--headless=new",
    "--remote-debugging-port=0",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
];

/// The text before the address at which the browser takes orders.
const LISTENING: &str = "DevTools listening on ";

/// How long a browser may take to start, and to end.
const START: Duration = Duration::from_secs(30);
const END: Duration = Duration::from_secs(3);

/// A browser that runs until it is dropped.
pub(super) struct Browser {
    program: PathBuf,
    child: Child,
    address: String,
    /// Lines that it writes.
    lines: Receiver<String>,
    /// Its files, gone with it.
    folder: PathBuf,
}

impl Browser {
    /// Starts the browser that is found, and waits until it takes orders.
    pub(super) fn start() -> Result<Self, PictureError> {
        let program = find(env::var_os(VARIABLE), env::var_os("PATH"), &installed())?;
        let name = format!("featherline-picture-{}", crate::server::secret()?);
        let folder = env::temp_dir().join(name);
        std::fs::create_dir(&folder)?;
        let mut profile = OsString::from("--user-data-dir=");
        profile.push(&folder);
        let mut command = Command::new(&program);
        command.args(OPTIONS).arg(profile).arg("about:blank");
        if is_root() {
            // Chromium refuses to run as root with its sandbox. It loads our own page alone.
            command.arg("--no-sandbox");
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let started = command.stderr(Stdio::piped()).spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) => {
                remove(&folder);
                let reason = error.to_string();
                return Err(PictureError::Browser { program, reason });
            }
        };
        let (sender, lines) = channel();
        if let Some(stderr) = child.stderr.take() {
            // Reads to the end, so that the browser never waits for a reader.
            std::thread::spawn(move || {
                let lines = BufReader::new(stderr).lines();
                lines
                    .map_while(Result::ok)
                    .for_each(|line| drop(sender.send(line)));
            });
        }
        let mut browser = Self {
            program,
            child,
            address: String::new(),
            lines,
            folder,
        };
        browser.address = browser.listening()?;
        Ok(browser)
    }

    /// Where it takes orders.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The error of a browser that does not do what it is asked for.
    pub(super) fn failed(&self, reason: String) -> PictureError {
        PictureError::Browser {
            program: self.program.clone(),
            reason,
        }
    }

    /// Waits for a browser that ends by itself, for a while.
    pub(super) fn end(&mut self) {
        let deadline = Instant::now() + END;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The address that it writes.
    fn listening(&self) -> Result<String, PictureError> {
        let deadline = Instant::now() + START;
        let mut last = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let reason = match self.lines.recv_timeout(left) {
                Ok(line) => match line.strip_prefix(LISTENING) {
                    Some(address) => return Ok(address.trim().to_owned()),
                    None => {
                        if !line.trim().is_empty() {
                            last = line;
                        }
                        continue;
                    }
                },
                Err(RecvTimeoutError::Timeout) => "it has not started in 30 s".to_owned(),
                Err(RecvTimeoutError::Disconnected) => match last.is_empty() {
                    true => "it ended at once, and said nothing".to_owned(),
                    false => format!("it ended with `{last}`"),
                },
            };
            return Err(self.failed(reason));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself; nothing more can be done then.
        let _ = self.child.kill();
        let _ = self.child.wait();
        remove(&self.folder);
    }
}

/// Removes the browser's files. Its last processes may still write some.
fn remove(folder: &Path) {
    for _ in 0..20 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The browser's program: that of the variable, the first on a search path, or the first that is
/// installed.
fn find(
    variable: Option<OsString>,
    path: Option<OsString>,
    installed: &[PathBuf],
) -> Result<PathBuf, PictureError> {
    if let Some(named) = variable.filter(|it| !it.is_empty()) {
        let named = PathBuf::from(named);
        return match named.is_file() {
            true => Ok(named),
            false => Err(PictureError::NotAProgram { path: named }),
        };
    }
    let folders: Vec<_> = env::split_paths(path.as_deref().unwrap_or(OsStr::new(""))).collect();
    let on_path = NAMES.iter().flat_map(|name| {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        folders.iter().map(move |folder| folder.join(&name))
    });
    let mut all = on_path.chain(installed.iter().cloned());
    all.find(|it| it.is_file()).ok_or(PictureError::NoBrowser)
}

/// Where installers of this system put browsers.
fn installed() -> Vec<PathBuf> {
    match env::consts::OS {
        "macos" => MACOS.iter().map(PathBuf::from).collect(),
        "windows" => {
            let folders = FOLDERS.iter().filter_map(env::var_os).map(PathBuf::from);
            folders
                .flat_map(|folder| WINDOWS.iter().map(move |program| folder.join(program)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the program runs as root.
#[cfg(target_os = "linux")]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_comes_first_then_the_path_then_what_is_installed() {
        let folder = env::temp_dir().join(format!("featherline-browser-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let own = |name: &str| {
            let path = folder.join(format!("{name}{}", env::consts::EXE_SUFFIX));
            std::fs::write(&path, "").expect("a file");
            path
        };
        let (chrome, other) = (own("google-chrome"), own("other"));
        let path = Some(folder.clone().into_os_string());
        let found = find(Some(other.clone().into()), path.clone(), &[]);
        assert_eq!(found.expect("that of the variable"), other);
        let found = find(
            Some(OsString::new()),
            path.clone(),
            std::slice::from_ref(&other),
        );
        assert_eq!(found.expect("that on the path"), chrome);
        let found = find(None, None, &[folder.join("none"), other.clone()]);
        assert_eq!(found.expect("the installed one"), other);
        let error = find(Some(folder.join("none").into()), path, &[]).expect_err("no file");
        assert!(error.to_string().contains("no such file"), "{error}");
        let error = find(None, None, &[]).expect_err("no browser");
        assert!(matches!(error, PictureError::NoBrowser));
        assert!(error.to_string().contains(VARIABLE), "{error}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
