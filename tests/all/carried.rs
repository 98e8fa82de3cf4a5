//! The small verdict of `amdgpu-object` beside the program's whole one, over every fixture: where the small
//! one says that a card finds code, or that it finds none, the whole one must not say the opposite.

use crate::common::folders::files;
use crate::common::project;
use amdgpu_object::carried::{CardAnswer, CarriedCode, Serves};
use rayon::prelude::*;
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

/// What is wrong with the small verdict on a file, by the whole ones, and how often it is `yes` and `no`.
fn contradictions(path: &Path) -> (Vec<String>, [u64; 2]) {
    let bytes = std::fs::read(path).unwrap();
    let code = CarriedCode::read(&bytes, &mut |_, _| {});
    let every = PROCESSORS.iter().map(|processor| TargetId::bare(processor.name()));
    // What is not known contradicts nothing.
    let judged: Vec<(TargetId, CardAnswer)> = every
        .map(|card| (card.clone(), code.serves(&card)))
        .filter(|(_, small)| small.serves() != Serves::NotKnown)
        .collect();
    let (mut wrong, mut counts) = (Vec::new(), [0; 2]);
    if judged.is_empty() {
        return (wrong, counts);
    }
    let inventory = Trees::at([path]).inventory().unwrap();
    let cards = judged.iter().map(|(card, _)| Card::unnamed(card.clone()));
    let report = AuditQuestion::about(cards).by_tables(&inventory);
    let verdicts = serde_json::to_value(&report.verdicts).unwrap();
    assert_eq!(verdicts.as_array().map(Vec::len), Some(judged.len()), "{}", path.display());
    for ((card, small), verdict) in judged.iter().zip(verdicts.as_array().unwrap()) {
        assert_eq!(verdict["processor"], card.processor.as_str());
        let (answers, coverages) = whole_says(verdict);
        let fits = match small.serves() {
            // Code that only traps, and code that no catalog leads to, is there all the same.
            Serves::Yes => coverages.iter().any(|coverage| *coverage != "absent"),
            _ => !answers.contains("runs") && !answers.contains("limits"),
        };
        counts[usize::from(small.serves() == Serves::No)] += 1;
        if !fits {
            wrong.push(format!("{} {card}: {small:?}; {answers:?} {coverages:?}", path.display()));
        }
    }
    (wrong, counts)
}

#[test]
fn the_small_verdict_never_contradicts_the_whole_one() {
    let all = files(&project().join("fixtures"));
    let found: Vec<(Vec<String>, [u64; 2])> = all.par_iter().map(|path| contradictions(path)).collect();
    let wrong: Vec<&str> = found.iter().flat_map(|(wrong, _)| wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Both were seen, many times.
    let sum = |place: usize| found.iter().map(|(_, counts)| counts[place]).sum::<u64>();
    assert!(sum(0) > 200 && sum(1) > 5000, "{} {}", sum(0), sum(1));
}
