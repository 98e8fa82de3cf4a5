//! The account of one selection: what was asked, what failed, what was nearly chosen. Kept only where it is
//! asked for.

use rocm_audit_files::limits::TENSILE_WALK_STEPS;

/// Everything a selection did, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectionTrace {
    steps: Vec<SelectionStep>,
    dropped: u64,
}

/// One step of a selection.
#[derive(Debug, Clone, PartialEq)]
pub enum SelectionStep {
    /// A row of a Hardware or Problem node was looked at.
    Row {
        /// `Hardware` or `Problem`.
        node: &'static str,
        /// Its number from zero.
        row: usize,
        /// Rows of the node.
        rows: usize,
        /// The row's predicate.
        predicate: String,
        /// The part of it that failed first; none where it holds.
        failed: Option<String>,
    },
    /// The operation was looked up.
    Operation {
        /// Its name.
        name: String,
        /// Whether the catalog has a node for it.
        found: bool,
    },
    /// Another catalog was opened.
    Catalog {
        /// Its name without the extension.
        name: String,
    },
    /// A table was looked up in.
    Table {
        /// How it compares.
        metric: &'static str,
        /// Its rows.
        rows: usize,
        /// Rows whose solution was asked whether it can solve the problem.
        tried: usize,
        /// What was chosen.
        chosen: Option<TunedRow>,
        /// The next best row of another solution that could solve it.
        runner_up: Option<TunedRow>,
    },
    /// Decision trees were asked.
    Trees {
        /// Solutions that were asked whether they can solve the problem.
        tried: usize,
        /// The index of the chosen solution.
        chosen: Option<u32>,
    },
    /// A model ranked solutions.
    Ranked {
        /// All of them.
        solutions: usize,
        /// Those that the model takes and that can solve the problem.
        able: usize,
        /// The index of the first.
        chosen: Option<u32>,
    },
    /// A list of solutions without a rank was skipped.
    FreeSize {
        /// How many there are.
        solutions: usize,
    },
    /// Something that this tool does not know was met, and the search ends without what follows.
    Unknown {
        /// What, and where.
        what: String,
    },
    /// All solutions of an operation and its types were asked, whatever the rows of catalogs say.
    Fill {
        /// Catalogs that were asked.
        catalogs: usize,
        /// Their solutions.
        tried: usize,
        /// Those that can solve the problem.
        candidates: usize,
    },
    /// A solution was asked whether it can solve the problem.
    Candidate {
        /// Its index.
        solution: u32,
        /// Its distance from the problem; `None` outside of tables.
        distance: Option<f64>,
        /// The predicate that failed first; none where it can.
        failed: Option<String>,
    },
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TunedRow {
    /// The index of its solution.
    pub solution: u32,
    /// Its distance from the problem.
    pub distance: f64,
    /// The sizes it was tuned for.
    pub size: String,
}

impl SelectionTrace {
    /// The steps that were kept.
    pub fn steps(&self) -> &[SelectionStep] {
        &self.steps
    }

    /// How many candidates were not kept.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn push(&mut self, step: SelectionStep) {
        if self.steps.len() < TENSILE_WALK_STEPS || !matches!(step, SelectionStep::Candidate { .. }) {
            self.steps.push(step);
        } else {
            self.dropped += 1;
        }
    }
}
