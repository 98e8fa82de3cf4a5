//! Messages that ROCm's software prints: what they mean, what can be behind them, and recognising them in
//! logs.
//!
//! [`facts`] are what a log says in any words: statuses, files, refusals, devices. [`table`] has the messages, [`sign`] the words beside a message that decide between
//! causes, which are named by their ids here and stand in `diagnosis`. [`recognise`](recognise::recognise)
//! finds them in a text of any size, encoding and wrapping. What a message is not certain to mean is not
//! claimed: its class is then ambiguous or unknown.

mod clean;
mod decode;
pub mod facts;
mod found;
pub mod number;
mod pattern;
pub mod recognise;
pub mod recognised;
mod search;
mod sieve;
pub mod sign;
pub mod table;
mod waves;
mod whose;
mod windows;
