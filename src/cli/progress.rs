//! A progress bar on standard error, where that is a terminal; it knows files and bytes and is erased at the
//! end.

use crate::scan::run::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar of bytes.
pub(super) struct Bar(ProgressBar);

impl Bar {
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{bar:24} {bytes} of {total_bytes}  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// A bar of one file with so many bytes.
    pub fn of_file(bytes: u64) -> Self {
        let bar = Bar::new();
        bar.begin(1, bytes);
        bar
    }

    /// Moves the bar on by bytes that were read of a file.
    pub fn read(&self, shown: &str, bytes: u64) {
        self.advance(shown, bytes);
    }

    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&self, files: u64, bytes: u64) {
        // Both sides of a comparison begin.
        self.0.inc_length(bytes);
        self.0.set_message(format!("{files} files"));
    }

    fn advance(&self, shown: &str, bytes: u64) {
        self.0.set_message(shown.to_owned());
        self.0.inc(bytes);
    }
}
