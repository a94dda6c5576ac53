//! What the process uses, as the operating system tells it (Linux's `/proc`; elsewhere unknown).

use std::fs;

/// Resident memory of this process in bytes, where the operating system tells.
pub fn resident_memory_bytes() -> Option<u64> {
    status_field("VmRSS:")
}

/// The largest resident memory this process has had, in bytes, where the operating system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    status_field("VmHWM:")
}

/// The memory of the machine in bytes, where the operating system tells.
pub fn machine_memory_bytes() -> Option<u64> {
    field("/proc/meminfo", "MemTotal:")
}

fn status_field(name: &str) -> Option<u64> {
    field("/proc/self/status", name)
}

fn field(file: &str, field: &str) -> Option<u64> {
    let status = fs::read_to_string(file).ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
