//! `explain`: messages in any wrapping, look-alikes, trees that decide, words. The wordings are made up.

mod beside;
mod command;
mod compilers;
mod components;
mod facts;
mod installers;
mod recognised;
mod rows;
mod speakers;
mod targets;
mod threads;
