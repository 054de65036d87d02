#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    // An error is an answer.
    let _ = featherline_fuzz::srdf(text);
});
