//! Reports for other readers than the user who ran the command: the folders of the machine do not concern
//! them and may be private.

use super::block::Block;
use super::documents::Judged;
use crate::locator::file_name;
use rocm_audit_files::sorted_rows::SortedRows as _;

/// The folders of a document's paths, longest first. Without them a root is called by its own name:
/// `/home/me/build/rocm/lib/x` becomes `rocm/lib/x`. A root keeps as many of its last components as are
/// needed to tell it from the others.
pub(super) fn folders(document: &Judged<'_>) -> Vec<String> {
    let named = document.about.iter().chain(&document.named);
    let roots: Vec<String> = named.map(|path| (*path).to_owned()).collect();
    let mut folders: Vec<String> =
        roots.iter().filter_map(|root| folder(root, &roots)).map(str::to_owned).collect();
    // If two begin alike, the longer one comes first.
    folders.sort_rows_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    folders.dedup();
    folders
}

/// Removes the folders from all texts.
pub(super) fn without(folders: &[String], blocks: &mut [Block]) {
    if folders.is_empty() {
        return;
    }
    for block in blocks {
        block.each_text(&mut |text| {
            for folder in folders {
                if text.contains(folder) {
                    *text = text.replace(folder, "");
                }
            }
        });
    }
}

/// The part before a root's short name, including the last slash.
fn folder<'a>(root: &'a str, roots: &[String]) -> Option<&'a str> {
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
        let document = Judged {
            about: vec![
                "/home/me/old/rocm",
                "x.whl",
                "/opt/lib/",
                "/home/me/new/rocm",
                "/home/me/logs/calls.log",
            ],
            named: vec!["/home/me/ggml/libggml-hip.so"],
            ..Judged::new(true, &[])
        };
        let folders = folders(&document);
        let mut blocks = [
            Block::Title("/home/me/old/rocm".into(), "in /opt/lib/a.so and x.whl!/b".into()),
            Block::Heading("/home/me/new/rocm/lib".into()),
            Block::Heading("/home/me/ggml/libggml-hip.so on /home/me/logs/calls.log".into()),
        ];
        without(&folders, &mut blocks);
        let [Block::Title(left, right), Block::Heading(text), Block::Heading(files)] = &blocks else {
            panic!()
        };
        assert_eq!([left, right, text], ["old/rocm", "in lib/a.so and x.whl!/b", "new/rocm/lib"]);
        assert_eq!(files, "libggml-hip.so on calls.log");
    }
}
