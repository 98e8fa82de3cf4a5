//! Cards and targets as words of the command line.

pub(super) use crate::asked::AskedCard as Gpu;
use crate::error::NotUnderstood;
use crate::target::{PROCESSORS, TargetId};
use std::path::Path;
use std::sync::LazyLock;

/// A card by its name, a PCI id, or its processor.
pub(super) fn gpu(text: &str) -> Result<Gpu, NotUnderstood> {
    Gpu::card(text).map_err(|what| match Path::new(text).exists() {
        true => "this is a path, and a card is expected: its name stands behind --gpu, or first for `survey`, as in survey \"RX 6600\" PATH".into(),
        false => what,
    })
}

/// Targets that a shell completes.
pub(super) fn targets() -> Vec<&'static str> {
    PROCESSORS.iter().map(|processor| processor.name()).collect()
}

/// Cards that a shell completes, and their processors: names of several words are none for a shell.
pub(super) fn gpus() -> Vec<&'static str> {
    // Each command has the option, and asks.
    static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let names = crate::target::product::products().iter().map(|product| product.name());
        let mut words: Vec<&str> =
            names.filter_map(|name| name.rsplit(' ').find(|word| is_model(word))).collect();
        words.sort_unstable();
        words.dedup();
        words.into_iter().chain(targets()).collect()
    });
    WORDS.clone()
}

/// Whether a word of a card's name is its model, and understood alone: `780M`, `MI250X`.
fn is_model(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && gpu(word).is_ok()
}

/// A word of the command line without the blanks around it, as they stand in lists behind commas.
pub(super) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// A target of the command line: by its ID, or that of a card.
pub(super) fn target(text: &str) -> Result<TargetId, NotUnderstood> {
    Gpu::from_word(text.trim()).map(|asked| asked.target)
}
