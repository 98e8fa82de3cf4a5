//! Compiles rule files to solvers; errors name the file and the clause.

use super::clause::{self, Algorithm, Clause, Counts, Fidelity, Solver, Source, Test, Workspace};
use super::context::{BuildPart, Version};
use super::expression::Expression;
use super::load_error::LoadError;
use super::pattern::{Pattern, Patterns};
use super::predicates;
use super::written::{
    BlockFile, ClauseFile, ClausePlace, Condition, Effect, Instance, RuleFile, Scope, SourceFile, Switch,
    WorkspaceFile,
};
use crate::miopen::problem::Direction;
use crate::rule_file::Named;
use amdgpu_isa::processor;
use std::borrow::Cow;
use std::cell::RefCell;

type Loaded<T> = Result<T, LoadError>;

/// The solvers of one rule file.
pub(super) fn solvers(
    file: &'static str,
    rule: &'static RuleFile,
    blocks: &'static Named<BlockFile>,
    patterns: &RefCell<Patterns>,
) -> Loaded<Vec<Solver>> {
    let wrong = |what: String| LoadError { file: file.to_owned(), clause: None, what };
    let alone;
    let instances = match (rule.id, rule.name, &*rule.instances) {
        (Some(id), Some(name), []) => {
            alone = [Instance { id, name, parameters: Named::default() }];
            &alone
        }
        (None, None, instances @ [_, ..]) => instances,
        _ => return Err(wrong("needs either an id and a name, or instances".into())),
    };
    if rule.evidence != "code" {
        return Err(wrong(format!("evidence `{}` is not known: rules are read from code", rule.evidence)));
    }
    let reader = |instance| Reader { file, rule, blocks, patterns, instance }.solver();
    instances.iter().map(reader).collect()
}

struct Reader<'a> {
    file: &'static str,
    rule: &'static RuleFile,
    blocks: &'static Named<BlockFile>,
    patterns: &'a RefCell<Patterns>,
    instance: &'a Instance,
}

impl Reader<'_> {
    fn wrong(&self, clause: Option<&str>, what: impl Into<String>) -> LoadError {
        LoadError { file: self.file.to_owned(), clause: clause.map(str::to_owned), what: what.into() }
    }

    fn version(&self, text: &str) -> Loaded<Version> {
        Version::parse(text).ok_or_else(|| self.wrong(None, format!("`{text}` is no version")))
    }

    fn solver(&self) -> Loaded<Solver> {
        let rule = self.rule;
        let source = Source {
            name: clause::class(self.instance.name).into(),
            ..self.source(None, rule.source.as_ref(), "")?
        };
        let algorithm = Algorithm::of_name(rule.algorithm)
            .ok_or_else(|| self.wrong(None, format!("`{}` is no algorithm", rule.algorithm)))?;
        let directions = rule.directions.iter().map(|name| match name.as_bytes() {
            [letter] => Direction::of_letter(*letter),
            _ => None,
        });
        let directions: Vec<Direction> =
            directions.collect::<Option<_>>().ok_or_else(|| self.wrong(None, "directions are F, B, W"))?;
        let fidelity = match (rule.fidelity, rule.left_out) {
            ("exact", None) => Fidelity::Exact,
            ("superset", Some(left_out)) => Fidelity::Superset(left_out),
            _ => return Err(self.wrong(None, "fidelity is exact, or superset with what is left_out")),
        };
        let retired_after = rule.versions.retired_after.map(|v| self.version(v)).transpose()?;
        let mut clauses = self.implied(algorithm, &directions, retired_after, &source)?;
        for clause in rule.clauses {
            match clause.condition {
                Condition::Block(name) => clauses.extend(self.block(name, &source)?),
                _ => clauses.push(self.clause(clause, "", &source)?),
            }
        }
        let workspace = rule.workspace.as_ref().map(|file| self.workspace(file, &source)).transpose()?;
        // Conditions on the device precede those on the problem.
        clauses.sort_by_key(|clause| clause.test.is_about_problem());
        Ok(Solver {
            id: self.instance.id,
            name: self.instance.name,
            algorithm,
            dynamic: rule.dynamic,
            directions,
            from: self.version(rule.versions.from)?,
            retired_after,
            fidelity,
            workspace,
            source,
            file: self.file,
            clauses,
        })
    }

    fn workspace(&self, file: &WorkspaceFile, rule: &Source) -> Loaded<Workspace> {
        let bytes = self.expression(file.bytes);
        // The function of the class, or of the base class of all solvers.
        let name = "GetWorkspaceSize".into();
        let source = Source { path: file.path, lines: file.lines.into(), name, ..rule.clone() };
        Ok(Workspace { bytes, source })
    }

    /// Reads a source. `name` is the default if neither it nor its lines name the place.
    fn source(
        &self,
        clause: Option<&str>,
        source: Option<&SourceFile>,
        name: &'static str,
    ) -> Loaded<Source> {
        let given = source
            .filter(|s| [s.repository, s.commit, s.path, s.lines].iter().all(|part| !part.trim().is_empty()));
        let given = given.ok_or_else(|| self.wrong(clause, "has no source"))?;
        Ok(Source {
            repository: given.repository,
            commit: given.commit,
            path: given.path,
            lines: given.lines.into(),
            name: match given.name {
                Some(name) => name,
                None if given.lines.starts_with(|c: char| c.is_ascii_digit()) => name,
                None => given.lines,
            }
            .into(),
        })
    }

    /// The clauses implied by the head of a file: version, algorithm, switches, directions.
    fn implied(
        &self,
        algorithm: Algorithm,
        directions: &[Direction],
        retired_after: Option<Version>,
        source: &Source,
    ) -> Loaded<Vec<Clause>> {
        let clause = |id, because: Cow<'static, str>, test, source: Source| Clause {
            id,
            because,
            source,
            when: None,
            test,
            counts: Counts::default(),
        };
        let mut all = Vec::new();
        if let Some(last) = retired_after {
            let name = self.instance.name;
            let (because, lines, name) = match self.rule.versions.renamed_to {
                None => {
                    let comment = || format!("removed {name}");
                    let lines = self.rule.versions.registry.map_or_else(comment, str::to_owned);
                    (String::new(), lines, name)
                }
                Some(new) => (format!("; {new} has its place"), format!("conv::{new}"), new),
            };
            let because = format!("the solver was removed from MIOpen after {last}{because}");
            let source = Source {
                repository: "ROCm/rocm-libraries",
                commit: "00a55ad90573",
                path: "projects/miopen/src/solver.cpp",
                lines: lines.into(),
                name: name.into(),
            };
            all.push(clause("retired", because.into(), Test::RetiredAfter(last), source));
        }
        let switch = algorithm.switch();
        let read = Source {
            path: "src/conv/solver_finders.cpp",
            lines: algorithm.switch_line().into(),
            name: switch.into(),
            ..source.clone()
        };
        let because = format!("{switch} is 0").into();
        all.push(clause("algorithm", because, Test::OffWhen0(switch.into()), read));
        for Switch { name, effect, because, read_as } in self.rule.environment {
            let name = self.filled(name)?;
            let (test, state) = match effect {
                Effect::OffWhen0 => (Test::OffWhen0(name.clone()), "is 0"),
                Effect::OffWhen1 => (Test::OffWhen1(name.clone()), "is 1"),
                Effect::OnlyWhen1 => (Test::OnlyWhen1(name.clone()), "is not 1"),
            };
            let reason = because.as_ref().map_or(String::new(), |because| format!(": {because}"));
            let read_as = read_as.map_or_else(|| name.clone(), Cow::Borrowed);
            let read = Source { name: read_as, ..source.clone() };
            all.push(clause("environment", format!("{name} {state}{reason}").into(), test, read));
        }
        if directions.len() < 3 {
            let names = directions.iter().map(|direction| match direction {
                Direction::Forward => "forward",
                Direction::BackwardData => "backward_data",
                Direction::BackwardWeights => "backward_weights",
            });
            let condition = names.clone().collect::<Vec<_>>().join(" or ");
            let because =
                format!("computes {} only", names.collect::<Vec<_>>().join(" and ").replace('_', " "));
            let test = Test::Needs(self.expression(condition));
            all.push(clause("direction", because.into(), test, source.clone()));
        }
        Ok(all)
    }

    /// The clauses of a block. A clause without a source repeats a condition in each user's own file: then it
    /// cites `user`.
    fn block(&self, name: &'static str, user: &Source) -> Loaded<Vec<Clause>> {
        let block =
            self.blocks.get(name).ok_or_else(|| self.wrong(Some(name), "is no block of shared clauses"))?;
        let source = match &block.source {
            Some(source) => self.source(Some(name), Some(source), "")?,
            None => user.clone(),
        };
        let mut all = Vec::new();
        for clause in block.clauses {
            match clause.condition {
                Condition::Block(inner) if inner != name => all.extend(self.block(inner, &source)?),
                Condition::Block(_) => return Err(self.wrong(Some(name), "uses itself")),
                _ => all.push(self.clause(clause, name, &source)?),
            }
        }
        Ok(all)
    }

    fn clause(&self, file: &ClauseFile, block: &'static str, source: &Source) -> Loaded<Clause> {
        let own = file.id.unwrap_or(block);
        let id = if own.is_empty() { return Err(self.wrong(None, "a clause has no id")) } else { own };
        let because = file.because.ok_or_else(|| self.wrong(Some(id), "does not say because of what"))?;
        let test = self.test(id, &file.condition)?;
        let counts = file.scope.0.map(|scope| self.counts(id, scope)).transpose()?.unwrap_or_default();
        let source = match file.place.0 {
            Some(place) => self.place(id, place, source)?,
            None => source.clone(),
        };
        if source.name.trim().is_empty() {
            return Err(self.wrong(Some(id), "does not name what stands in its lines"));
        }
        let when = file.when.map(|condition| self.expression(condition));
        // A part of the build may be needed for some problems only.
        if when.is_some() && !test.is_about_problem() && !matches!(test, Test::Build(_)) {
            return Err(self.wrong(Some(id), "has `when` but no condition on the problem"));
        }
        Ok(Clause { id, because: because.into(), source, when, test, counts })
    }

    fn counts(&self, id: &str, scope: &Scope) -> Loaded<Counts> {
        let pattern = |text: Option<_>| text.map(|text| self.pattern(id, text)).transpose();
        let version = |text: Option<_>| text.map(|text| self.version(text)).transpose();
        let variable = |text: Option<_>| text.map(|text| self.filled(text)).transpose();
        Ok(Counts {
            on: pattern(scope.on)?,
            except_on: pattern(scope.except_on)?,
            up_to_compute_units: scope.up_to_compute_units,
            unless_1: variable(scope.unless_1)?,
            unless_0: variable(scope.unless_0)?,
            if_0: variable(scope.if_0)?,
            if_1: variable(scope.if_1)?,
            since: version(scope.since)?,
            until: version(scope.until)?,
        })
    }

    /// The source of a clause that is read elsewhere than its rule, whose source is `source`.
    fn place(&self, id: &str, place: &ClausePlace, source: &Source) -> Loaded<Source> {
        let own = place.source.as_ref().map(|own| self.source(Some(id), Some(own), "")).transpose()?;
        let elsewhere = place.path.is_some() || place.lines.is_some();
        let source = own.as_ref().unwrap_or(source);
        let name = place.name.map(Cow::Borrowed).or_else(|| (!elsewhere).then(|| source.name.clone()));
        Ok(Source {
            name: name.unwrap_or_default(),
            path: place.path.unwrap_or(source.path),
            lines: place.lines.map_or_else(|| source.lines.clone(), Cow::Borrowed),
            ..source.clone()
        })
    }

    fn test(&self, id: &str, condition: &Condition) -> Loaded<Test> {
        Ok(match *condition {
            Condition::Block(_) => return Err(self.wrong(Some(id), "is a block within a clause")),
            Condition::Needs(condition) => Test::Needs(self.expression(condition)),
            Condition::Check(name, with) => {
                let check = predicates::CHECKS.iter().find(|check| check.name == name);
                let check = check.ok_or_else(|| self.wrong(Some(id), format!("`{name}` is no check")))?;
                if with.len() != check.arguments.len() {
                    let takes = check.arguments.join(", ");
                    return Err(self.wrong(Some(id), format!("`{name}` takes: {takes}")));
                }
                Test::Check(check, with.iter().map(|text| self.expression(*text)).collect())
            }
            Condition::Target(pattern, feature) => {
                let feature = feature.map(|feature| self.feature(id, feature)).transpose()?;
                Test::Target(self.pattern(id, pattern)?, feature)
            }
            Condition::NotTarget(pattern) => Test::NotTarget(self.pattern(id, pattern)?),
            Condition::ComputeUnits(number) => Test::ComputeUnits(number),
            Condition::Build(part) => {
                let part = BuildPart::of_name(part);
                Test::Build(part.ok_or_else(|| self.wrong(Some(id), "is about no part of a build"))?)
            }
            Condition::Enabled(name) => Test::OnlyWhen1(self.filled(name)?),
            Condition::XnackOff => Test::XnackOff,
        })
    }

    /// The feature that a clause on targets stands for.
    fn feature(&self, id: &str, feature: &str) -> Loaded<&'static str> {
        let known = processor::all().iter().flat_map(|isa| isa.features()).find(|known| *known == feature);
        known.ok_or_else(|| self.wrong(Some(id), format!("no processor has the feature `{feature}`")))
    }

    /// An expression, which is compiled when it is first asked for.
    fn expression(&self, text: impl Into<Cow<'static, str>>) -> Expression {
        Expression::later(text.into(), self.instance.parameters)
    }

    fn pattern(&self, id: &str, text: &'static str) -> Loaded<Pattern> {
        self.patterns.borrow_mut().place(text).map_err(|e| self.wrong(Some(id), e.to_string()))
    }

    /// Replaces `{parameter}` in a name.
    fn filled(&self, text: &'static str) -> Loaded<Cow<'static, str>> {
        if !text.contains('{') {
            return Ok(text.into());
        }
        let filled = self.instance.parameters.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), &value.to_string())
        });
        if filled.contains('{') {
            return Err(self.wrong(None, format!("`{text}` names no parameter")));
        }
        Ok(filled.into())
    }
}
