//! Prints what is known of mesh files, one line of tab-separated values a file and way:
//! `mesh_mass FILE…`.

use featherline_geometry::{Mesh, MeshInertia};

fn main() {
    for file in std::env::args().skip(1) {
        let mesh = match Mesh::read(&file) {
            Ok(mesh) => mesh,
            Err(error) => {
                println!("{file}\terror\t{error}");
                continue;
            }
        };
        let (vertices, faces) = (mesh.vertices().len(), mesh.faces().len());
        println!("{file}\tread\t{vertices}\t{faces}\t{}", mesh.topology());
        let ways = [
            ("exact", MeshInertia::Exact),
            ("convex", MeshInertia::Convex),
            ("shell", MeshInertia::Shell),
            ("legacy", MeshInertia::Legacy),
        ];
        for (name, way) in ways {
            match mesh.mass_properties(way) {
                Ok(found) => {
                    let (c, j) = (found.center(), found.unit.rotational.to_elements());
                    let center = c.to_array();
                    println!("{file}\t{name}\t{:e}\t{center:?}\t{j:?}", found.measure());
                }
                Err(error) => println!("{file}\t{name}\terror: {error}"),
            }
        }
    }
}
