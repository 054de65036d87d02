//! Robots of several files.

use featherline_formats::{Error, ErrorCause, Robot, load, load_str};
use featherline_geometry::Distribution;
use std::fs;
use std::path::PathBuf;

/// A folder of files that is removed in the end.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder =
            std::env::temp_dir().join(format!("featherline-mjcf-{name}-{}", std::process::id()));
        for (file, text) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(folder)
    }

    pub(super) fn load(&self) -> Result<Robot, Error> {
        load(self.0.join("main.xml"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn files_are_included_where_they_are_named() {
    let folder = Folder::new(
        "nested",
        &[
            (
                "main.xml",
                "<mujoco><include file='parts/defaults.xml'/><worldbody><body name='a'>
                 <include file='parts/leg.xml'/></body></worldbody></mujoco>",
            ),
            (
                "parts/defaults.xml",
                "<mujocoinclude><default><geom size='1' mass='3'/></default></mujocoinclude>",
            ),
            (
                "parts/leg.xml",
                "<x><joint name='j'/><include file='geom.xml'/></x>",
            ),
            // Beside the main file before beside the file that includes it, as MuJoCo looks.
            ("geom.xml", "<x><geom name='main'/></x>"),
            ("parts/geom.xml", "<x><geom name='parts'/></x>"),
        ],
    );
    let robot = folder.load().unwrap();
    assert_eq!((robot.model.nv(), robot.model.total_mass()), (1, 3.0));
    assert_eq!(robot.description.geometry[0].name, "main");
    assert_eq!(robot.description.sources.texts().len(), 4);
    fs::remove_file(folder.0.join("geom.xml")).unwrap();
    assert_eq!(folder.load().unwrap().description.geometry[0].name, "parts");
}

#[test]
fn errors_and_warnings_are_in_the_file_that_has_them() {
    let folder = Folder::new(
        "located",
        &[
            ("main.xml", "<mujoco>\n\n<include file='b.xml'/></mujoco>"),
            (
                "b.xml",
                "<x><worldbody><body>\n<geom size='1' mass='much'/><joint/></body></worldbody></x>",
            ),
        ],
    );
    let error = folder.load().unwrap_err();
    assert!(
        error.location().file.as_ref().unwrap().ends_with("b.xml"),
        "{error}"
    );
    assert_eq!(error.location().position.unwrap().line, 2);
    let text = "<x><worldbody>\n\n\n<geom size='1' wide='1'/></worldbody></x>";
    fs::write(folder.0.join("b.xml"), text).unwrap();
    let warning = folder.load().unwrap().warnings.remove(0);
    assert!(
        warning.location.file.as_ref().unwrap().ends_with("b.xml"),
        "{warning}"
    );
    assert_eq!(warning.location.position.unwrap().line, 4);
    fs::write(folder.0.join("b.xml"), "<x><worldbody>").unwrap();
    let error = folder.load().unwrap_err();
    assert!(matches!(error.cause(), ErrorCause::Xml(_)), "{error}");
    assert!(
        error.location().file.as_ref().unwrap().ends_with("b.xml"),
        "{error}"
    );
}

#[test]
fn a_file_is_included_once_and_never_by_itself() {
    let folder = Folder::new(
        "cycle",
        &[
            ("main.xml", "<mujoco><include file='a.xml'/></mujoco>"),
            ("a.xml", "<x>\n<include file='../x/../main.xml'/></x>"),
        ],
    );
    fs::create_dir_all(folder.0.join("x")).unwrap();
    for text in [
        "<x>\n<include file='x/../a.xml'/></x>",
        "<x>\n<include file='main.xml'/></x>",
    ] {
        fs::write(folder.0.join("a.xml"), text).unwrap();
        let error = folder.load().unwrap_err();
        assert!(
            error.to_string().contains("may be included once"),
            "{error}"
        );
        assert_eq!(error.location().position.unwrap().line, 2);
    }
    fs::write(folder.0.join("a.xml"), "<x><include file='no.xml'/></x>").unwrap();
    let error = folder.load().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`no.xml` can't be included: it was not found"),
        "{error}"
    );
}

#[test]
fn a_text_from_memory_opens_no_file() {
    let folder = Folder::new("memory", &[("a.xml", "<x/>"), ("a.obj", "v 0 0 0")]);
    let text = format!(
        "<mujoco><include file='{}'/></mujoco>",
        folder.0.join("a.xml").display()
    );
    let error = load_str(&text).unwrap_err();
    assert!(error.to_string().contains("passed as a string"), "{error}");
    let text = format!(
        "<mujoco><asset><mesh name='m' file='{}'/></asset><worldbody><body><joint/>
         <geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
        folder.0.join("a.obj").display()
    );
    let error = load_str(&text).unwrap_err();
    assert!(error.to_string().contains("was not found"), "{error}");
}

#[test]
fn a_mesh_file_is_placed_as_its_inertia_is() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let folder = Folder::new("placed", &[("t.obj", obj)]);
    for asset in [
        "scale='1 2 3'",
        "refpos='1 2 3' scale='2 2 2'",
        "refpos='1 2 3' refquat='1 1 0 0' scale='-2 -2 -2'",
        "refpos='1 2 3' refquat='1 1 0 0' scale='1 2 3'",
    ] {
        let text = format!(
            "<mujoco><asset><mesh file='t.obj' {asset} inertia='exact'/></asset><worldbody><body name='b'><joint/>
             <geom type='mesh' mesh='t' pos='0 0 5' euler='0 90 0'/></body></worldbody></mujoco>"
        );
        fs::write(folder.0.join("main.xml"), text).unwrap();
        let robot = folder.load().unwrap();
        let geometry = &robot.description.geometry[0];
        let solid = geometry
            .form
            .shape()
            .unwrap()
            .mass_properties(Distribution::Solid)
            .unwrap();
        let center = geometry.placement.act_point(solid.center());
        let link = robot.description.links[1].inertial.unwrap();
        assert!(
            (center - link.placement.translation).norm() < 1e-14,
            "{asset}"
        );
        assert!(
            (solid.measure() * 1000.0 - link.mass).abs() < 1e-10 * link.mass,
            "{asset}"
        );
    }
}

#[test]
fn meshes_are_found_in_their_folder() {
    let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
    let main = |compiler: &str, file: &str| {
        format!(
            "<mujoco><compiler {compiler}/><asset><mesh file='{file}'/></asset><worldbody><body><freejoint/>
             <geom type='mesh' mesh='t' density='6'/></body></worldbody></mujoco>"
        )
    };
    let folder = Folder::new("meshes", &[("meshes/t.obj", obj)]);
    for (compiler, file) in [
        ("", "meshes/t.obj"),
        ("meshdir='meshes'", "t.obj"),
        ("assetdir='meshes'", "t.obj"),
        ("assetdir='elsewhere' meshdir='meshes'", "t.obj"),
        ("meshdir='meshes' strippath='true'", "/elsewhere/t.obj"),
    ] {
        fs::write(folder.0.join("main.xml"), main(compiler, file)).unwrap();
        let robot = folder.load().unwrap();
        assert!((robot.model.total_mass() - 1.0).abs() < 1e-15);
    }
}
