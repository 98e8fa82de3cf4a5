//! How a find of MIOpen works: its mode, and the variables that affect it.
//!
//! Sources, MIOpen 3.3.0: `src/find_controls.cpp` (values), `src/include/miopen/find_controls.hpp:59-155`
//! (what is enforced), `src/ocl/convolutionocl.cpp:142-188` (`FindConvolution`), `:580-667` (the fallback of
//! immediate mode), `src/include/miopen/find_solution.hpp:285-300` (the searched solvers).

use super::context::Context;
use super::rules::SolverRules;
use super::tuning;
use crate::miopen::folder::FOLDER_VARIABLE;
use std::fmt;

/// The variable for the mode.
const FIND_MODE: &str = "MIOPEN_FIND_MODE";
/// The variable that makes a find search or write again.
const FIND_ENFORCE: &str = "MIOPEN_FIND_ENFORCE";
/// The variable that restricts a find to some solvers.
const FIND_ONLY_SOLVER: &str = "MIOPEN_DEBUG_FIND_ONLY_SOLVER";
/// The variable that lets immediate mode answer a miss.
const IMMEDIATE_FALLBACK: &str = "MIOPEN_DEBUG_CONV_IMMED_FALLBACK";
/// The variable that makes a hybrid find use the answer of immediate mode.
const FORCE_IMMEDIATE: &str = "MIOPEN_DEBUG_FORCE_IMMED_MODE_FALLBACK";
/// The variable that enables models.
const MODEL: &str = "MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK";
/// The variable that makes MIOpen ignore its find-dbs.
pub(super) const NO_FIND_DB: &str = "MIOPEN_DEBUG_DISABLE_FIND_DB";
/// All of them.
pub(super) const VARIABLES: [&str; 9] = [
    FIND_MODE,
    FIND_ENFORCE,
    FIND_ONLY_SOLVER,
    IMMEDIATE_FALLBACK,
    FORCE_IMMEDIATE,
    MODEL,
    NO_FIND_DB,
    FOLDER_VARIABLE,
    tuning::SWITCH,
];

/// A mode of a find.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindMode {
    /// Measures, whatever the installed find-db records.
    Normal,
    /// Uses the record, else the answer of immediate mode.
    Fast,
    /// Uses the record, else measures every applicable solver.
    Hybrid,
    /// Uses the record, else measures solvers that need no compilation for each problem. The default.
    #[default]
    DynamicHybrid,
}

impl FindMode {
    /// MIOpen's name for it.
    pub fn name(self) -> &'static str {
        match self {
            FindMode::Normal => "NORMAL",
            FindMode::Fast => "FAST",
            FindMode::Hybrid => "HYBRID",
            FindMode::DynamicHybrid => "DYNAMIC_HYBRID",
        }
    }
}

/// How a find works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Find {
    /// Mode of the find.
    pub mode: FindMode,
    /// Whether the mode is NORMAL because of a value in `MIOPEN_FIND_ENFORCE`.
    pub enforced: bool,
    /// Numbers of the only solvers that are searched; `None` for all.
    pub only: Option<Vec<u16>>,
    /// Whether a miss is answered like in immediate mode, without a measurement.
    pub immediate: bool,
    /// Whether immediate mode can answer a miss.
    pub fallback: bool,
    /// Whether a model (TunaNet) is asked before the estimates, in a build that has it.
    pub model: bool,
}

impl Default for Find {
    fn default() -> Self {
        Find {
            mode: FindMode::DynamicHybrid,
            enforced: false,
            only: None,
            immediate: false,
            fallback: true,
            model: true,
        }
    }
}

/// A variable with a value at which MIOpen stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue {
    /// The variable.
    pub variable: &'static str,
    /// Its value.
    pub value: String,
    /// The values that MIOpen accepts.
    pub expected: &'static str,
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadValue { variable, value, expected } = self;
        write!(f, "{variable}={value}: MIOpen stops at this value; expected {expected}")
    }
}

impl std::error::Error for BadValue {}

impl Find {
    /// The find in a context.
    ///
    /// # Errors
    ///
    /// If a variable has a value at which MIOpen stops.
    pub fn in_context(context: &Context, rules: &SolverRules) -> Result<Find, BadValue> {
        let set = |name: &str| context.environment.get(name).filter(|value| !value.is_empty());
        let enforced = set(FIND_ENFORCE).map(|value| enforces(value)).transpose()?.unwrap_or(false);
        let asked = set(FIND_MODE).map(|value| mode(value)).transpose()?.unwrap_or_default();
        let mode = if enforced { FindMode::Normal } else { asked };
        let only = set(FIND_ONLY_SOLVER).map(|value| only(value, rules)).transpose()?;
        let fallback = !context.is_disabled(IMMEDIATE_FALLBACK);
        let hybrid = matches!(mode, FindMode::Hybrid | FindMode::DynamicHybrid);
        let immediate = mode == FindMode::Fast || hybrid && context.is_enabled(FORCE_IMMEDIATE);
        Ok(Find {
            mode,
            enforced,
            only,
            immediate: immediate && fallback,
            fallback,
            model: fallback && !context.is_disabled(MODEL),
        })
    }

    /// Whether it uses the installed find-db's record. A normal find uses only the user's.
    pub fn reads_installed(&self) -> bool {
        self.mode != FindMode::Normal
    }

    /// Whether a find searches a solver.
    pub(super) fn searches(&self, id: u16) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(&id))
    }
}

/// The number at the beginning of a value, as parsed by `stoul`.
fn number(value: &str) -> Option<u64> {
    let value = value.trim_start();
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    value.get(..end)?.parse().ok()
}

/// Values that are neither a name nor a number throw; numbers out of range are ignored.
fn mode(value: &str) -> Result<FindMode, BadValue> {
    let expected = "NORMAL, FAST, HYBRID, DYNAMIC_HYBRID, or 1, 2, 3, 5";
    let bad = || BadValue { variable: FIND_MODE, value: value.to_owned(), expected };
    let all = [FindMode::Normal, FindMode::Fast, FindMode::Hybrid, FindMode::DynamicHybrid];
    if let Some(mode) = all.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(value)) {
        return Ok(mode);
    }
    Ok(match number(value).ok_or_else(bad)? {
        // 4 was a mode that no longer exists; it is neither fast nor hybrid.
        1 | 4 => FindMode::Normal,
        2 => FindMode::Fast,
        3 => FindMode::Hybrid,
        _ => FindMode::DynamicHybrid,
    })
}

fn enforces(value: &str) -> Result<bool, BadValue> {
    let expected = "NONE, DB_UPDATE, SEARCH, SEARCH_DB_UPDATE, DB_CLEAN, or 1 to 5";
    let bad = || BadValue { variable: FIND_ENFORCE, value: value.to_owned(), expected };
    if value.eq_ignore_ascii_case("NONE") {
        return Ok(false);
    }
    if ["DB_UPDATE", "SEARCH", "SEARCH_DB_UPDATE", "DB_CLEAN"].iter().any(|n| n.eq_ignore_ascii_case(value)) {
        return Ok(true);
    }
    Ok((2..=5).contains(&number(value).ok_or_else(bad)?))
}

/// Numbers of the solvers in a semicolon-separated list of names or numbers.
fn only(value: &str, rules: &SolverRules) -> Result<Vec<u16>, BadValue> {
    let expected = "names or numbers of MIOpen's registry, separated by semicolons";
    let bad = |part: &str| BadValue { variable: FIND_ONLY_SOLVER, value: part.to_owned(), expected };
    let solvers = || rules.solvers().iter().map(|solver| (solver.id, solver.name));
    let others = || rules.others().iter().map(|other| (other.id, other.name));
    let known = || solvers().chain(others());
    let id = |part: &str| {
        let numeric = number(part).filter(|number| *number > 0);
        let found = match numeric {
            Some(number) => known().find(|(id, _)| u64::from(*id) == number),
            None => known().find(|(_, name)| *name == part),
        };
        found.map(|(id, _)| id).ok_or_else(|| bad(part))
    };
    value.split(';').filter(|part| !part.is_empty()).map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(variables: &[(&str, &str)]) -> Result<Find, String> {
        let mut context = Context::new("gfx900", 64);
        context.environment =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Find::in_context(&context, SolverRules::miopen().expect("rules")).map_err(|bad| bad.to_string())
    }

    /// Values as read by `GetFindModeValueImpl2` and `GetFindEnforceActionImpl`.
    #[test]
    fn values_are_read_as_miopen_reads_them() {
        let mode = |value| find(&[(FIND_MODE, value)]).map(|find| find.mode);
        for (value, expected) in [
            ("", FindMode::DynamicHybrid),
            ("1", FindMode::Normal),
            ("normal", FindMode::Normal),
            ("Fast", FindMode::Fast),
            ("3", FindMode::Hybrid),
            ("4", FindMode::Normal),
            ("5", FindMode::DynamicHybrid),
            ("9", FindMode::DynamicHybrid),
        ] {
            assert_eq!(mode(value), Ok(expected), "{value}");
        }
        assert!(mode("quick").unwrap_err().contains("DYNAMIC_HYBRID"));
        let both =
            |enforce| find(&[(FIND_MODE, "FAST"), (FIND_ENFORCE, enforce)]).map(|f| (f.mode, f.enforced));
        assert_eq!(both("1"), Ok((FindMode::Fast, false)));
        assert_eq!(both("none"), Ok((FindMode::Fast, false)));
        for enforce in ["2", "3", "4", "5", "search", "DB_CLEAN"] {
            assert_eq!(both(enforce), Ok((FindMode::Normal, true)), "{enforce}");
        }
        assert_eq!(both("7"), Ok((FindMode::Fast, false)));
        assert!(both("all").is_err());
    }

    #[test]
    fn solvers_are_named_by_name_or_number() {
        let only = |value| find(&[(FIND_ONLY_SOLVER, value)]).map(|find| find.only);
        assert_eq!(only("89;GemmFwdRest"), Ok(Some(vec![89, 91])));
        assert_eq!(only("Adam"), Ok(Some(vec![165])));
        assert!(only("NoSuchSolver").is_err() && only("999").is_err());
        assert_eq!(only(""), Ok(None));
    }

    #[test]
    fn the_immediate_mode_answers_where_it_may() {
        let at = |variables: &[(&str, &str)]| find(variables).map(|f| (f.immediate, f.model));
        assert_eq!(at(&[]), Ok((false, true)));
        assert_eq!(at(&[(FIND_MODE, "FAST")]), Ok((true, true)));
        assert_eq!(at(&[(FIND_MODE, "FAST"), (IMMEDIATE_FALLBACK, "0")]), Ok((false, false)));
        assert_eq!(at(&[(FORCE_IMMEDIATE, "1"), (MODEL, "0")]), Ok((true, false)));
        assert_eq!(at(&[(FORCE_IMMEDIATE, "1"), (FIND_MODE, "NORMAL")]), Ok((false, true)));
    }
}
