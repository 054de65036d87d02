#![no_main]

use featherline_geometry::MeshFormat;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| featherline_fuzz::mesh(MeshFormat::Obj, bytes));
