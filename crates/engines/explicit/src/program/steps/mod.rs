//! The steps of a program between packed states: where things are ([`layout`]), expressions ([`code`]) and actions ([`action`]) compiled,
//! what is done often as machine code ([`machine`]), and what follows a state ([`space`]).

pub mod action;
pub mod code;
mod compile;
pub mod enabled;
mod handshake;
pub mod layout;
pub mod machine;
mod message;
pub mod space;
