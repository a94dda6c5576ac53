//! The steps of a program between packed states: where things are ([`layout`]), expressions ([`code`]) and actions ([`action`]) compiled,
//! what is done often as machine code ([`machine`]), what follows a state ([`space`]), and packed states as the interpreter has them ([`unpack`]).

pub mod action;
pub mod code;
mod compile;
pub mod enabled;
mod handshake;
pub mod layout;
#[cfg(feature = "machine-code")]
pub mod machine;
#[cfg(not(feature = "machine-code"))]
#[path = "interpreted.rs"]
pub mod machine;
mod message;
pub mod space;
pub mod unpack;
