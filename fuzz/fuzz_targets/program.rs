#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| featherline_fuzz::program(bytes));
