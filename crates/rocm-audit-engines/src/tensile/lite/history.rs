//! What earlier calls of a process do to later ones.
//!
//! hipBLASLt keeps what its tables gave for a problem. In 7.1.1 the key of that cache lacks the type of the
//! bias, the kind of activation and the number of algorithms, so that a call can get what another one asked
//! for. Source: `CachingLibrary` and `ContractionProblem_Detail.hpp` of tensilelite; the library of 7.1.1
//! does so.
#![deny(clippy::indexing_slicing)]

use super::call::MatmulCall;
use super::epilogue::{Activation, EPILOGUES};
use super::fill::{self, Fill};
use super::library::{Candidate, Choice, Library};
use super::problem::Problem;
use super::release::ChoiceRules;
use super::types::MATRIX_TYPES;
use crate::tensile::catalog::CatalogError;
use crate::tensile::data_type::DataType;
use crate::tensile::hardware::Hardware;
use crate::tensile::trace::SelectionTrace;

/// A process that has asked for some algorithms.
#[derive(Debug)]
pub struct Process<'l> {
    library: &'l Library,
    /// What the tables gave, by problem and multiprocessors. Nothing that was found is not kept.
    kept: Vec<(Key, Vec<Candidate<'l>>)>,
}

/// A key of the cache.
#[derive(Debug, Clone, PartialEq)]
struct Key(Problem, u32);

impl Key {
    fn for_problem(problem: &Problem, multiprocessors: u32) -> Key {
        let mut problem = problem.clone();
        problem.bias = problem.bias.map(|(_, source)| (DataType::Float, source));
        if problem.activation != Activation::None {
            problem.activation = Activation::All;
        }
        Key(problem, multiprocessors)
    }
}

impl<'l> Process<'l> {
    /// A process that has asked for nothing.
    pub fn new(library: &'l Library) -> Self {
        Process { library, kept: Vec::new() }
    }

    /// What the next call gets.
    ///
    /// # Errors
    /// As [`Library::choose`].
    pub fn choose(
        &mut self,
        call: &MatmulCall,
        walk: Option<&mut SelectionTrace>,
    ) -> Result<Choice<'l>, CatalogError> {
        let problem = Problem::from_call(call, self.library.rules());
        let key = Key::for_problem(&problem, call.multiprocessors);
        let kept = self.kept.iter().find(|(known, _)| *known == key);
        let Some((_, kept)) = kept.filter(|_| problem.invalid.is_none()) else {
            let choice = self.library.choose(call, walk)?;
            if !choice.fixed.is_empty() {
                self.kept.push((key, choice.fixed.clone()));
            }
            return Ok(choice);
        };
        let fixed: Vec<Candidate<'l>> = kept.iter().take(call.requested).copied().collect();
        let mut choice = Choice {
            fixed,
            fill: Vec::new(),
            requested: call.requested,
            xf32_fell_back: false,
            undecided: None,
            compiled: false,
            problem,
        };
        if choice.fixed.len() < call.requested {
            let hardware = Hardware::lite(&self.library.device().processor, call.multiprocessors);
            let Fill { candidates, undecided } =
                fill::candidates(self.library.catalogs(), &choice.problem, &hardware, &choice.fixed, walk)?;
            (choice.fill, choice.undecided) = (candidates, undecided);
        }
        Ok(choice)
    }
}

/// An earlier call that would change an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poison {
    /// What that call differs in.
    pub differs: String,
    /// The first algorithm that this call then gets.
    pub solution: u32,
    /// Whether that solution refuses this call when it is asked alone: it computes something else.
    pub wrong: bool,
}

/// The earlier calls with the same key that would change what a call gets first, one for each algorithm.
pub fn poisons(library: &Library, call: &MatmulCall, alone: &Choice<'_>) -> Vec<Poison> {
    if call.epilogue.bias.is_none() && call.epilogue.activation == Activation::None {
        return Vec::new();
    }
    let first = alone.first().map(|found| found.solution.index);
    let mut found: Vec<Poison> = Vec::new();
    for (differs, earlier) in others(call, library.rules()) {
        let Ok(choice) = library.choose(&earlier, None) else { continue };
        let Some(other) = choice.fixed.first().map(|found| found.solution.index) else { continue };
        if Some(other) != first && !found.iter().any(|poison| poison.solution == other) {
            let wrong = !alone.list().any(|found| found.solution.index == other)
                && !alone.fill.iter().any(|found| found.solution.index == other);
            found.push(Poison { differs, solution: other, wrong });
        }
    }
    found
}

/// Calls with the same key: of another type of bias, of another activation.
fn others(call: &MatmulCall, rules: ChoiceRules) -> Vec<(String, MatmulCall)> {
    let mut all = Vec::new();
    let key = Key::for_problem(&Problem::from_call(call, rules), call.multiprocessors);
    if call.epilogue.bias.is_some() {
        for ty in MATRIX_TYPES.iter().filter(|ty| Some(**ty) != call.bias_type) {
            let other = MatmulCall { bias_type: Some(*ty), ..call.clone() };
            all.push((format!("a bias of {ty}"), other));
        }
    }
    for epilogue in EPILOGUES.iter().filter(|epilogue| **epilogue != call.epilogue) {
        let other = MatmulCall { epilogue: *epilogue, ..call.clone() };
        all.push((format!("the epilogue {}", epilogue.name), other));
    }
    all.retain(|(_, other)| {
        Key::for_problem(&Problem::from_call(other, rules), other.multiprocessors) == key
    });
    all
}
