//! Counts agreement by device and kind, with examples of disagreements.

use std::collections::{BTreeMap, BTreeSet};

/// Examples kept for each kind.
const EXAMPLES: usize = 4;

/// Number of equal answers, and of all.
type Share = (usize, usize);

/// Number of disagreements, shown and held back, with the devices and the shown examples.
type Wrong = ([usize; 2], BTreeMap<String, usize>, Vec<String>);

/// Results of the comparison.
#[derive(Default)]
pub struct DeviceTally {
    device: String,
    held: bool,
    /// By device and kind; index 1 is held back.
    shares: BTreeMap<(String, String), [Share; 2]>,
    /// Number of solvers named correctly, named wrongly, and missed, by device; index 1 is held back.
    solvers: BTreeMap<String, [[usize; 3]; 2]>,
    /// By kind and subject: number of disagreements, held back or not, and examples with their device.
    wrong: BTreeMap<(String, String), Wrong>,
    /// By kind: answers of the library that are not written down here.
    unknown: BTreeMap<String, usize>,
}

impl DeviceTally {
    /// A tally for one question on a device.
    pub fn for_device(device: &str, held: bool) -> DeviceTally {
        DeviceTally { device: device.to_owned(), held, ..DeviceTally::default() }
    }

    /// Counts one comparison; `example` describes a disagreement.
    pub fn add(&mut self, kind: &str, equal: bool, example: impl FnOnce() -> String) {
        let share = self.shares.entry((self.device.clone(), kind.to_owned())).or_default();
        let share = &mut share[usize::from(self.held)];
        share.0 += usize::from(equal);
        share.1 += 1;
        if !equal {
            self.example(kind, "", example());
        }
    }

    /// Counts an answer that is not written down here.
    pub fn unknown(&mut self, kind: &str) {
        *self.unknown.entry(kind.to_owned()).or_default() += 1;
    }

    /// Compares two sets of solvers that should be equal.
    pub fn solvers(
        &mut self,
        kind: &str,
        ours: &BTreeSet<&str>,
        theirs: &BTreeSet<&str>,
        key: &str,
        environment: &BTreeMap<String, String>,
    ) {
        let share = self.shares.entry((self.device.clone(), kind.to_owned())).or_default();
        let share = &mut share[usize::from(self.held)];
        share.0 += usize::from(ours == theirs);
        share.1 += 1;
        if kind == "candidates" {
            let of = &mut self.solvers.entry(self.device.clone()).or_default()[usize::from(self.held)];
            of[0] += ours.intersection(theirs).count();
            of[1] += ours.difference(theirs).count();
            of[2] += theirs.difference(ours).count();
        }
        let told = || if environment.is_empty() { key.to_owned() } else { format!("{key} {environment:?}") };
        for solver in ours.difference(theirs) {
            self.example(kind, &format!("too many: {solver}"), told());
        }
        for solver in theirs.difference(ours) {
            self.example(kind, &format!("missed: {solver}"), told());
        }
    }

    fn example(&mut self, kind: &str, what: &str, example: String) {
        let of = self.wrong.entry((kind.to_owned(), what.to_owned())).or_default();
        of.0[usize::from(self.held)] += 1;
        if !self.held {
            *of.1.entry(self.device.clone()).or_default() += 1;
            of.2.push(format!("{} {example}", self.device));
        }
    }

    pub fn plus(mut self, other: DeviceTally) -> DeviceTally {
        for (key, shares) in other.shares {
            let of = self.shares.entry(key).or_default();
            for (own, share) in of.iter_mut().zip(shares) {
                own.0 += share.0;
                own.1 += share.1;
            }
        }
        for (device, counts) in other.solvers {
            let of = self.solvers.entry(device).or_default();
            for (own, counts) in of.iter_mut().flatten().zip(counts.into_iter().flatten()) {
                *own += counts;
            }
        }
        for (kind, count) in other.unknown {
            *self.unknown.entry(kind).or_default() += count;
        }
        for (key, (counts, devices, examples)) in other.wrong {
            let of = self.wrong.entry(key).or_default();
            of.0[0] += counts[0];
            of.0[1] += counts[1];
            for (device, count) in devices {
                *of.1.entry(device).or_default() += count;
            }
            of.2.extend(examples.into_iter().take(EXAMPLES.saturating_sub(of.2.len())));
        }
        self
    }

    /// Prints the tables; with `held`, also the kinds of disagreements among held-back questions.
    pub fn print(&self, held: bool) {
        let mut kinds: BTreeMap<&str, [Share; 2]> = BTreeMap::new();
        for ((_, kind), shares) in &self.shares {
            let of = kinds.entry(kind).or_default();
            for (own, share) in of.iter_mut().zip(shares) {
                own.0 += share.0;
                own.1 += share.1;
            }
        }
        println!("{:<60} {:>26} {:>26}", "kind", "seen", "held back");
        for (kind, shares) in &kinds {
            println!("{kind:<60} {:>26} {:>26}", share(shares[0]), share(shares[1]));
        }
        for (kind, count) in &self.unknown {
            println!("{kind:<60} {count:>26} not written down");
        }
        println!("\n{:<16} {:<42} {:>26} {:>26}", "device", "kind", "seen", "held back");
        for ((device, kind), shares) in &self.shares {
            let whole = shares.iter().all(|(equal, of)| equal == of);
            if kind == "candidates" || !whole {
                println!("{device:<16} {kind:<42} {:>26} {:>26}", share(shares[0]), share(shares[1]));
            }
        }
        println!("\nsolvers named: right, too many, missed; seen and held back");
        for (device, [seen, back]) in &self.solvers {
            println!("{device:<16} {seen:?} {back:?}");
        }
        let total = self.solvers.values().fold([0usize; 3], |mut all, parts| {
            for part in parts {
                all.iter_mut().zip(part).for_each(|(own, count)| *own += count);
            }
            all
        });
        let [right, more, missed] = total.map(|count| count as f64);
        let (precision, recall) = (right / (right + more).max(1.0), right / (right + missed).max(1.0));
        println!("all: {total:?}, precision {precision:.5}, recall {recall:.5}\n");
        for ((kind, what), (counts, devices, examples)) in &self.wrong {
            println!("DIFFERS {:>5} (+{} held back) {kind}: {what} {devices:?}", counts[0], counts[1]);
            for example in examples.iter().take(EXAMPLES) {
                let cut = example.char_indices().nth(420).map_or(example.len(), |(at, _)| at);
                println!("    {}", example.get(..cut).unwrap_or(example));
            }
        }
        let back: usize = self.wrong.values().map(|(counts, ..)| counts[1]).sum();
        if held {
            println!("{back} disagreements among those held back");
        }
    }
}

fn share((equal, of): Share) -> String {
    if of == 0 {
        return String::from("-");
    }
    format!("{equal} / {of} = {:.2} %", 100.0 * equal as f64 / of as f64)
}
