//! Connections between the processes of a cluster. Everybody listens at its address, which is one of this machine alone unless the list of addresses names another; whoever has the larger number calls.
//!
//! Whoever calls must pass the handshake first. Callers are served side by side, each with a few bytes and a few seconds, so strangers (silent, slow, wrong) are turned away while the others go on. When
//! everybody is there, nobody listens any more.
//!
//! timely could connect by itself, but it asks nobody who they are, waits for ever, and says so on the standard output, where answers go.

use super::handshake::{CHALLENGE, Caller, HELLO, Keys, Size, WELCOME, challenge, judge};
use super::link::Link;
use super::secret::{Secret, nonce};
use entail_budget::Budget;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The others have so long to be there.
const PATIENCE: Duration = Duration::from_secs(60);
/// A handshake takes at most so long.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// So many callers are served at a time; when more come, those that came first must go.
const MOST_GUESTS: usize = 64;
/// Between looks at who has called.
const PAUSE: Duration = Duration::from_millis(5);
/// Between calls, at first and at last.
const CALL_AGAIN: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(500));

/// What a process knows of its cluster.
pub struct Membership<'m> {
    pub addresses: &'m [String],
    pub own: usize,
    pub threads: usize,
    pub secret: &'m Secret,
}

impl Membership<'_> {
    fn size(&self) -> Size {
        Size {
            processes: self.addresses.len() as u32,
            threads: self.threads as u32,
        }
    }

    fn name(&self, other: usize) -> String {
        format!("worker {other} ({})", self.addresses[other])
    }

    /// A link, if both were told the same about the cluster.
    fn link(&self, socket: TcpStream, other: usize, told: Size, keys: &Keys) -> Result<Link, String> {
        let name = self.name(other);
        let own = self.size();
        if told.processes != own.processes {
            return Err(format!(
                "{name} was given {} addresses, this process {}",
                told.processes, own.processes
            ));
        }
        if told.threads != own.threads {
            return Err(format!(
                "{name} has {} threads, this process {}",
                told.threads, own.threads
            ));
        }
        Link::new(socket, &name, keys)
            .map_err(|error| format!("cannot use the connection to {name}: {error}"))
    }
}

/// When to give up.
struct Patience<'p> {
    until: Instant,
    budget: &'p Budget,
    /// Another part has given up.
    stops: AtomicBool,
}

impl Patience<'_> {
    /// Whether to go on waiting; if not, perhaps why.
    fn is_left(&self) -> Result<bool, String> {
        self.budget.check_now().map_err(|spent| spent.to_string())?;
        Ok(Instant::now() < self.until && !self.stops.load(Ordering::Relaxed))
    }
}

/// A connection to every other process, none to this one.
pub fn connect(member: &Membership<'_>, budget: &Budget) -> Result<Vec<Option<Link>>, String> {
    let address = &member.addresses[member.own];
    let listener = TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| format!("cannot listen at {address}: {error}"))?;
    let patience = Patience {
        until: Instant::now() + PATIENCE,
        budget,
        stops: AtomicBool::new(false),
    };
    let stop_on_error = |result: Result<Vec<Option<Link>>, String>| {
        if result.is_err() {
            patience.stops.store(true, Ordering::Relaxed);
        }
        result
    };
    let (called, listened) = std::thread::scope(|scope| {
        let listening = scope.spawn(|| stop_on_error(listen(member, listener, &patience)));
        let calls = (0..member.own).map(|other| call(member, other, &patience).map(Some));
        let called = stop_on_error(calls.collect());
        (called, listening.join())
    });
    let listened = listened.map_err(|_| "the listening thread has failed".to_owned())?;
    let mut links = match (called, listened) {
        // One stops because of the other, whose reason is the better one.
        (Err(reason), Err(other)) => return Err(if reason == STOPPED { other } else { reason }),
        (called, listened) => {
            let (mut links, later) = (called?, listened?);
            links.push(None);
            links.extend(later);
            links
        }
    };
    links.truncate(member.addresses.len());
    Ok(links)
}

const STOPPED: &str = "the connections are given up";

/// Calls a process until it answers as one of us.
fn call(member: &Membership<'_>, other: usize, patience: &Patience<'_>) -> Result<Link, String> {
    let mut pause = CALL_AGAIN.0;
    loop {
        let reason = match greet(member, other) {
            Ok((socket, size, keys)) => return member.link(socket, other, size, &keys),
            Err(error) => error,
        };
        if !patience.is_left()? {
            return Err(match patience.stops.load(Ordering::Relaxed) {
                true => STOPPED.into(),
                false => format!("cannot reach {}: {reason}", member.name(other)),
            });
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(CALL_AGAIN.1);
    }
}

/// Calls a process once.
fn greet(member: &Membership<'_>, other: usize) -> io::Result<(TcpStream, Size, Keys)> {
    let mut found = Err(io::Error::new(ErrorKind::NotFound, "there is no such address"));
    for address in member.addresses[other].to_socket_addrs()? {
        found = TcpStream::connect_timeout(&address, HANDSHAKE);
        if found.is_ok() {
            break;
        }
    }
    let socket = found?;
    let deadline = Instant::now() + HANDSHAKE;
    let (mut challenge, mut welcome) = ([0; CHALLENGE], [0; WELCOME]);
    read_until(&socket, &mut challenge, deadline)?;
    let refused = |reason: super::handshake::Refused| io::Error::other(reason.to_string());
    let numbers = (other as u32, member.own as u32);
    let nonce = nonce().map_err(io::Error::other)?;
    let (caller, hello) =
        Caller::answer(member.secret, numbers, member.size(), &challenge, &nonce).map_err(refused)?;
    socket.set_write_timeout(Some(HANDSHAKE))?;
    (&socket).write_all(&hello)?;
    read_until(&socket, &mut welcome, deadline).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => {
            io::Error::new(error.kind(), "it turns us away; does it have the same secret?")
        }
        _ => error,
    })?;
    let (size, keys) = caller.finish(member.secret, &welcome).map_err(refused)?;
    socket.set_write_timeout(None)?;
    Ok((socket, size, keys))
}

/// Reads exactly so many bytes, by a time that does not move when some of them arrive.
fn read_until(mut socket: &TcpStream, bytes: &mut [u8], deadline: Instant) -> io::Result<()> {
    let mut at = 0;
    while at < bytes.len() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(ErrorKind::TimedOut, "it does not answer in time"));
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(&mut bytes[at..]) {
            Ok(0) => {
                return Err(io::Error::new(
                    ErrorKind::UnexpectedEof,
                    "it closes the connection",
                ));
            }
            Ok(count) => at += count,
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut
                ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Somebody who has called and not yet said who it is.
struct Guest {
    socket: TcpStream,
    nonce: [u8; 32],
    hello: [u8; HELLO],
    read: usize,
    deadline: Instant,
}

/// What a look at a guest has shown.
enum Sight {
    Waits,
    Said,
    Gone,
}

impl Guest {
    fn welcome(socket: TcpStream) -> io::Result<Guest> {
        socket.set_nonblocking(true)?;
        let nonce = nonce().map_err(io::Error::other)?;
        // So few bytes fit into the buffer of a new connection.
        (&socket).write_all(&challenge(&nonce))?;
        Ok(Guest {
            socket,
            nonce,
            hello: [0; HELLO],
            read: 0,
            deadline: Instant::now() + HANDSHAKE,
        })
    }

    fn look(&mut self) -> Sight {
        loop {
            match (&self.socket).read(&mut self.hello[self.read..]) {
                Ok(0) => return Sight::Gone,
                Ok(count) => {
                    self.read += count;
                    if self.read == HELLO {
                        return Sight::Said;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < self.deadline => {
                    return Sight::Waits;
                }
                Err(_) => return Sight::Gone,
            }
        }
    }
}

/// Waits for all processes with larger numbers.
fn listen(
    member: &Membership<'_>,
    listener: TcpListener,
    patience: &Patience<'_>,
) -> Result<Vec<Option<Link>>, String> {
    let first = member.own + 1;
    let mut links: Vec<Option<Link>> = (first..member.addresses.len()).map(|_| None).collect();
    let mut guests: Vec<Guest> = Vec::new();
    let mut turned_away = 0u64;
    while let Some(missing) = links.iter().position(Option::is_none) {
        while let Ok((socket, _)) = listener.accept() {
            guests.extend(Guest::welcome(socket));
            if guests.len() > MOST_GUESTS {
                guests.remove(0);
                turned_away += 1;
            }
        }
        let mut at = 0;
        while at < guests.len() {
            match guests[at].look() {
                Sight::Waits => at += 1,
                Sight::Gone => {
                    guests.remove(at);
                    turned_away += 1;
                }
                Sight::Said => {
                    let guest = guests.remove(at);
                    match admit(member, guest)? {
                        Some((caller, link)) => links[caller - first] = Some(link),
                        None => turned_away += 1,
                    }
                }
            }
        }
        if !patience.is_left()? {
            if patience.stops.load(Ordering::Relaxed) {
                return Err(STOPPED.into());
            }
            let others = match turned_away {
                0 => String::new(),
                count => format!("; {count} callers who do not know the secret were turned away"),
            };
            return Err(format!(
                "{} has not come within {} s{others}",
                member.name(first + missing),
                PATIENCE.as_secs()
            ));
        }
        std::thread::sleep(PAUSE);
    }
    Ok(links)
}

/// Judges what a guest has said; nothing if it is a stranger.
fn admit(member: &Membership<'_>, guest: Guest) -> Result<Option<(usize, Link)>, String> {
    let own = member.own as u32;
    let Ok(known) = judge(member.secret, own, member.size(), &guest.nonce, &guest.hello) else {
        return Ok(None);
    };
    let caller = known.caller as usize;
    if caller <= member.own || caller >= member.addresses.len() {
        return Err(format!(
            "a process with the number {caller} calls worker {own} of {}: the lists of addresses differ",
            member.addresses.len()
        ));
    }
    if (&guest.socket).write_all(&known.welcome).is_err() {
        return Ok(None);
    }
    let link = member.link(guest.socket, caller, known.size, &known.keys)?;
    Ok(Some((caller, link)))
}
