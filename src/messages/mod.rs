//! Messages that ROCm's software prints: what they mean, what can be behind them, and recognising them in logs.
//!
//! [`table`] has the messages, [`cause`] what can be wrong, [`sign`] the words beside a message that decide between
//! causes. [`recognise`](recognise::recognise) finds them in a text of any
//! size, encoding and wrapping. What a message is not certain to mean is not claimed: its class is then ambiguous or unknown.

pub mod catalog;
pub mod cause;
mod clean;
mod decode;
mod pattern;
pub mod recognise;
pub mod sign;
pub mod table;
