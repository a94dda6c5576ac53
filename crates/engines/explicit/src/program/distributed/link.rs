//! A connection between two processes that know each other, as timely uses it.
//!
//! Bytes travel in frames: `kind, length, payload, tag`. The tag is HMAC-SHA256, under the key of the direction, of the frame and its position in the stream, so whatever was changed, left out or
//! repeated on the way is seen. Nothing is encrypted.
//!
//! Both sides send a frame without payload twice a second, whatever else they send. A side from which nothing has come for [`SILENCE`] of these beats is lost, whether its process was stopped, its machine
//! has no power, or the network is cut. Silence is counted in own wakings and not by a clock: processes that are all stopped for a while and go on (Ctrl-Z and `fg`) do not lose each other.

use super::handshake::Keys;
use super::secret::{is_tag, tag};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use timely::communication::allocator::zero_copy::stream::Stream;

const BEAT: Duration = Duration::from_millis(500);
/// Beats after which a silent side is lost.
const SILENCE: u32 = 20;
/// Bytes of a payload.
const MOST: usize = 1 << 16;
/// Bytes of a frame's tag: half of it is enough for a message that cannot be tried twice.
const FRAME_TAG: usize = 16;
const HEAD: usize = 5;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// Bytes for timely.
    Data = 1,
    /// A sign of life.
    Beat = 2,
    /// Nothing follows.
    End = 3,
}

/// One side of a connection.
pub struct Link {
    socket: TcpStream,
    sender: Arc<Mutex<Sender>>,
    receiver: Arc<Mutex<Receiver>>,
}

struct Sender {
    socket: TcpStream,
    peer: Arc<str>,
    key: [u8; 32],
    /// Frames sent.
    count: u64,
    frame: Vec<u8>,
    has_ended: bool,
}

struct Receiver {
    /// Frames are often small, so more than one is read at a time.
    socket: BufReader<TcpStream>,
    peer: Arc<str>,
    key: [u8; 32],
    /// Frames received.
    count: u64,
    frame: Vec<u8>,
    /// Which part of the frame is still to be given to timely.
    left: std::ops::Range<usize>,
    has_ended: bool,
}

impl Link {
    /// A link to a process of this name, whose handshake is done.
    pub fn new(socket: TcpStream, peer: &str, keys: &Keys) -> io::Result<Link> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(BEAT))?;
        let peer: Arc<str> = peer.into();
        let link = Link {
            sender: Arc::new(Mutex::new(Sender {
                socket: socket.try_clone()?,
                peer: Arc::clone(&peer),
                key: keys.sends,
                count: 0,
                frame: Vec::new(),
                has_ended: false,
            })),
            receiver: Arc::new(Mutex::new(Receiver {
                socket: BufReader::with_capacity(2 * MOST, socket.try_clone()?),
                peer,
                key: keys.receives,
                count: 0,
                frame: Vec::new(),
                left: 0..0,
                has_ended: false,
            })),
            socket,
        };
        let sender = Arc::downgrade(&link.sender);
        std::thread::Builder::new()
            .name("heart".into())
            .spawn(move || beat(&sender))?;
        Ok(link)
    }
}

/// Gives signs of life as long as there is a connection. Whoever is just sending gives one, too.
fn beat(sender: &Weak<Mutex<Sender>>) {
    while let Some(sender) = sender.upgrade() {
        if let Ok(mut sender) = sender.try_lock()
            && (sender.has_ended || sender.send(Kind::Beat, &[]).is_err())
        {
            return;
        }
        drop(sender);
        std::thread::sleep(BEAT);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sender {
    fn send(&mut self, kind: Kind, payload: &[u8]) -> io::Result<()> {
        self.frame.clear();
        self.frame.push(kind as u8);
        self.frame
            .extend_from_slice(&(payload.len() as u32).to_be_bytes());
        self.frame.extend_from_slice(payload);
        let tag = tag(&self.key, &[&self.count.to_be_bytes(), &self.frame]);
        self.frame.extend_from_slice(&tag[..FRAME_TAG]);
        self.count += 1;
        let sent = (&self.socket).write_all(&self.frame);
        sent.map_err(|error| io::Error::new(error.kind(), format!("{} has gone: {error}", self.peer)))
    }
}

impl Receiver {
    fn wrong(&self, kind: ErrorKind, what: &str) -> io::Error {
        io::Error::new(kind, format!("{} {what}", self.peer))
    }

    /// Reads until the frame has so many bytes.
    fn fill(&mut self, length: usize) -> io::Result<()> {
        let mut at = self.frame.len();
        let mut silent = 0;
        self.frame.resize(length, 0);
        while at < length {
            match self.socket.read(&mut self.frame[at..]) {
                Ok(0) => return Err(self.wrong(ErrorKind::UnexpectedEof, "has gone")),
                Ok(count) => (at, silent) = (at + count, 0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    silent += 1;
                    if silent >= SILENCE {
                        let seconds = (BEAT * SILENCE).as_secs();
                        return Err(
                            self.wrong(ErrorKind::TimedOut, &format!("has been silent for {seconds} s"))
                        );
                    }
                }
                Err(error) => return Err(self.wrong(error.kind(), &format!("has gone: {error}"))),
            }
        }
        Ok(())
    }

    /// Receives a frame: its kind; its payload is the part that is left.
    fn receive(&mut self) -> io::Result<u8> {
        let damaged = |receiver: &Receiver| receiver.wrong(ErrorKind::InvalidData, "sends what nobody said");
        self.frame.clear();
        self.fill(HEAD)?;
        let length = u32::from_be_bytes([self.frame[1], self.frame[2], self.frame[3], self.frame[4]]);
        let end = HEAD + length as usize;
        if length as usize > MOST {
            return Err(damaged(self));
        }
        self.fill(end + FRAME_TAG)?;
        let (said, tag) = self.frame.split_at(end);
        if !is_tag(&self.key, &[&self.count.to_be_bytes(), said], tag) {
            return Err(damaged(self));
        }
        self.count += 1;
        self.left = HEAD..end;
        Ok(self.frame[0])
    }
}

impl Read for Link {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut receiver = lock(&self.receiver);
        while receiver.left.is_empty() && !receiver.has_ended {
            receiver.has_ended = receiver.receive()? == Kind::End as u8;
        }
        let left = receiver.left.clone();
        let count = left.len().min(bytes.len());
        bytes[..count].copy_from_slice(&receiver.frame[left.start..left.start + count]);
        receiver.left.start += count;
        Ok(count)
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(MOST)];
        if !bytes.is_empty() {
            lock(&self.sender).send(Kind::Data, bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Link> {
        Ok(Link {
            socket: self.socket.try_clone()?,
            sender: Arc::clone(&self.sender),
            receiver: Arc::clone(&self.receiver),
        })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how != Shutdown::Read {
            let mut sender = lock(&self.sender);
            sender.send(Kind::End, &[])?;
            sender.has_ended = true;
        }
        self.socket.shutdown(how)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// The two sides of a connection, and the first one's socket.
    fn pair() -> (Link, Link, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let ours = TcpStream::connect(address).expect("somebody listens");
        let (theirs, _) = listener.accept().expect("somebody calls");
        let keys = |sends, receives| Keys {
            sends: [sends; 32],
            receives: [receives; 32],
        };
        let socket = ours.try_clone().expect("a second handle");
        (
            Link::new(ours, "the one", &keys(1, 2)).expect("a link"),
            Link::new(theirs, "the other", &keys(2, 1)).expect("a link"),
            socket,
        )
    }

    #[test]
    fn bytes_arrive_as_they_were_sent_up_to_the_end() {
        let (mut one, mut other, _) = pair();
        let sent: Vec<u8> = (0..300_000u32).map(|number| (number % 251) as u8).collect();
        let expected = sent.clone();
        let sends = std::thread::spawn(move || {
            one.write_all(&sent).expect("somebody reads");
            one.shutdown(Shutdown::Write).expect("it is there");
            let mut rest = Vec::new();
            one.read_to_end(&mut rest).expect("the other ends, too");
            rest
        });
        let mut got = Vec::new();
        other.read_to_end(&mut got).expect("it is all there");
        assert!(got == expected);
        other.write_all(b"thanks").expect("somebody reads");
        other.shutdown(Shutdown::Write).expect("it is there");
        assert_eq!(sends.join().expect("no panic"), b"thanks");
    }

    #[test]
    fn what_the_sender_did_not_say_is_refused() {
        let (_one, mut other, mut socket) = pair();
        // A whole frame of an intruder, with a tag of zeros.
        let _ = socket.write_all(&[1, 0, 0, 0, 1, b'x']);
        let _ = socket.write_all(&[0; FRAME_TAG]);
        let error = other.read(&mut [0; 10]).expect_err("nobody said this");
        assert!(error.to_string().contains("sends what nobody said"), "{error}");
    }

    #[test]
    fn a_side_that_goes_without_a_word_is_an_error() {
        let (one, mut other, socket) = pair();
        drop(one);
        socket.shutdown(Shutdown::Both).expect("it is there");
        let error = other.read(&mut [0; 10]).expect_err("it has gone");
        assert!(error.to_string().contains("has gone"), "{error}");
    }
}
