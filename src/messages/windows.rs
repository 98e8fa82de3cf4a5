//! Cuts a log into windows; each is searched by itself.

use super::clean::{LINE, OVERLAP, Window};

/// Bytes of the squeezed log that are looked at together.
const WINDOW: usize = 1 << 16;

/// A window that is whole.
pub(super) struct Cut {
    /// Its bytes; the last [`keep`](Cut::keep) of them begin the next window as well.
    pub(super) window: Window,
    /// Bytes of the squeezed log before it.
    pub(super) before: u64,
    /// How many bytes of its squeezed form the next window shares.
    pub(super) keep: usize,
    /// Whether it ends the log.
    pub(super) last: bool,
}

impl Cut {
    /// Whether the log has no other window.
    pub(super) fn is_whole(&self) -> bool {
        self.last && self.before == 0
    }

    /// Where the part of the squeezed form ends in which its matches begin.
    pub(super) fn until(&self) -> usize {
        self.window.squeezed.len().saturating_sub(self.keep)
    }
}

/// Cuts a log into windows.
#[derive(Default)]
pub(super) struct Windows {
    window: Window,
    /// Lines of the log so far.
    pub(super) lines: u64,
    /// Whether the next byte begins a line; the first of the log does.
    within_line: bool,
    /// The end of a block that was left out, which stands before the next.
    left_out: Vec<u8>,
    /// Lines, bytes and whether a line was begun, before the last block, where that was left out.
    before_left_out: Option<(u64, u64, bool)>,
    /// Whether the block before was let through.
    let_through: bool,
    /// Bytes of the squeezed log before the window.
    before: u64,
    /// Windows that are whole.
    pub(super) cut: Vec<Cut>,
}

impl Windows {
    /// Adds a block of the log. Those that do not matter are left out, but for what stands beside others.
    pub(super) fn add(&mut self, block: &[u8], matters: bool) {
        if matters && !self.left_out.is_empty() {
            let before = std::mem::take(&mut self.left_out);
            self.lines -= memchr::memchr_iter(b'\n', &before).count() as u64;
            self.within_line = false;
            self.push(&before);
        }
        if matters || self.let_through {
            self.before_left_out = None;
            self.push(block);
        } else {
            self.leave_out(block);
        }
        self.let_through = matters;
    }

    /// Skips a block, but for its last lines.
    fn leave_out(&mut self, block: &[u8]) {
        if !self.window.text.is_empty() {
            self.cut(0, false);
        }
        self.before_left_out = Some((self.lines, self.before, self.within_line));
        self.before += block.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', block).count() as u64;
        self.within_line = block.last() != Some(&b'\n');
        self.left_out.clear();
        let last = block.get(block.len().saturating_sub(OVERLAP)..).unwrap_or_default();
        // What begins within a line is left to it.
        if let Some(begins) = memchr::memchr(b'\n', last).filter(|_| !self.within_line) {
            self.left_out.extend_from_slice(last.get(begins + 1..).unwrap_or_default());
        }
    }

    /// Ends the log, whose last block is read where it was left out: how a program ended stands there.
    pub(super) fn end(&mut self, last: &[u8]) {
        if let Some((lines, before, within_line)) = self.before_left_out.take() {
            (self.lines, self.before, self.within_line) = (lines, before, within_line);
            self.left_out.clear();
            self.push(last);
        }
        self.cut(0, true);
    }

    /// Adds a block to the window, line by line.
    fn push(&mut self, block: &[u8]) {
        let mut rest = block;
        while !rest.is_empty() {
            let newline = memchr::memchr(b'\n', rest);
            let (line, behind) = rest.split_at(newline.unwrap_or(rest.len()));
            let ends = newline.is_some();
            rest = behind.get(1..).unwrap_or_default();
            for (at, part) in line.chunks(LINE).enumerate().chain(line.is_empty().then_some((0, line))) {
                let begins = at == 0 && !self.within_line;
                self.lines += u64::from(begins);
                self.window.push(part, self.lines, begins);
                self.within_line = true;
            }
            if ends {
                self.window.end_line();
            }
            self.within_line = !ends;
            // Lines of blanks only fill the text, not what is squeezed.
            if self.window.squeezed.len() >= WINDOW + OVERLAP || self.window.text.len() >= 8 * WINDOW {
                self.cut(OVERLAP, false);
            }
        }
    }

    /// Cuts the window off; the next begins with its last `keep` bytes.
    fn cut(&mut self, keep: usize, last: bool) {
        let next = self.window.last(keep);
        let gone = self.window.squeezed.len() - next.squeezed.len();
        let window = std::mem::replace(&mut self.window, next);
        self.cut.push(Cut { window, before: self.before, keep, last });
        self.before += gone as u64;
    }
}
