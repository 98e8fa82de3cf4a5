//! `cargo oracle questions FILE`: asks about the messages of real problems and counts the correct answers.
//!
//! FILE has one problem for each line, in JSON: `rules` that are its cause, `answerable` (a or b if the bytes
//! show something), and `errors[]` with `kind`, `text` and, for messages of programs, `expect` with `class`
//! and `target`. With `--trees PACKAGES` it builds damaged trees of real packages instead and asks about each
//! problem on its tree.

use anyhow::{Context as _, Result, bail};
use rocm_audit::messages::recognise::recognise;
use rocm_audit::messages::recognised::Recognised;
use rocm_audit::messages::table::MessageSubject;
use serde_json::Value;
use std::collections::BTreeMap;

/// Classes of messages that give no reason to examine files.
const NEGATIVE: [MessageSubject; 3] =
    [MessageSubject::NotRocm, MessageSubject::Ambiguous, MessageSubject::Unknown];

/// A count out of a total.
#[derive(Default)]
struct CountOfTotal {
    right: u64,
    all: u64,
    wrong: Vec<String>,
}

impl CountOfTotal {
    fn count(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.all += 1;
        self.right += u64::from(right);
        if !right {
            self.wrong.push(what());
        }
    }
}

/// Asks about all problems.
///
/// # Errors
///
/// If the file cannot be read or has another form.
pub fn run(arguments: &[String]) -> Result<()> {
    let (file, trees) = match arguments {
        [file] => (file, None),
        [file, flag, folders @ ..] if flag == "--trees" && !folders.is_empty() => (file, Some(folders)),
        _ => bail!("questions FILE [--trees PACKAGES [FOLDER]...]"),
    };
    let text = std::fs::read_to_string(file).with_context(|| file.clone())?;
    if let Some(folders) = trees {
        let problems: Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        return crate::question_trees::run(&problems?, folders);
    }
    let mut shares: BTreeMap<&str, CountOfTotal> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let problem: Value = serde_json::from_str(line)?;
        ask(&problem, &mut shares);
    }
    for (what, share) in &shares {
        let percent = share.right as f64 * 100.0 / share.all.max(1) as f64;
        println!("{percent:5.1} %  {:4} of {:4}  {what}", share.right, share.all);
    }
    for (what, share) in &shares {
        share.wrong.iter().for_each(|wrong| println!("\n{what}\n  {wrong}"));
    }
    Ok(())
}

fn ask(problem: &Value, shares: &mut BTreeMap<&'static str, CountOfTotal>) {
    let word =
        |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = |key: &str| -> Vec<String> {
        let values = problem.get(key).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let (id, rules) = (word(problem, "id"), list("rules"));
    let answerable = ["a", "b"].contains(&word(problem, "answerable").as_str());
    let messages: Vec<&Value> = problem
        .get("errors")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter(|error| word(error, "kind") == "message")
        .collect();
    let mut right_problem = false;
    let mut positive = false;
    let mut said = Vec::new();
    for error in &messages {
        let text = word(error, "text");
        let expect = error.get("expect").cloned().unwrap_or_default();
        let found = recognise(text.as_bytes());
        let (class, first) = (found.class(), first_rule(&found));
        let expected = word(&expect, "class");
        let negative = NEGATIVE.iter().any(|class| class.name() == expected);
        let same = class.name() == expected;
        let show =
            || format!("{id}: {} ({}) for {expected}: {text:?}", class.name(), first.unwrap_or("no rule"));
        shares.entry("class").or_default().count(same, show);
        if negative {
            let claims = !NEGATIVE.contains(&class) && class != MessageSubject::Harmless;
            shares.entry("negative without a claim").or_default().count(!claims, show);
        } else {
            positive = true;
            let target = expect.get("target").and_then(Value::as_str);
            let named = found.target().map(|target| target.processor);
            let what = || format!("{id}: {named:?} for {target:?}: {text:?}");
            if target.is_some() {
                shares.entry("target").or_default().count(named.as_deref() == target, what);
            }
            let true_rule = first.is_some_and(|first| rules.iter().any(|rule| rule == first));
            let among =
                found.first().is_some_and(|hit| hit.causes.iter().any(|c| rules.iter().any(|r| r == c)));
            if answerable {
                shares.entry("message: true rule first").or_default().count(true_rule, show);
                shares.entry("message: true rule among the causes").or_default().count(among, show);
            }
            right_problem |= same || true_rule;
            said.push(show());
        }
    }
    if answerable && positive {
        // Users usually paste all of the messages.
        let all: Vec<String> = messages.iter().map(|error| word(error, "text")).collect();
        let found = recognise(all.join("\n").as_bytes());
        let first = first_rule(&found);
        let right = first.is_some_and(|first| rules.iter().any(|rule| rule == first));
        let show = || format!("{id}: {} for {}: {all:?}", first.unwrap_or("no rule"), rules.join(" "));
        shares.entry("problem, its messages as one text: true rule first").or_default().count(right, show);
        shares
            .entry("answerable problem: class or rule")
            .or_default()
            .count(right_problem, || said.join("\n  "));
    }
}

fn first_rule(found: &Recognised) -> Option<&'static str> {
    found.first()?.causes.first().copied()
}
