//! What the process uses, as the operating system tells it (Linux's `/proc`; elsewhere unknown).

use std::fs;
use std::path::Path;

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

/// What a process may use where nobody says: four fifths of the memory that is free on the machine, or in the control group it runs in.
pub fn default_memory_limit() -> Option<u64> {
    let free = field("/proc/meminfo", "MemAvailable:").into_iter();
    let least = free.chain(free_in_groups()).min()?;
    Some((least / 5 * 4).max(LEAST_LIMIT))
}

/// The default limit is never smaller than this.
const LEAST_LIMIT: u64 = 256 << 20;

/// What is free in the control group of this process and in those around it, where they are limited.
fn free_in_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(group)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (top, limit, used, unused) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
            list if list.split(',').any(|name| name == "memory") => (
                "/sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
                "total_inactive_file",
            ),
            _ => continue,
        };
        let top = Path::new(top);
        let inside = top.join(group.trim_start_matches('/'));
        for folder in inside.ancestors().take_while(|folder| folder.starts_with(top)) {
            let number = |name: &str| -> Option<u64> {
                let text = fs::read_to_string(folder.join(name)).ok()?;
                text.trim().parse().ok()
            };
            let Some(limit) = number(limit) else { continue };
            // Pages of files that nobody uses make room when it is needed.
            let statistics = fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
            let mut words = statistics.split_whitespace().skip_while(|word| *word != unused);
            let unused: u64 = words.nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
            let used = number(used).unwrap_or(0).saturating_sub(unused);
            let free = limit.saturating_sub(used);
            least = Some(least.map_or(free, |least| least.min(free)));
        }
    }
    least
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
