//! Where an instruction of a kernel is, in words.

/// Where an instruction is: its offset in the kernel, and its source line where that is known.
pub(super) fn placed(offset: u32, line: &Option<String>) -> String {
    match line {
        Some(line) => format!("+{offset:#x} ({line})"),
        None => format!("+{offset:#x}"),
    }
}
