//! The layers of a container's image, as far as reports speak of them.

use std::sync::Arc;

/// A layer of an image, what it adds, and what of that later layers take away.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layer {
    /// The image that it belongs to, by its tag or digest; empty if there is only one image.
    pub image: String,
    /// Its number, from 1 for the lowest.
    pub number: usize,
    /// Its digest, or, where the image does not say that, its path in it.
    pub digest: String,
    /// The command that made it, as the image tells its history.
    pub command: Option<String>,
    /// Its files and their bytes, unpacked.
    pub files: Sum,
    /// Those that a later layer deletes: they take bytes and are not in the image that runs.
    pub deleted: Sum,
    /// Those that a later layer puts again.
    pub replaced: Sum,
}

/// A number of files and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Sum {
    /// Counts one more.
    pub fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

/// Letters of a digest that tell layers apart, and of a command that are shown.
const DIGEST_CHARS: usize = 19;
const COMMAND_CHARS: usize = 60;

impl Layer {
    /// It as the owner of files: its number, the beginning of its digest, and what made it.
    pub fn owner(&self) -> Arc<str> {
        let digest: String = self.digest.chars().take(DIGEST_CHARS).collect();
        let command = self.command.as_deref().unwrap_or_default();
        // Shells and builders put words in front of every command.
        let command = ["/bin/sh -c #(nop) ", "/bin/sh -c "]
            .iter()
            .find_map(|front| command.strip_prefix(front))
            .unwrap_or(command)
            .trim();
        let short: String = command.chars().take(COMMAND_CHARS).collect();
        let more = if short.len() < command.len() { "…" } else { "" };
        match short.is_empty() {
            true => format!("layer {} ({digest})", self.number),
            false => format!("layer {} ({digest}): {short}{more}", self.number),
        }
        .into()
    }
}
