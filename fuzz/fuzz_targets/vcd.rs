#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entail_fuzz::read("vcd", bytes));
