//! Reports that others read than who gave the command: where it ran is no matter of theirs, and may be private.

use super::block::Block;
use crate::locator::file_name;

/// Cuts the folders that roots lie in off all texts, so that a root is called by its own name: `/home/me/build/rocm/lib/x` is
/// `rocm/lib/x`. A root keeps as many of its last components as tell it from the others.
pub(super) fn without_folders(blocks: &mut [Block], roots: &[&str]) {
    let mut folders: Vec<&str> = roots.iter().filter_map(|root| folder(root, roots)).collect();
    // The longer of two that begin alike comes first.
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    folders.dedup();
    if folders.is_empty() {
        return;
    }
    for block in blocks {
        block.each_text(&mut |text| {
            for folder in &folders {
                if text.contains(folder) {
                    *text = text.replace(folder, "");
                }
            }
        });
    }
}

/// What stands before the name by which a root is called, with its last slash.
fn folder<'a>(root: &'a str, roots: &[&str]) -> Option<&'a str> {
    let trimmed = root.trim_end_matches('/');
    let mut start = trimmed.len() - file_name(trimmed).len();
    let same = |start: usize| {
        let name = trimmed.get(start..).unwrap_or_default();
        roots.iter().filter(|other| other.trim_end_matches('/').ends_with(&format!("/{name}"))).count() > 1
    };
    while start > 1 && same(start) {
        let before = trimmed.get(..start - 1).unwrap_or_default();
        start = before.len() - file_name(before).len();
    }
    root.get(..start).filter(|folder| folder.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_called_by_their_names() {
        let roots = ["/home/me/old/rocm", "/home/me/new/rocm", "x.whl", "/opt/lib/"];
        let mut blocks = [
            Block::Title("/home/me/old/rocm".into(), "in /opt/lib/a.so and x.whl!/b".into()),
            Block::Heading("/home/me/new/rocm/lib".into()),
        ];
        without_folders(&mut blocks, &roots);
        let [Block::Title(left, right), Block::Heading(text)] = &blocks else { panic!() };
        assert_eq!([left, right, text], ["old/rocm", "in lib/a.so and x.whl!/b", "new/rocm/lib"]);
    }
}
