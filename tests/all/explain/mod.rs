//! `explain`: messages in any wrapping, look-alikes, trees that decide, words. The wordings are made up.

mod command;
mod recognised;
mod rows;
