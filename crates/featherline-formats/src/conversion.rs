//! Robots in files of other formats.

use crate::description::{Description, ROOT_JOINT, Robot};
use crate::error::{Error, ErrorCause};
use crate::file::folder_of;
use crate::file_format::FileFormat;
use crate::load::load_str_with;
use crate::location::Location;
use crate::options::LoadOptions;
use crate::written::{Written, WrittenFile};
use crate::{mjcf, model_file, srdf, urdf};
use std::borrow::Cow;
use std::path::Path;

impl Robot {
    /// The robot in a file of a format, with the files beside it, and what it lacks. Nothing is
    /// written to disk: [`Written::write_files`] writes the files beside the text.
    ///
    /// Named configurations, groups and pairs of links that do not collide, for which a URDF has no
    /// place, are in an [SRDF](srdf) of the same name beside it.
    ///
    /// Cost: linear in the size of the description, and in that of the meshes that are converted.
    ///
    /// ```
    /// use featherline_formats::{FileFormat, LoadOptions, load_str};
    ///
    /// let stone = load_str("<robot name='stone'><link name='stone'/></robot>")?;
    /// let written = stone.to_files(FileFormat::Mjcf, "stone.xml")?;
    /// let again = written.read_again(&LoadOptions::new())?;
    /// assert_eq!(again.model.nv(), stone.model.nv());
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`urdf::to_string`], [`srdf::to_string`] and [`mjcf::to_files`]; none for a model
    /// file; [`ErrorCause::NotAllowed`] for a format that is not [written](FileFormat::is_written).
    pub fn to_files(&self, format: FileFormat, file: impl AsRef<Path>) -> Result<Written, Error> {
        match format {
            FileFormat::Urdf => urdf_and_srdf(&self.description, file.as_ref()),
            FileFormat::Mjcf => mjcf::to_files(&*self.description_with_base()?, file),
            FileFormat::ModelFile => {
                let text = model_file::to_string(&self.model) + "\n";
                Ok(Written {
                    text,
                    ..Written::default()
                })
            }
            FileFormat::Xacro
            | FileFormat::Srdf
            | FileFormat::Scene
            | FileFormat::Usd
            | FileFormat::Sdf => {
                let cause = ErrorCause::NotAllowed {
                    what: format!("robots are not written in the format of {}", format.title()),
                    remedy: "choose URDF, MJCF or a model file",
                };
                Err(Error::new(Location::default(), cause))
            }
        }
    }

    /// The description, with the joint that moves the base if it floats by an
    /// [option](LoadOptions::floating_base). Cost O(n) if it does.
    ///
    /// ```
    /// use featherline_formats::{LoadOptions, load_str_with};
    ///
    /// let text = "<robot name='stone'><link name='stone'/></robot>";
    /// let stone = load_str_with(text, &LoadOptions::new().floating_base(true))?;
    /// assert_eq!(stone.description_with_base()?.joints[0].name, "root_joint");
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Description::with_floating_base`].
    pub fn description_with_base(&self) -> Result<Cow<'_, Description>, Error> {
        let description = &self.description;
        let is_described = description.joints.iter().any(|it| it.name == ROOT_JOINT);
        match is_described || self.model.joint_id(ROOT_JOINT).is_err() {
            true => Ok(Cow::Borrowed(description)),
            false => description.with_floating_base().map(Cow::Owned),
        }
    }
}

impl Written {
    /// The robot of what was written, with its SRDF where there is one. Meshes are looked for as
    /// seen from the current folder.
    ///
    /// # Errors
    /// Those of [`load_str_with`] and [`Robot::with_srdf_str`].
    pub fn read_again(&self, options: &LoadOptions) -> Result<Robot, Error> {
        let robot = load_str_with(&self.text, options)?;
        match self.srdf() {
            Some(srdf) => robot.with_srdf_str(&String::from_utf8_lossy(&srdf.bytes)),
            None => Ok(robot),
        }
    }
}

/// A URDF for a file of a name, and the SRDF beside it if there is something for one.
fn urdf_and_srdf(description: &Description, file: &Path) -> Result<Written, Error> {
    let folder = folder_of(file);
    if !srdf::is_needed(description) {
        return urdf::to_string_beside(description, folder);
    }
    let mut written = urdf::to_string_with_srdf(description, folder)?;
    let beside = srdf::to_string(description)?;
    let stem = file.file_stem().unwrap_or_default();
    written.files.push(WrittenFile {
        path: Path::new(stem).with_added_extension("srdf"),
        bytes: beside.text.into_bytes(),
    });
    written.warnings.extend(beside.warnings);
    Ok(written)
}
