use super::published::problem;
use super::*;
use crate::miopen::problem::ConvolutionProblem;
use crate::miopen::solver::bound::{self, Rejection};
use crate::miopen::solver::clause::Test;
use crate::miopen::solver::variable::{Derived, VARIABLES};
use crate::miopen::solver::{expression, wti};
use amdgpu_isa::processor;
use proptest::prelude::*;
use serde::Deserialize as _;
use std::collections::{BTreeMap, BTreeSet};

const SOURCE: &str = "source: { repository: a/b, commit: c, path: d.cpp, lines: 1-2 }";
const EXAMPLES: &str = "
examples:
  accepted: [{ key: 4-8-8-1x1-4-8-8-1-0x0-1x1-1x1-0-NCHW-FP32-F, target: gfx900, cu: 64 }]
  rejected: [{ key: 4-8-8-3x3-4-8-8-1-1x1-1x1-1x1-0-NCHW-FP32-F, target: gfx900, cu: 64, clause: filter }]
";

/// The cases in a rule file that state what it accepts and refuses.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Examples {
    #[serde(default)]
    accepted: Vec<ExampleFile>,
    #[serde(default)]
    rejected: Vec<ExampleFile>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleFile {
    key: String,
    target: String,
    cu: u32,
    xnack: Option<bool>,
    /// The release of MIOpen; by default the one that was read completely.
    miopen: Option<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The member of a family; by default the first.
    solver: Option<String>,
    /// The clause that refuses.
    clause: Option<String>,
}

/// Splits a YAML text into the rule, as the build reads it, and its examples.
fn parts(text: &str) -> (serde_json::Value, Examples) {
    let mut rule: serde_json::Value = serde_yaml::from_str(text).expect("YAML");
    let examples = rule.as_object_mut().and_then(|map| map.remove("examples")).unwrap_or_default();
    (rule, serde_json::from_value(examples).unwrap_or_default())
}

/// Reads every expression, which the program does only where a question needs it.
fn read_all(rules: &SolverRules) -> Result<(), LoadError> {
    for solver in rules.solvers() {
        let wrong = |clause: Option<&str>, text: &str, e: expression::NotAnExpression| LoadError {
            file: solver.file.to_owned(),
            clause: clause.map(str::to_owned),
            what: format!("`{text}`, byte {}: {}", e.at, e.why),
        };
        for clause in &solver.clauses {
            let of_test: &[_] = match &clause.test {
                Test::Needs(condition) => std::slice::from_ref(condition),
                Test::Check(_, with) => with,
                _ => &[],
            };
            for condition in clause.when.iter().chain(of_test) {
                condition.check().map_err(|e| wrong(Some(clause.id), condition.text(), e))?;
            }
        }
        if let Some(bytes) = solver.workspace.as_ref().map(|workspace| &workspace.bytes) {
            bytes.check().map_err(|e| wrong(Some("workspace"), bytes.text(), e))?;
        }
    }
    Ok(())
}

#[test]
fn every_expression_is_one() {
    let rules = SolverRules::miopen().unwrap_or_else(|error| panic!("{error}"));
    read_all(rules).unwrap_or_else(|error| panic!("{error}"));
}

/// Checks the examples of a file.
fn check_all(rules: &SolverRules, file: &str, examples: &Examples) -> Result<(), LoadError> {
    if examples.accepted.is_empty() || examples.rejected.is_empty() {
        let what = "needs an accepted and a rejected example".to_owned();
        return Err(LoadError { file: file.to_owned(), clause: None, what });
    }
    examples.accepted.iter().try_for_each(|example| check(rules, file, example, true))?;
    examples.rejected.iter().try_for_each(|example| check(rules, file, example, false))
}

fn check(rules: &SolverRules, file: &str, example: &ExampleFile, accepted: bool) -> Result<(), LoadError> {
    let wrong = |what: String| LoadError {
        file: file.to_owned(),
        clause: example.clause.clone(),
        what: format!("example {} on {} with {} CU: {what}", example.key, example.target, example.cu),
    };
    let problem = ConvolutionProblem::parse(&example.key).map_err(|e| wrong(e.to_string()))?;
    let meant = |solver: &Solver| {
        solver.file == file && example.solver.as_ref().is_none_or(|name| solver.name == *name)
    };
    let index = rules.solvers.iter().position(meant).ok_or_else(|| wrong("names no solver".into()))?;
    let mut context = Context::new(&example.target, example.cu);
    context.xnack = example.xnack;
    context.environment.clone_from(&example.environment);
    if let Some(text) = &example.miopen {
        context.version = Version::parse(text).ok_or_else(|| wrong(format!("`{text}` is no version")))?;
    }
    let solver = rules.solvers.get(index).ok_or_else(|| wrong("names no solver".into()))?;
    match (bound::judge_one(rules, solver, &context, &Derived::on(&context, &problem)), accepted) {
        (Ok(()), true) => Ok(()),
        (Ok(()), false) => Err(wrong("is accepted".into())),
        (Err(rejection), true) => Err(wrong(format!("is rejected by {rejection}"))),
        (Err(Rejection { clause, .. }), false) if Some(clause.id) == example.clause.as_deref() => Ok(()),
        (Err(rejection), false) => Err(wrong(format!("is rejected by another clause: {rejection}"))),
    }
}

/// Loads a small rule with some of its text replaced.
fn load(replaced: &str, by: &str) -> Result<SolverRules, String> {
    let text = format!(
        "id: 1\nname: Small\nalgorithm: Direct\ndynamic: true\ndirections: [F]\nversions: {{ from: 3.3.0 }}\n\
         fidelity: exact\nevidence: code\n{SOURCE}\n\
         clauses:\n  - {{ id: filter, needs: x == 1, because: the filter must be 1x1 }}\n{EXAMPLES}"
    );
    assert!(text.contains(replaced), "{replaced}");
    let (rule, examples) = parts(&text.replacen(replaced, by, 1));
    let rule = RuleFile::deserialize(&*Box::leak(Box::new(rule)));
    let rule = rule.map_err(|error| format!("rule Small: is no rule file: {error}"))?;
    let rules = SolverRules::load(vec![("Small", rule)].leak(), &Named(&[]), &[]);
    rules
        .and_then(|rules| read_all(&rules).map(|()| rules))
        .and_then(|rules| check_all(&rules, "Small", &examples).map(|()| rules))
        .map_err(|e| e.to_string())
}

#[test]
fn a_rule_without_what_it_needs_does_not_load() {
    assert!(load("id: 1", "id: 1").is_ok());
    for (replaced, by, error) in [
        (SOURCE, "", "rule Small: has no source"),
        ("lines: 1-2", "lines: ''", "rule Small: has no source"),
        (EXAMPLES, "", "rule Small: needs an accepted and a rejected example"),
        ("x == 1,", "x = 1,", "rule Small, clause filter: `x = 1`, byte 2: `=` is left over"),
        (", because: the filter must be 1x1", "", "rule Small, clause filter: does not say because of what"),
        ("needs: x == 1", "check: no-such", "rule Small, clause filter: `no-such` is no check"),
        ("needs: x == 1", "check: xdlops-grid", "rule Small, clause filter: `xdlops-grid` takes: M, N, K"),
        ("needs: x == 1", "use: none", "rule Small, clause none: is no block of shared clauses"),
        ("needs: x == 1,", "", "rule Small: is no rule file: clause filter: needs exactly one condition"),
        ("needs: x == 1", "target: '('", "rule Small, clause filter: found open group"),
        ("exact", "superset", "rule Small: fidelity is exact, or superset with what is left_out"),
        ("code", "rumour", "rule Small: evidence `rumour` is not known"),
        ("Direct", "Indirect", "rule Small: `Indirect` is no algorithm"),
        ("[F]", "[X]", "rule Small: directions are F, B, W"),
        ("3.3.0", "'3.3'", "rule Small: `3.3` is no version"),
        ("4-8-8-1x1", "4-8-8-1x2", "rule Small: example 4-8-8-1x2"),
        (
            "clause: filter",
            "clause: type",
            "is rejected by another clause: Small: filter: the filter must be 1x1",
        ),
        ("8-8-3x3-4", "8-8-1x1-4", "is accepted"),
        ("dynamic", "dynamite", "rule Small: is no rule file"),
    ] {
        let got = load(replaced, by).expect_err(replaced);
        assert!(got.contains(error), "{got}\nnot {error}");
    }
}

#[test]
fn every_example_comes_out_as_told() {
    let rules = SolverRules::miopen().unwrap_or_else(|error| panic!("{error}"));
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/miopen/solver/rules");
    for (file, _) in MIOPEN {
        let text = std::fs::read_to_string(folder.join(format!("{file}.yaml"))).expect(file);
        if let Err(error) = check_all(rules, file, &parts(&text).1) {
            panic!("{error}");
        }
    }
}

#[test]
fn every_rule_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/miopen/solver/rules");
    let found: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the folder")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    let listed =
        MIOPEN.iter().map(|(name, _)| *name).chain(["blocks", "registry", "versions", "environment"]);
    assert_eq!(found, listed.map(str::to_owned).collect());
}

#[test]
fn the_registry_is_whole() {
    let rules = SolverRules::miopen().expect("rules");
    let ids = rules.solvers().iter().map(|s| s.id).chain(rules.others().iter().map(|o| o.id));
    let ids: BTreeSet<u16> = ids.collect();
    assert_eq!(ids, (1..=179).collect());
    assert_eq!(rules.solvers().len(), 103);
    let of = |name: &str| rules.index_of(name).and_then(|at| rules.solvers().get(at)).map(|s| s.id);
    // Ids as registered in MIOpen's src/solver.cpp (`RegisterWithSolver`).
    let expected = [
        ("ConvHipImplicitGemmForwardV4R5Xdlops", 80),
        ("ConvDirectNaiveConvFwd", 85),
        ("GemmFwd1x1_0_1_int8", 89),
        ("ConvCkIgemmFwdV6r1DlopsNchw", 114),
        ("ConvHipImplicitGemmFwdXdlops", 128),
    ];
    for (name, id) in expected {
        assert_eq!(of(name), Some(id), "{name}");
    }
}

/// A shared block's checks that each solver repeats in its own file are cited there. Lines as read in
/// ROCm/MIOpen at 2d1fd997a6fc: each `IsApplicable`'s check of the processor.
#[test]
fn clauses_of_shared_blocks_are_cited_in_the_file_of_their_solver() {
    let rules = SolverRules::miopen().expect("rules");
    let cited = [
        ("ConvAsmImplicitGemmV4R1DynamicBwd", "conv_asm_implicit_gemm_bwd_v4r1_dynamic.cpp", 140),
        ("ConvAsmImplicitGemmV4R1DynamicWrw", "conv_asm_implicit_gemm_wrw_v4r1_dynamic.cpp", 305),
        ("ConvAsm5x10u2v2b1", "conv_asm_5x10u2v2b1.cpp", 67),
        ("ConvAsm7x7c3h224w224k64u2v2p3q3f1", "conv_asm_7x7c3h224w224k64u2v2p3q3f1.cpp", 75),
    ];
    for (name, file, line) in cited {
        let solver = rules.index_of(name).and_then(|at| rules.solvers().get(at)).expect(name);
        let target = solver.clauses.iter().find(|clause| clause.id == "target").expect(name);
        assert!(target.source.path.ends_with(file), "{name}: {}", target.source.path);
        let (first, last) = target.source.lines.split_once('-').expect("a range of lines");
        let range = first.parse::<u32>().expect("a line")..=last.parse().expect("a line");
        assert!(range.contains(&line), "{name}: {}", target.source.lines);
    }
}

/// The processor lists of ROCm/rocm-libraries that the clauses cite (`IsXdlopsSupport`, `is_ck_whitelist`,
/// `IsApplicable` of the GTC NHWC solvers): they include gfx950, but not gfx940 and gfx941.
#[test]
fn lists_of_processors_are_of_their_release() {
    let rules = SolverRules::miopen().expect("rules");
    let refused = |solver: &str, target: &str, version| {
        let context = Context { version, ..Context::new(target, 256) };
        let bound = rules.for_context(&context);
        let index = rules.index_of(solver).expect(solver);
        let key = "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F";
        bound.judge(index, &Derived::from(&problem(key))).err().map(|r| r.clause.id)
    };
    let (read, later) = (Version(3, 3, 0), Version(3, 5, 1));
    for solver in ["ConvAsmImplicitGemmGTCDynamicFwdXdlopsNHWC", "ConvHipImplicitGemmGroupFwdXdlops"] {
        for target in ["gfx908", "gfx90a", "gfx942"] {
            assert_eq!(refused(solver, target, read), None, "{solver} {target}");
            assert_eq!(refused(solver, target, later), None, "{solver} {target}");
        }
        assert!(refused(solver, "gfx950", read).is_some(), "{solver}");
        assert_eq!(refused(solver, "gfx950", later), None, "{solver}");
        assert_eq!(refused(solver, "gfx940", read), None, "{solver}");
        assert!(refused(solver, "gfx940", later).is_some(), "{solver}");
    }
    // rocMLIR has its own list, without gfx950.
    assert_eq!(refused("ConvMlirIgemmFwdXdlops", "gfx942", later), None);
    assert_eq!(refused("ConvMlirIgemmFwdXdlops", "gfx950", later), Some("hardware"));
    let xdlops = |version| {
        let mut context = Context { version, ..Context::new("gfx950", 256) };
        context.environment.insert("MIOPEN_DEBUG_ENABLE_DEPRECATED_SOLVERS".into(), "1".into());
        let candidates = rules
            .for_context(&context)
            .candidates(&problem("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F"));
        candidates.applicable.iter().any(|s| s.name == "ConvHipImplicitGemmForwardV4R5Xdlops")
    };
    assert!(!xdlops(read) && xdlops(later));
}

/// The list of releases must name exactly the later releases that occur in clauses and retirements.
#[test]
fn releases_name_every_change_that_the_rules_have() {
    let rules = SolverRules::miopen().expect("rules");
    let clauses = rules.solvers().iter().flat_map(|solver| &solver.clauses);
    let mut found: BTreeSet<Version> = clauses.filter_map(|clause| clause.counts.since).collect();
    let told: BTreeSet<Version> = rules.releases().later().iter().map(|later| later.since).collect();
    let next = |last: Version| *told.iter().find(|since| **since > last).expect("a later release");
    found.extend(rules.solvers().iter().filter_map(|solver| solver.retired_after).map(next));
    assert_eq!(found, told);
    let answering = |version| rules.releases().answering(version);
    assert!(answering(Version(3, 3, 0)).is_exact());
    assert!(!answering(Version(2, 0, 0)).is_exact() && answering(Version(2, 0, 0)).later.is_empty());
    assert_eq!(answering(Version(3, 5, 1)).later.len(), 2);
    assert_eq!(answering(Version(4, 0, 0)).later.len(), 3);
    assert_eq!(answering(Version(4, 0, 0)).undecided.len(), 4);
    let between = rules.releases().undecided_between(Version(3, 5, 2), Version(3, 5, 0));
    assert_eq!(between.count(), 3);
}

/// Every variable that MIOpen's sources declare (one table, each with its place) must affect a rule or the
/// find, or say why it does not; and rules must not use variables outside of that table.
#[test]
fn every_variable_that_miopen_reads_is_modelled_or_says_why_not() {
    let rules = SolverRules::miopen().expect("rules");
    let names: BTreeSet<&str> = rules.environment().iter().map(|v| v.name).collect();
    assert_eq!(names.len(), rules.environment().len(), "a variable stands twice");
    assert_eq!(names.len(), 206);
    for variable in rules.environment() {
        let heeded = rules.heed(variable.name);
        assert_eq!(heeded, variable.not_modelled.is_none(), "{}", variable.name);
        assert!(variable.not_modelled.as_ref().is_none_or(|why| why.len() > 10), "{}", variable.name);
        assert_eq!(rules.why_not_modelled(variable.name).as_deref(), variable.not_modelled);
    }
    for variable in rules.solvers().iter().flat_map(|solver| &solver.clauses).flat_map(Clause::variables) {
        assert!(names.contains(variable), "a rule follows {variable}, which is in no source");
    }
    assert!(rules.why_not_modelled("MIOPEN_FOO").is_some_and(|why| why.contains("no variable of this name")));
}

#[test]
fn variables_are_named_once() {
    let names: BTreeSet<&str> = VARIABLES.iter().map(|v| v.name).collect();
    assert_eq!(names.len(), VARIABLES.len());
}

proptest! {
    /// Rules can judge any key, however large its numbers.
    #[test]
    fn any_numbers_are_judged(
        sizes in prop::array::uniform8(prop_oneof![0u32..40, any::<u32>()]),
        steps in prop::array::uniform8(prop_oneof![0u32..4, any::<u32>()]),
        direction in "[FBW]",
        data_type in "(FP32|FP16|BF16|INT8|FP8|INT8INT8INT32)",
        groups in prop_oneof![Just(1u32), 1u32..9, 1u32..],
        target in "(gfx803|gfx900|gfx906|gfx908|gfx90a|gfx942|gfx1030|gfx1100)",
    ) {
        let [c, h, w, k, oh, ow, n, bias] = sizes;
        let [y, x, ph, pw, sh, sw, dh, dw] = steps;
        let key = format!(
            "{c}-{h}-{w}-{y}x{x}-{k}-{oh}-{ow}-{n}-{ph}x{pw}-{sh}x{sw}-{dh}x{dw}-{bias}-NCHW-{data_type}-{direction}_g{groups}"
        );
        let rules = SolverRules::miopen().expect("rules");
        let context = Context::new(target, 64);
        let problem = problem(&key);
        let candidates = rules.for_context(&context).candidates(&problem);
        let _ = wti::order(&candidates, &problem, &context);
        prop_assert_eq!(candidates.applicable.len() + candidates.rejected.len(), rules.solvers().len());
    }
}

/// MIOpen lists processors by name, the instruction tables list features: if a clause says which instructions
/// its kernels need, every processor it allows must have them.
#[test]
fn processors_of_a_clause_have_the_instructions_that_it_is_for() {
    let rules = SolverRules::miopen().expect("the rules load");
    let mut asked = 0;
    for clause in rules.solvers().iter().flat_map(|solver| &solver.clauses) {
        let Test::Target(pattern, Some(feature)) = &clause.test else { continue };
        for isa in processor::all().iter().filter(|isa| rules.matches(isa.name).has(*pattern)) {
            assert!(isa.has(feature), "{}: {} has no {feature}", clause.id, isa.name);
            asked += 1;
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn a_processor_with_the_instructions_and_without_the_name_is_refused_with_both() {
    let rules = SolverRules::miopen().expect("the rules load");
    let detail = |target: &str| {
        let bound = rules.for_context(&Context::new(target, 64));
        let key = problem("64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP32-F");
        let candidates = bound.candidates(&key);
        let refused = candidates.rejected.iter().find(|r| r.clause.id == "xdlops").expect("a refusal");
        refused.detail
    };
    assert_eq!(detail("gfx900"), "");
    assert!(detail("gfx950").contains("MIOpen goes by a list of names"));
}
