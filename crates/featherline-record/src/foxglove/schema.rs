//! JSON schemas of the messages.

use serde_json::{Map, Value, json};

/// The schema of an object with properties.
fn object<const N: usize>(title: &str, properties: [(&str, Value); N]) -> Value {
    let properties = properties.map(|(name, schema)| (name.to_owned(), schema));
    let properties: Map<String, Value> = properties.into_iter().collect();
    json!({"title": title, "type": "object", "properties": properties})
}

fn number() -> Value {
    json!({"type": "number"})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn list(of: Value) -> Value {
    json!({"type": "array", "items": of})
}

fn time(title: &str) -> Value {
    let whole = || json!({"type": "integer", "minimum": 0});
    object(title, [("sec", whole()), ("nsec", whole())])
}

fn vector(title: &str) -> Value {
    object(title, [("x", number()), ("y", number()), ("z", number())])
}

fn quaternion() -> Value {
    let parts = ["x", "y", "z", "w"].map(|name| (name, number()));
    object("foxglove.Quaternion", parts)
}

fn pose() -> Value {
    let parts = [
        ("position", vector("foxglove.Vector3")),
        ("orientation", quaternion()),
    ];
    object("foxglove.Pose", parts)
}

fn color() -> Value {
    let parts = ["r", "g", "b", "a"].map(|name| (name, number()));
    object("foxglove.Color", parts)
}

/// A primitive with a size along each axis.
fn sized(title: &str) -> Value {
    let size = vector("foxglove.Vector3");
    let parts = [("pose", pose()), ("size", size), ("color", color())];
    object(title, parts)
}

/// The schema of `foxglove.FrameTransforms`.
pub(crate) fn frame_transforms() -> Value {
    let transform = object(
        "foxglove.FrameTransform",
        [
            ("timestamp", time("time")),
            ("parent_frame_id", text()),
            ("child_frame_id", text()),
            ("translation", vector("foxglove.Vector3")),
            ("rotation", quaternion()),
        ],
    );
    let parts = [("transforms", list(transform))];
    object("foxglove.FrameTransforms", parts)
}

/// The schema of `foxglove.SceneUpdate`, with the primitives that are used.
pub(crate) fn scene_update() -> Value {
    let cylinder = object(
        "foxglove.CylinderPrimitive",
        [
            ("pose", pose()),
            ("size", vector("foxglove.Vector3")),
            ("bottom_scale", number()),
            ("top_scale", number()),
            ("color", color()),
        ],
    );
    let triangles = object(
        "foxglove.TriangleListPrimitive",
        [
            ("pose", pose()),
            ("points", list(vector("foxglove.Point3"))),
            ("color", color()),
            ("colors", list(color())),
            ("indices", list(json!({"type": "integer", "minimum": 0}))),
        ],
    );
    let pair = [("key", text()), ("value", text())];
    let pair = object("foxglove.KeyValuePair", pair);
    let entity = object(
        "foxglove.SceneEntity",
        [
            ("timestamp", time("time")),
            ("frame_id", text()),
            ("id", text()),
            ("lifetime", time("duration")),
            ("frame_locked", json!({"type": "boolean"})),
            ("metadata", list(pair)),
            ("cubes", list(sized("foxglove.CubePrimitive"))),
            ("spheres", list(sized("foxglove.SpherePrimitive"))),
            ("cylinders", list(cylinder)),
            ("triangles", list(triangles)),
        ],
    );
    let deletion = object(
        "foxglove.SceneEntityDeletion",
        [
            ("timestamp", time("time")),
            ("type", json!({"type": "integer"})),
            ("id", text()),
        ],
    );
    let parts = [("deletions", list(deletion)), ("entities", list(entity))];
    object("foxglove.SceneUpdate", parts)
}
