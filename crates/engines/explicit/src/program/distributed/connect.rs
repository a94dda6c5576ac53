//! Connections between the processes of a cluster. Everybody listens at its address; whoever has the larger number calls.
//!
//! timely could connect by itself, but it waits for ever and says so on the standard output, where answers go.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// The others have so long to be there.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// What is said first on a connection: who calls, behind a word that tells whether it is one of us.
const GREETING: [u8; 8] = *b"entail 1";

/// A connection to every other process, none to this one.
pub fn connect(addresses: &[String], own: usize) -> Result<Vec<Option<TcpStream>>, String> {
    let deadline = Instant::now() + PATIENCE;
    let address = &addresses[own];
    let listener =
        TcpListener::bind(address).map_err(|error| format!("cannot listen at {address}: {error}"))?;
    listener
        .set_nonblocking(true)
        .map_err(|error| format!("cannot listen at {address}: {error}"))?;
    let mut streams: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    for (other, address) in addresses.iter().enumerate().take(own) {
        streams[other] = Some(call(address, own, deadline)?);
    }
    while let Some(missing) = (own + 1..addresses.len()).find(|&other| streams[other].is_none()) {
        match listener.accept() {
            Ok((stream, _)) => {
                // Somebody else who calls is not answered.
                if let Some((stream, caller)) = answer(stream)
                    && caller > own
                    && caller < addresses.len()
                {
                    streams[caller] = Some(stream);
                }
            }
            Err(_) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(_) => {
                return Err(format!(
                    "worker {missing} ({}) has not come within {} s",
                    addresses[missing],
                    PATIENCE.as_secs()
                ));
            }
        }
    }
    Ok(streams)
}

fn call(address: &str, own: usize, deadline: Instant) -> Result<TcpStream, String> {
    loop {
        let called = TcpStream::connect(address).and_then(|mut stream| {
            stream.set_nodelay(true)?;
            stream.write_all(&GREETING)?;
            stream.write_all(&(own as u64).to_be_bytes())?;
            Ok(stream)
        });
        match called {
            Ok(stream) => return Ok(stream),
            Err(_) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(error) => return Err(format!("cannot reach {address}: {error}")),
        }
    }
}

fn answer(mut stream: TcpStream) -> Option<(TcpStream, usize)> {
    let (mut greeting, mut caller) = ([0; 8], [0; 8]);
    stream.set_nonblocking(false).ok()?;
    stream.set_nodelay(true).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.read_exact(&mut greeting).ok()?;
    stream.read_exact(&mut caller).ok()?;
    stream.set_read_timeout(None).ok()?;
    (greeting == GREETING).then_some((stream, u64::from_be_bytes(caller) as usize))
}
