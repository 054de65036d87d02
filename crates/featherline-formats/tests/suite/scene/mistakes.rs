//! Each mistake is an error in its line and column.

use super::file;
use featherline_formats::{LoadOptions, load, load_str, load_str_with, load_with};

const BODY: &str = "[[body]]\nname = 'b'\n";

#[track_caller]
fn refused(text: &str, line: usize, column: usize, words: &[&str]) {
    let error = load_str(text).expect_err(text);
    let at = error.location().position.expect("a place in the text");
    assert_eq!((at.line, at.column), (line, column), "{error}");
    for word in words {
        assert!(error.to_string().contains(word), "{error}: no `{word}`");
    }
}

#[test]
fn mistakes_of_writing() {
    refused("[ground]\nheight = \n", 2, 10, &["not TOML"]);
    refused(
        "[ground]\nheigth = 1\n",
        2,
        1,
        &["[ground] has no key `heigth`", "did you mean `height`?"],
    );
    refused(
        "[[body]]\n[[bodies]]\n",
        2,
        3,
        &["a scene has no key `bodies`"],
    );
    refused(
        "[[body]]\nsphere = 1\n",
        1,
        1,
        &["[[body]] needs the key `name`"],
    );
    refused(
        "[[body]]\nname = ''\nsphere = 1\n",
        2,
        8,
        &["`name` is empty"],
    );
    refused(
        "[[body]]\nname = 3\nsphere = 1\n",
        2,
        8,
        &["`name` has a number where a text"],
    );
    refused(
        "body = 3\n[ground]\n",
        1,
        8,
        &["`body` has a number where a list"],
    );
    refused(
        "body = [3]\n[ground]\n",
        1,
        9,
        &["`body` has a number where a table"],
    );
    refused(
        "ground = 1\n[contact]\n",
        1,
        10,
        &["`ground` has a number where a table"],
    );
}

#[test]
fn mistakes_of_numbers() {
    let with = |lines: &str| format!("{BODY}{lines}\n");
    refused(
        &with("box = [1, 2]"),
        3,
        7,
        &["`box` has 2 numbers where 3 are needed"],
    );
    refused(
        &with("box = [1, 'x', 2]"),
        3,
        11,
        &["a text where a number"],
    );
    refused(&with("sphere = -1"), 3, 10, &["size -1", "positive"]);
    refused(&with("sphere = nan"), 3, 10, &["not a finite number"]);
    refused(&with("sphere = 1\nmass = 0"), 4, 8, &["`mass` is 0"]);
    refused(
        &with("sphere = 1\nmass = 1\ndensity = 1"),
        5,
        11,
        &["both `mass` and `density`"],
    );
    refused(
        &with("sphere = 1\nfriction = -0.1"),
        4,
        12,
        &["`friction` is -0.1"],
    );
    refused(
        &with("sphere = 1\nrestitution = 1.1"),
        4,
        15,
        &["from 0 to 1"],
    );
    refused(
        &with("sphere = 1\ncolour = [2, 0, 0]"),
        4,
        10,
        &["`colour` has 2"],
    );
    refused(
        &with("sphere = 1\nquaternion = [0, 0, 0, 0]"),
        4,
        14,
        &["quaternion is zero"],
    );
    refused(
        &with("sphere = 1\nrpy = [0, 0, 0]\nquaternion = [0, 0, 0, 1]"),
        5,
        14,
        &["given by `rpy` and by `quaternion`"],
    );
    refused(
        &with("sphere = 1\nrepeat = [1, 2, 3]"),
        1,
        1,
        &["needs the key `spacing`"],
    );
    refused(
        &with("sphere = 1\nspacing = [1, 2, 3]"),
        1,
        1,
        &["needs the key `repeat`"],
    );
    refused(
        &with("sphere = 1\nspacing = [1, 1, 1]\nrepeat = [1, 0, 1.5]"),
        5,
        10,
        &["`repeat` has 0"],
    );
    refused(
        &with("sphere = 1\nspacing = [1, 1, 1]\nrepeat = [1e9, 1e9, 1e9]"),
        5,
        10,
        &["more than 65536"],
    );
    refused(
        &with("sphere = 1\nspacing = [1, 1, 1]\nrepeat = [256, 256, 1]"),
        5,
        10,
        &["more than 65536"],
    );
    refused("[ground]\nnormal = [0, 0, 0]\n", 2, 10, &["zero vector"]);
    refused(
        "[ground]\nnormal = [0, 0, 1]\nslope = 1\n",
        3,
        9,
        &["both `normal` and `slope`"],
    );
    // Thirty degrees, surely.
    refused(
        "[ground]\nslope = 30\n",
        2,
        9,
        &["`slope` is 30 rad", "30 degrees are 0.523599 rad"],
    );
    refused(
        "[ground]\nslope = -1.58\n",
        2,
        9,
        &["more than a right angle"],
    );
    refused(
        "[contact]\nfriction_rule = 'mean'\n",
        2,
        17,
        &["`geometric-mean` or `larger`"],
    );
    refused(
        "[contact]\nfriction_law = 'soft'\n",
        2,
        16,
        &["`exact` or `convex`"],
    );
    refused(
        "[contact]\nimpact_law = 'moreau'\n",
        2,
        14,
        &["`newton` or `reflections`"],
    );
    refused(
        "[ground]\nstiffness = 0\n",
        2,
        13,
        &["`stiffness` is 0", "above zero"],
    );
    refused("[ground]\ndamping = 1\n", 2, 11, &["without `stiffness`"]);
}

#[test]
fn mistakes_of_shapes() {
    refused(
        &format!("{BODY}mass = 1\n"),
        1,
        1,
        &["a body has one shape"],
    );
    refused(
        &format!("{BODY}sphere = 1\nbox = [1, 1, 1]\n"),
        1,
        1,
        &["a body has one shape"],
    );
    refused(
        &format!("{BODY}sphere = 1\nscale = 2\n"),
        4,
        9,
        &["the sphere has a `scale`"],
    );
    refused(
        &format!("{BODY}mesh = 'a.stl'\n"),
        1,
        1,
        &["has no inertia", "a.stl"],
    );
    refused(
        &format!("{BODY}sphere = 1\nfixed = true\nvelocity = [0, 0, 0, 0, 0, 0]\n"),
        5,
        12,
        &["the fixed body `b` has a `velocity`"],
    );
}

#[test]
fn mistakes_of_names() {
    let two = format!("{BODY}sphere = 1\n{BODY}sphere = 1\n");
    refused(&two, 4, 1, &["both have a link `b`"]);
    let pair = |lines: &str| format!("{BODY}sphere = 1\n[[pair]]\n{lines}\n");
    refused(&pair("friction = 1"), 4, 1, &["needs the key `bodies`"]);
    refused(&pair("bodies = ['b']"), 5, 10, &["`bodies` has 1 names"]);
    refused(
        &pair("bodies = ['b', 'grund']"),
        5,
        16,
        &["no body, robot or link `grund`"],
    );
    refused(
        "[[body]]\nname = 'world'\nsphere = 1\n",
        1,
        1,
        &["the world", "`world`"],
    );
}

#[test]
fn mistakes_of_robots() {
    let with = |lines: &str| {
        // Written beside the other files, it could name them; a text has no folder.
        format!("[[robot]]\n{lines}\n")
    };
    refused(
        &with("name = 'a'"),
        1,
        1,
        &["[[robot]] needs the key `file`"],
    );
    refused(
        &with("file = 'arm.urdf'"),
        2,
        8,
        &["no robot `arm.urdf`", "no folder"],
    );

    let folder = file("");
    let scratch = std::env::temp_dir().join(format!("featherline_scene_{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    for name in ["arm.urdf", "room.xml", "drop.toml"] {
        std::fs::copy(folder.join(name), scratch.join(name)).unwrap();
    }
    let post = "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>";
    std::fs::write(scratch.join("post.xml"), post).unwrap();
    let refused = |lines: &str, place: &str, words: &str| {
        let path = scratch.join("scene.toml");
        std::fs::write(&path, with(lines)).unwrap();
        let error = load(&path)
            .err()
            .unwrap_or_else(|| panic!("{lines}"))
            .to_string();
        let expected = format!("scene.toml:{place}: ");
        assert!(
            error.contains(&expected) && error.contains(words),
            "{lines}: {error}"
        );
    };
    let arm = "file = 'arm.urdf'\n";
    refused("file = 'leg.urdf'", "2:8", "not found beside the scene");
    refused("file = 'drop.toml'", "2:8", "is a scene");
    refused(
        &format!("{arm}bases = 'fixed'"),
        "3:1",
        "did you mean `base`?",
    );
    refused(
        &format!("{arm}base = 'flying'"),
        "3:8",
        "`floating` or `fixed`",
    );
    refused(
        &format!("{arm}joints = {{ elbo = 1 }}"),
        "3:12",
        "did you mean `elbow`?",
    );
    refused(
        &format!("{arm}joints = {{ elbow = [1, 2] }}"),
        "3:20",
        "2 numbers where 1",
    );
    refused(
        &format!("{arm}joints = {{ tip_mount = 1 }}"),
        "3:24",
        "`tip_mount` is fixed",
    );
    refused(
        &format!("{arm}velocity = {{ elbow = 'x' }}"),
        "3:22",
        "a text where a number",
    );
    refused(
        &format!("{arm}configuration = 'home'"),
        "3:17",
        "no configuration `home`",
    );
    refused(
        &format!("{arm}base_velocity = [0, 0, 0, 0, 0, 0]"),
        "3:17",
        "does not float",
    );
    refused(
        &format!("{arm}srdf = 'arm.srdf'"),
        "3:8",
        "`arm.srdf` can't be included",
    );
    refused(
        &format!("{arm}[[robot]]\n{arm}"),
        "3:1",
        "both have a link `base`",
    );
    refused(
        "file = 'post.xml'\nbase = 'floating'",
        "3:8",
        "the world, which does not float",
    );
    refused(
        "file = 'room.xml'\nbase = 'fixed'",
        "3:8",
        "a joint of its own",
    );
    // A mistake in the robot's own file is reported there.
    std::fs::write(scratch.join("arm.urdf"), "<robot name='r'/>").unwrap();
    std::fs::write(scratch.join("scene.toml"), with(arm)).unwrap();
    let error = load(scratch.join("scene.toml")).unwrap_err().to_string();
    assert!(
        error.contains("arm.urdf:1:1") && error.contains("no links"),
        "{error}"
    );
    std::fs::remove_dir_all(&scratch).unwrap();
}

#[test]
fn files_outside_the_root_folders_are_not_read() {
    // An empty folder: wherever the repository lies, its files are outside.
    let folder = std::env::temp_dir().join(format!("featherline_root_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let elsewhere = LoadOptions::new().root_folder(&folder);
    let outcome = load_with(file("two_arms.toml"), &elsewhere);
    std::fs::remove_dir_all(&folder).unwrap();
    let error = match outcome {
        Ok(_) => panic!("a scene outside the root folder was read"),
        Err(error) => error.to_string(),
    };
    assert!(error.contains("root_folder"), "{error}");
    let here = LoadOptions::new().root_folder(file(""));
    assert!(load_with(file("two_arms.toml"), &here).is_ok());
    let text = "[[robot]]\nfile = '/etc/passwd'\n";
    assert!(load_str_with(text, &LoadOptions::new()).is_err());
}
