//! The small verdict of `amdgpu-object` beside the program's whole one, over every fixture: where the small one says
//! that a card finds code, or that it finds none, the whole one must not say the opposite.

use crate::common::folders::files;
use crate::common::project;
use amdgpu_object::carried::{CarriedCode, Serves};
use rocm_audit::{AuditQuestion, Card, PROCESSORS, TargetId, Trees};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Answers and coverages by which code for the card is there, as documents have them.
fn whole_says(verdict: &Value) -> (BTreeSet<&str>, BTreeSet<&str>) {
    let libraries = || verdict["libraries"].as_array().into_iter().flatten();
    let words = |key: &'static str| libraries().filter_map(|library| library[key].as_str()).collect();
    (words("answer"), words("coverage"))
}

/// What is wrong with the small verdict on a file, by the whole ones.
fn contradictions(path: &Path, counts: &mut [u64; 3]) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let code = CarriedCode::read(&bytes, &mut |_, _| {});
    let every = PROCESSORS.iter().map(|processor| Card::unnamed(TargetId::bare(processor.name())));
    let trees = Trees::at([path]);
    let Ok(inventory) = trees.inventory() else { return Vec::new() };
    let report = AuditQuestion::about(every).by_tables(&inventory);
    let verdicts = serde_json::to_value(&report.verdicts).unwrap();
    let mut wrong = Vec::new();
    for verdict in verdicts.as_array().unwrap() {
        let processor = verdict["processor"].as_str().unwrap();
        let small = code.serves(&TargetId::bare(processor));
        counts[small.serves() as usize] += 1;
        let (answers, coverages) = whole_says(verdict);
        let fits = match small.serves() {
            Serves::NotKnown => true,
            // Code that only traps, and code that no catalog leads to, is there all the same.
            Serves::Yes => coverages.iter().any(|coverage| *coverage != "absent"),
            Serves::No => !answers.contains("runs") && !answers.contains("limits"),
        };
        if !fits {
            let reason = small.reason();
            let shown = path.display();
            wrong.push(format!(
                "{shown} {processor}: {:?}, {reason}; {answers:?} {coverages:?}",
                small.serves()
            ));
        }
    }
    wrong
}

#[test]
fn the_small_verdict_never_contradicts_the_whole_one() {
    let mut counts = [0; 3];
    let all = files(&project().join("fixtures"));
    let wrong: Vec<String> = all.iter().flat_map(|path| contradictions(path, &mut counts)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Both sides of it were seen, many times.
    let [_, yes, no] = counts;
    assert!(yes > 200 && no > 5000, "{counts:?}");
}
