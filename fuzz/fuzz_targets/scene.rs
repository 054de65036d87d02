#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| featherline_fuzz::scene(text));
