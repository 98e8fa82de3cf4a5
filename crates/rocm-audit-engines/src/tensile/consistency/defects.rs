//! The findings of a library folder while they are gathered.

use rocm_audit_files::finding::evidence::Evidence;
use rocm_audit_files::finding::location::Location;
use rocm_audit_files::finding::rule::Rule;
use rocm_audit_files::finding::{self, Finding};

/// Most places of one finding that are kept.
pub const PLACES: usize = 5;

/// Findings of one folder, those of a rule and target together.
#[derive(Debug, Default)]
pub(super) struct Defects {
    found: Vec<Finding>,
}

impl Defects {
    /// Adds `count` defects; `place` is one of them.
    pub fn add(&mut self, rule: &'static Rule, target: Option<&str>, count: u64, place: Option<Location>) {
        if count == 0 {
            return;
        }
        let known = self.found.iter().position(|f| f.rule == rule && f.target.as_deref() == target);
        let at = known.unwrap_or_else(|| {
            let target = target.map(str::to_owned);
            self.found.push(Finding { target, count: 0, ..Finding::new(rule) });
            self.found.len() - 1
        });
        if let Some(finding) = self.found.get_mut(at) {
            finding.count += count;
            if finding.locations.len() < PLACES {
                finding.locations.extend(place);
            }
        }
    }

    /// Whether there are already enough places of a rule.
    pub fn has_enough(&self, rule: &'static Rule, target: Option<&str>) -> bool {
        self.found
            .iter()
            .any(|f| f.rule == rule && f.target.as_deref() == target && f.locations.len() >= PLACES)
    }

    /// All of them in the order of reports. Effects were measured with rocBLAS and read in its source; what
    /// another library does with such a folder is `elsewhere`.
    pub fn finish(mut self, elsewhere: Option<Evidence>) -> Vec<Finding> {
        for finding in &mut self.found {
            finding.effect_known = elsewhere.unwrap_or(finding.effect_known);
        }
        finding::sort(&mut self.found);
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocm_audit_files::finding::rules::tensile::{CATALOG_MISSING, HISTORY, KERNEL_TWINS, MASTER_MISSING};

    #[test]
    fn the_worst_come_first_and_like_ones_together() {
        let mut defects = Defects::default();
        defects.add(&KERNEL_TWINS, Some("gfx90a"), 3, None);
        defects.add(&HISTORY, Some("gfx90a"), 18, None);
        defects.add(&CATALOG_MISSING, Some("gfx900"), 1, None);
        defects.add(&CATALOG_MISSING, Some("gfx900"), 1, None);
        defects.add(&MASTER_MISSING, None, 0, None);
        let found = defects.finish(None);
        let shown: Vec<_> = found.iter().map(|d| (d.rule.id, d.count)).collect();
        assert_eq!(shown, [("catalog-missing", 2), ("answer-depends-on-history", 18), ("kernel-twins", 3)]);
    }
}
