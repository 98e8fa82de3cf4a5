//! Lines of a log that say where in a kernel a wave was: those of ROCm's debug agent, and of its debugger.

use memchr::memmem;

/// What such lines have: `wave_1: pc=0x7f0c (kernel_code_entry=0x7f00 <KERNEL>)` of the agent, `=> 0x7f0c
/// <KERNEL+12>:` of the debugger.
const MARKS: [&[u8]; 2] = [b"kernel_code_entry=", b"=> 0x"];

/// Lines that are kept: as many waves of a work-group are at the same place.
const MOST: usize = 16;

/// Bytes of a line that are looked at. Names of C++ kernels have some thousand.
const LINE: usize = 1 << 14;

/// Adds the lines of a part of a log, each place once.
pub(super) fn note(part: &[u8], lines: &mut Vec<String>) {
    for mark in MARKS {
        for at in memmem::find_iter(part, mark) {
            if lines.len() >= MOST {
                return;
            }
            let line = line_at(part, at);
            if !lines.iter().any(|known| place(known) == place(&line)) {
                lines.push(line);
            }
        }
    }
}

fn line_at(part: &[u8], at: usize) -> String {
    let (before, behind) = part.split_at(at.min(part.len()));
    let begin = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1).max(at.saturating_sub(LINE));
    let end = memchr::memchr(b'\n', behind).map_or(part.len(), |newline| at + newline).min(at + LINE);
    String::from_utf8_lossy(part.get(begin..end).unwrap_or_default()).trim().to_owned()
}

/// A line without the number of the wave.
fn place(line: &str) -> &str {
    line.find("pc=").and_then(|at| line.get(at..)).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_at_one_place_are_one_line() {
        let log = "x\nwave_1: pc=0x28 (kernel_code_entry=0x0 <f>)\nwave_2: pc=0x28 (kernel_code_entry=0x0 <f>)\r\n\
                   wave_3: pc=0x2c (kernel_code_entry=0x0 <f>)\n=> 0x7f0c <f+12>:\ts_endpgm";
        let mut lines = Vec::new();
        note(log.as_bytes(), &mut lines);
        let expected = [
            "wave_1: pc=0x28 (kernel_code_entry=0x0 <f>)",
            "wave_3: pc=0x2c (kernel_code_entry=0x0 <f>)",
            "=> 0x7f0c <f+12>:\ts_endpgm",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_log_of_nothing_else_is_bounded() {
        let log: String = (0..1000).map(|at| format!("pc={at:#x} (kernel_code_entry=0x0 <f>)\n")).collect();
        let mut lines = Vec::new();
        note(log.as_bytes(), &mut lines);
        assert_eq!(lines.len(), MOST);
    }
}
