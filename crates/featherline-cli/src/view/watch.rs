//! Files that are read again when they change.

use crate::robot::RobotArguments;
use featherline_formats::description::Description;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How often files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// Files, and when they were last written; none for a file that is not there.
pub struct Watch {
    files: Vec<(PathBuf, Option<SystemTime>)>,
}

impl Watch {
    /// The files that arguments name. An embedded robot has none.
    pub fn of(arguments: &RobotArguments) -> Self {
        let mut watch = Self { files: Vec::new() };
        if arguments.robot.exists() {
            watch.add(&arguments.robot);
            if let Some(srdf) = &arguments.srdf {
                watch.add(srdf);
            }
        }
        watch
    }

    /// Looks at the files that a description includes, too.
    pub fn also(&mut self, description: &Description) {
        let texts = description.sources.texts().iter();
        let paths = texts.filter_map(|text| text.path.as_deref());
        if self.has_files() {
            paths
                .filter(|path| path.exists())
                .for_each(|path| self.add(path));
        }
    }

    /// Whether there is anything to look at.
    pub fn has_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Waits until a file has changed. While one is missing, as some editors have it for a moment,
    /// nothing has.
    pub fn wait(&mut self) {
        while !self.has_changed() {
            std::thread::sleep(PERIOD);
        }
    }

    /// Whether a file has changed since the last time.
    fn has_changed(&mut self) -> bool {
        let now: Vec<_> = self.files.iter().map(|(path, _)| written(path)).collect();
        let then = self.files.iter().map(|(_, time)| time);
        if now.iter().any(Option::is_none) || now.iter().eq(then) {
            return false;
        }
        for ((_, time), now) in self.files.iter_mut().zip(now) {
            *time = now;
        }
        true
    }

    fn add(&mut self, path: &Path) {
        if !self.files.iter().any(|(known, _)| known == path) {
            self.files.push((path.to_owned(), written(path)));
        }
    }
}

fn written(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|it| it.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_when_it_is_written_and_not_while_it_is_missing() {
        let name = format!("featherline-watch-{}.urdf", std::process::id());
        let path = std::env::temp_dir().join(name);
        let write = |seconds: u64| {
            let file = std::fs::File::create(&path).expect("a file");
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            file.set_modified(time).expect("a time");
        };
        write(1);
        let mut watch = Watch { files: Vec::new() };
        assert!(!watch.has_files());
        watch.add(&path);
        watch.add(&path);
        assert_eq!(watch.files.len(), 1);
        assert!(!watch.has_changed());
        write(2);
        assert!(watch.has_changed() && !watch.has_changed());
        std::fs::remove_file(&path).expect("removed");
        assert!(!watch.has_changed());
        // As editors write: a new file in the place of the old one, which may be older.
        write(1);
        assert!(watch.has_changed());
        std::fs::remove_file(&path).expect("removed");
    }
}
