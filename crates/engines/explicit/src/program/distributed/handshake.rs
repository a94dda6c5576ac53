//! How two processes prove to each other that they know the secret, before anything else is read.
//!
//! ```text
//! listener → caller    protocol, nonce
//! caller → listener    protocol, caller's number, processes, threads, nonce, tag
//! listener → caller    processes, threads, tag
//! ```
//!
//! A tag is HMAC-SHA256, under the secret, of a label and everything that both have said so far, both numbers included. Either side has put in a nonce of its own, so nothing that was
//! recorded is a right answer; the labels differ, so nothing that one side said is a right answer of the other. Every message has a fixed length and both sides stop reading there: what a stranger can
//! make anybody read is [`HELLO`] bytes within the listener's patience.
//!
//! From the same, two keys are made for what follows, one for each direction ([`Keys`]).

use super::secret::{Secret, TAG, is_tag, tag};

const PROTOCOL: [u8; 8] = *b"entail 2";
const NONCE: usize = 32;
/// Bytes of the listener's challenge.
pub const CHALLENGE: usize = PROTOCOL.len() + NONCE;
/// Bytes of the caller's answer, which is a challenge, too.
pub const HELLO: usize = PROTOCOL.len() + 12 + NONCE + TAG;
/// Bytes of the listener's answer.
pub const WELCOME: usize = 8 + TAG;

/// What all processes must have been told alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub processes: u32,
    pub threads: u32,
}

impl Size {
    fn bytes(self) -> [u8; 8] {
        let mut bytes = [0; 8];
        bytes[..4].copy_from_slice(&self.processes.to_be_bytes());
        bytes[4..].copy_from_slice(&self.threads.to_be_bytes());
        bytes
    }

    fn read(bytes: &[u8; 8]) -> Size {
        let [a, b, c, d, e, f, g, h] = *bytes;
        Size {
            processes: u32::from_be_bytes([a, b, c, d]),
            threads: u32::from_be_bytes([e, f, g, h]),
        }
    }
}

/// The keys of one connection.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Of what this side sends.
    pub sends: [u8; TAG],
    /// Of what this side receives.
    pub receives: [u8; TAG],
}

/// Why a handshake has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is something else, or another version.
    Protocol,
    /// It does not know the secret.
    Secret,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refused::Protocol => "it does not speak this version of the protocol",
            Refused::Secret => "it does not know the secret",
        })
    }
}

/// What both sides have said.
struct Transcript([u8; PROTOCOL.len() + 2 * NONCE + 8 + 8]);

impl Transcript {
    fn new(listener: (u32, &[u8]), caller: (u32, &[u8]), size: Size) -> Transcript {
        let mut bytes = [0; PROTOCOL.len() + 2 * NONCE + 8 + 8];
        let parts = [
            &PROTOCOL[..],
            listener.1,
            caller.1,
            &listener.0.to_be_bytes(),
            &caller.0.to_be_bytes(),
            &size.bytes(),
        ];
        let mut at = 0;
        for part in parts {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        }
        Transcript(bytes)
    }

    fn keys(&self, secret: &Secret) -> [[u8; TAG]; 2] {
        let key = |label: &[u8]| tag(secret.key(), &[label, &self.0]);
        [key(b"to the listener"), key(b"to the caller")]
    }
}

const BY_CALLER: &[u8] = b"caller";
const BY_LISTENER: &[u8] = b"listener";

/// What a listener says first.
pub fn challenge(nonce: &[u8; NONCE]) -> [u8; CHALLENGE] {
    let mut bytes = [0; CHALLENGE];
    bytes[..8].copy_from_slice(&PROTOCOL);
    bytes[8..].copy_from_slice(nonce);
    bytes
}

/// A caller in the middle of a handshake.
pub struct Caller {
    transcript: Transcript,
}

impl Caller {
    /// Answers a challenge.
    pub fn answer(
        secret: &Secret,
        (listener, caller): (u32, u32),
        size: Size,
        challenge: &[u8; CHALLENGE],
        nonce: &[u8; NONCE],
    ) -> Result<(Caller, [u8; HELLO]), Refused> {
        let (protocol, theirs) = challenge.split_at(PROTOCOL.len());
        if protocol != PROTOCOL {
            return Err(Refused::Protocol);
        }
        let transcript = Transcript::new((listener, theirs), (caller, nonce), size);
        let mut hello = [0; HELLO];
        hello[..8].copy_from_slice(&PROTOCOL);
        hello[8..12].copy_from_slice(&caller.to_be_bytes());
        hello[12..20].copy_from_slice(&size.bytes());
        hello[20..20 + NONCE].copy_from_slice(nonce);
        hello[20 + NONCE..].copy_from_slice(&tag(secret.key(), &[BY_CALLER, &transcript.0]));
        Ok((Caller { transcript }, hello))
    }

    /// Takes the listener's answer: what it was told about the cluster, and the keys.
    pub fn finish(&self, secret: &Secret, welcome: &[u8; WELCOME]) -> Result<(Size, Keys), Refused> {
        let (size, said) = welcome.split_first_chunk().expect("a welcome begins with a size");
        if !is_tag(secret.key(), &[BY_LISTENER, &self.transcript.0, size], said) {
            return Err(Refused::Secret);
        }
        let [sends, receives] = self.transcript.keys(secret);
        Ok((Size::read(size), Keys { sends, receives }))
    }
}

/// Who has called, what it was told about the cluster, the keys, and the answer it gets.
pub struct Known {
    pub caller: u32,
    pub size: Size,
    pub keys: Keys,
    pub welcome: [u8; WELCOME],
}

/// Judges a caller's answer to a listener's challenge.
pub fn judge(
    secret: &Secret,
    listener: u32,
    size: Size,
    nonce: &[u8; NONCE],
    hello: &[u8; HELLO],
) -> Result<Known, Refused> {
    let number = |at: usize| u32::from_be_bytes([hello[at], hello[at + 1], hello[at + 2], hello[at + 3]]);
    if hello[..8] != PROTOCOL {
        return Err(Refused::Protocol);
    }
    let caller = number(8);
    let told = Size {
        processes: number(12),
        threads: number(16),
    };
    let (theirs, said) = hello[20..].split_at(NONCE);
    let transcript = Transcript::new((listener, nonce), (caller, theirs), told);
    if !is_tag(secret.key(), &[BY_CALLER, &transcript.0], said) {
        return Err(Refused::Secret);
    }
    let mut welcome = [0; WELCOME];
    welcome[..8].copy_from_slice(&size.bytes());
    welcome[8..].copy_from_slice(&tag(secret.key(), &[BY_LISTENER, &transcript.0, &size.bytes()]));
    let [receives, sends] = transcript.keys(secret);
    Ok(Known {
        caller,
        size: told,
        keys: Keys { sends, receives },
        welcome,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        processes: 3,
        threads: 2,
    };

    fn secret(text: &str) -> Secret {
        Secret::new(text).expect("it is long enough")
    }

    fn hello(secret: &Secret, listener: u32, nonce: &[u8; 32]) -> (Caller, [u8; HELLO]) {
        Caller::answer(secret, (listener, 2), SIZE, &challenge(nonce), &[7; 32]).expect("the same protocol")
    }

    #[test]
    fn who_knows_the_secret_is_known_and_both_have_the_same_keys() {
        let secret = secret("sixteen characters or more");
        let (caller, hello) = hello(&secret, 0, &[9; 32]);
        let known = judge(&secret, 0, SIZE, &[9; 32], &hello).expect("the same secret");
        assert_eq!((known.caller, known.size), (2, SIZE));
        let (size, keys) = caller.finish(&secret, &known.welcome).expect("the same secret");
        assert_eq!(size, SIZE);
        assert_eq!(keys.sends, known.keys.receives);
        assert_eq!(keys.receives, known.keys.sends);
        assert_ne!(keys.sends, keys.receives);
    }

    #[test]
    fn another_secret_nonce_or_listener_is_refused() {
        let (ours, theirs) = (
            secret("sixteen characters or more"),
            secret("sixteen characters or less"),
        );
        let (caller, said) = hello(&ours, 0, &[9; 32]);
        let refused =
            |secret: &Secret, listener, nonce: u8| judge(secret, listener, SIZE, &[nonce; 32], &said).err();
        assert_eq!(refused(&ours, 0, 9), None);
        assert_eq!(refused(&theirs, 0, 9), Some(Refused::Secret));
        assert_eq!(refused(&ours, 1, 9), Some(Refused::Secret));
        // What was recorded is no answer to another challenge.
        assert_eq!(refused(&ours, 0, 8), Some(Refused::Secret));
        let (_, other) = hello(&theirs, 0, &[9; 32]);
        let known = judge(&theirs, 0, SIZE, &[9; 32], &other).expect("the same secret");
        assert_eq!(caller.finish(&ours, &known.welcome).err(), Some(Refused::Secret));
    }

    #[test]
    fn no_bit_of_an_answer_can_be_changed() {
        let secret = secret("sixteen characters or more");
        let (caller, said) = hello(&secret, 0, &[9; 32]);
        for bit in 0..8 * HELLO {
            let mut changed = said;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(judge(&secret, 0, SIZE, &[9; 32], &changed).is_err(), "bit {bit}");
        }
        let known = judge(&secret, 0, SIZE, &[9; 32], &said).expect("the same secret");
        for bit in 0..8 * WELCOME {
            let mut changed = known.welcome;
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(caller.finish(&secret, &changed).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn what_a_caller_said_is_no_answer_of_a_listener() {
        let secret = secret("sixteen characters or more");
        let (caller, said) = hello(&secret, 0, &[9; 32]);
        let mut welcome = [0; WELCOME];
        welcome[..8].copy_from_slice(&SIZE.bytes());
        welcome[8..].copy_from_slice(&said[HELLO - TAG..]);
        assert_eq!(caller.finish(&secret, &welcome).err(), Some(Refused::Secret));
    }
}
