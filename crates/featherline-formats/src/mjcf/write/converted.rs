//! Mesh files that MuJoCo does not read, or not all of, as triangles.

use super::asset::Data;
use super::names::TakenNames;
use crate::description::{MeshFile, Source};
use crate::mjcf::mesh::stem;
use crate::report::Report;
use crate::resolve::full;
use crate::warning::WarningCause;
use crate::written::{MARK, WrittenFile};
use featherline_geometry::Mesh;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Why a mesh that is not there is not written.
pub(super) const NOT_FOUND: &str = "which was not found";

/// Mesh files that MuJoCo does not read, or not all of, as triangles.
pub(super) struct Converted<'m> {
    /// The folder of their new files; without one they are in the text.
    folder: Option<&'m str>,
    /// The triangles of each file, or why it has none.
    known: HashMap<String, Result<Triangles, String>>,
    /// Names without folder and extension, in lower case: those of files may differ by more.
    names: TakenNames,
    pub(super) files: Vec<WrittenFile>,
    /// The file that came first, and how many there are.
    first: Option<(String, Source)>,
    count: usize,
}

/// The triangles of a mesh file, and the name of the new file.
type Triangles = (Arc<Mesh>, Option<String>);

impl<'m> Converted<'m> {
    pub(super) fn new(folder: Option<&'m str>) -> Self {
        Self {
            folder,
            known: HashMap::new(),
            names: TakenNames::new("file"),
            files: Vec::new(),
            first: None,
            count: 0,
        }
    }

    /// The triangles of a mesh file, or why there are none. Each file is read and made once.
    pub(super) fn data(&mut self, mesh: &MeshFile, source: Source) -> Result<Data, String> {
        let key = key(mesh);
        if !self.known.contains_key(&key) {
            let triangles = self.read(mesh, source);
            self.known.insert(key.clone(), triangles);
        }
        let (triangles, file) = self.known[&key].clone()?;
        Ok(Data::Triangles {
            mesh: triangles,
            file,
            scale: mesh.scale,
        })
    }

    fn read(&mut self, mesh: &MeshFile, source: Source) -> Result<Triangles, String> {
        let path = mesh.path.as_ref().ok_or(NOT_FOUND)?;
        // The scale is an attribute of the asset.
        let triangles = Mesh::read(path).map_err(|it| format!("which can't be read ({it})"))?;
        self.first.get_or_insert_with(|| (mesh.uri.clone(), source));
        self.count += 1;
        let file = self.folder.map(|folder| {
            let name = self.names.unused(&stem(&mesh.uri).to_lowercase());
            let file = format!("{folder}/{name}.obj");
            let uri = mesh.uri.replace(char::is_control, " ");
            let text = format!("# {MARK} from `{uri}`\n{}", triangles.to_obj());
            self.files.push(WrittenFile {
                path: PathBuf::from(&file),
                bytes: text.into_bytes(),
            });
            file
        });
        Ok((Arc::new(triangles), file))
    }

    /// Reports that the files are others, once.
    pub(super) fn warn(&self, report: &mut Report<'_>) {
        if let Some((first, source)) = &self.first {
            let cause = WarningCause::MeshesConverted {
                first: first.clone(),
                count: self.count,
                program: "MuJoCo",
            };
            report.warn(*source, cause);
        }
    }
}

/// The key that two shapes with one mesh file share.
pub(super) fn key(mesh: &MeshFile) -> String {
    let path = mesh.path.as_deref().map(full);
    path.map_or_else(|| mesh.uri.clone(), |it| it.to_string_lossy().into_owned())
}
