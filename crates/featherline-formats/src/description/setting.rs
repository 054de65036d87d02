//! Settings: values of parts that a description keeps in the words of the file.

use super::{Description, Source};

/// A value that a description keeps in the words of the file, because no algorithm has a use for
/// it: friction of a shape, the class of a solver, the colour of a frame.
///
/// Values are those after defaults, and angles are in radians where the format lets a file choose.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The attribute's name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Setting {
    /// A value of a name.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }

    /// The value of a name, if it is among settings.
    pub(crate) fn find<'s>(settings: &'s [Self], name: &str) -> Option<&'s str> {
        let found = settings.iter().find(|it| it.name == name);
        found.map(|it| it.value.as_str())
    }
}

/// Settings that state a part in the words of the file, where the description states it, too.
const FORM: [&str; 4] = ["type", "mesh", "size", "texture"];

/// The settings of MJCF that say whether a shape is seen and whether it touches, as its writer
/// gives them. MuJoCo shows the groups 0, 1 and 2.
pub(crate) fn visibility(is_visual: bool, is_collision: bool) -> [Setting; 3] {
    let touches = if is_collision { "1" } else { "0" };
    let group = match (is_visual, is_collision) {
        (true, true) => "0",
        (true, false) => "2",
        (false, _) => "3",
    };
    [
        ("contype", touches),
        ("conaffinity", touches),
        ("group", group),
    ]
    .map(|(name, value)| Setting::new(name, value))
}

impl Description {
    /// The settings of links, joints, mimic joints, shapes and materials: of each kind, such as
    /// "`friction` of shapes", how many there are and where the first one is. Masks and groups that
    /// only say whether a shape is seen and touches are none. Cost: linear in their number.
    ///
    /// ```
    /// let text = "<mujoco><worldbody><geom size='1' friction='2'/></worldbody></mujoco>";
    /// let description = featherline_formats::load_str(text)?.description;
    /// let (kind, count, _) = &description.settings_by_kind()[0];
    /// assert_eq!((kind.as_str(), *count), ("`friction` of shapes", 1));
    /// # Ok::<(), featherline_formats::Error>(())
    /// ```
    pub fn settings_by_kind(&self) -> Vec<(String, usize, Source)> {
        let mut kinds: Vec<(String, usize, Source)> = Vec::new();
        let mut add = |what: &str, settings: &[Setting], implied: &[Setting], source: Source| {
            let is_form = |it: &&Setting| FORM.contains(&it.name.as_str());
            for setting in settings
                .iter()
                .filter(|it| !is_form(it) && !implied.contains(it))
            {
                let kind = format!("`{}` of {what}", setting.name);
                match kinds.iter_mut().find(|(known, ..)| *known == kind) {
                    Some((_, count, _)) => *count += 1,
                    None => kinds.push((kind, 1, source)),
                }
            }
        };
        for link in &self.links {
            add("links", &link.settings, &[], link.source);
        }
        for joint in &self.joints {
            add("joints", &joint.settings, &[], joint.source);
            if let Some(law) = &joint.mimic {
                add("mimic joints", &law.settings, &[], law.source);
            }
        }
        for shape in &self.geometry {
            let implied = visibility(shape.is_visual, shape.is_collision);
            add("shapes", &shape.settings, &implied, shape.source);
        }
        for material in &self.materials {
            add("materials", &material.settings, &[], material.source);
        }
        kinds
    }
}
