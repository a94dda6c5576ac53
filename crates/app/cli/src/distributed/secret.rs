//! Where the secret of a cluster comes from: a file, the standard input, the environment, or nowhere: then it is made afresh. Never the command line, which everybody on a machine can read.

use crate::failure::{CommandError, LOST};
use crate::terminal::warn;
use entail::Secret;
use std::fs::File;
use std::io::{BufRead, Read, stdin};
use std::path::Path;

/// The variable of the environment.
const VARIABLE: &str = "ENTAIL_SECRET";

/// The secret of the file that was named (`-` is the standard input), or of the environment; without either, a new one if this process alone hands it on.
pub fn secret(file: Option<&Path>, may_be_new: bool) -> Result<Secret, CommandError> {
    let wrong = |place: &str| {
        let place = place.to_owned();
        move |reason: String| CommandError::input(format!("{place}: {reason}"))
    };
    match (file, std::env::var(VARIABLE)) {
        (Some(file), _) if file == Path::new("-") => {
            let line = first_line(&mut stdin().lock()).map_err(wrong("the standard input"))?;
            std::thread::spawn(end_with_input);
            Secret::new(&line).map_err(wrong("the standard input"))
        }
        (Some(file), _) => {
            let place = file.display().to_string();
            let opened =
                File::open(file).map_err(|error| wrong(&place)(format!("cannot be read: {error}")))?;
            warn_of_readers(&opened, &place);
            let mut text = String::new();
            let most = Secret::MOST as u64 + 100;
            let read = opened.take(most).read_to_string(&mut text);
            read.map_err(|error| wrong(&place)(format!("cannot be read: {error}")))?;
            Secret::new(&text).map_err(wrong(&place))
        }
        (None, Ok(text)) => Secret::new(&text).map_err(wrong(VARIABLE)),
        (None, Err(std::env::VarError::NotUnicode(_))) => Err(wrong(VARIABLE)("it is not text".into())),
        (None, Err(_)) if may_be_new => Secret::fresh().map_err(|reason| CommandError::Message(reason, LOST)),
        (None, Err(_)) => Err(CommandError::usage(format!(
            "processes that are not started here must know the same secret: say --secret FILE or set {VARIABLE}"
        ))),
    }
}

/// The first line of an input.
fn first_line(input: &mut impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    let mut start = input.take(Secret::MOST as u64 + 100);
    start
        .read_until(b'\n', &mut line)
        .map_err(|error| error.to_string())?;
    String::from_utf8(line).map_err(|_| "it is not text".into())
}

/// Whoever started this process holds the other end of the standard input, so when that is closed, there is nobody to work for.
fn end_with_input() {
    let mut input = stdin().lock();
    let mut bytes = [0; 256];
    loop {
        match input.read(&mut bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(1..) => {}
            Ok(0) | Err(_) => std::process::exit(LOST.into()),
        }
    }
}

#[cfg(unix)]
fn warn_of_readers(file: &File, place: &str) {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o077 != 0) {
        warn(&format!("others can read the secret in {place}; chmod 600 it"));
    }
}

#[cfg(not(unix))]
fn warn_of_readers(_: &File, _: &str) {}
