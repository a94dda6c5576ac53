//! The file with the addresses of all processes: one a line, `#` begins a comment.

use crate::failure::CommandError;
use std::path::Path;

/// The addresses in a file.
pub fn addresses(hosts: &Path) -> Result<Vec<String>, CommandError> {
    let text = std::fs::read_to_string(hosts)
        .map_err(|error| CommandError::input(format!("cannot read {}: {error}", hosts.display())))?;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let address = line.split('#').next().unwrap_or_default().trim();
        if address.is_empty() {
            continue;
        }
        let port = address.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(1..))) {
            return Err(CommandError::input(format!(
                "{}, line {}: `{address}` is no address; write host:port, such as localhost:4100",
                hosts.display(),
                number + 1
            )));
        }
        if found.iter().any(|other| other == address) {
            return Err(CommandError::input(format!(
                "{}, line {}: {address} is there twice",
                hosts.display(),
                number + 1
            )));
        }
        found.push(address.to_owned());
    }
    match found.is_empty() {
        true => Err(CommandError::input(format!(
            "{} has no addresses",
            hosts.display()
        ))),
        false => Ok(found),
    }
}

/// Whether an address is one that only this machine reaches.
pub fn is_here(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    host == "localhost" || host.starts_with("127.") || host == "[::1]"
}
