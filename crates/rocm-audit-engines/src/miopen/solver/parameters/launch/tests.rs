use super::*;

/// What the real library (3.4.0) launched on a stand-in for the HIP runtime: target, compute units, key,
/// solver, parameters, kernel, work items, work items of a group.
static RECORDED: &str = include_str!("recorded.txt");

fn launched(line: &str, parameters: Option<&str>) -> (Option<String>, String) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [target, units, key, solver, own, expected @ ..] = words.as_slice() else { panic!("{line}") };
    let context = Context::new(*target, units.parse().unwrap());
    let problem = ConvolutionProblem::parse(key).unwrap();
    let own = Some(*own).filter(|text| *text != "-");
    let found = main_launch(solver, &context, &problem, parameters.or(own));
    let joined = |sizes: [u64; 3]| sizes.map(|size| size.to_string()).join(",");
    let told = |l: Launch| format!("{} {} {}", l.kernel, joined(l.work_items), joined(l.work_group));
    (found.map(told), expected.join(" "))
}

#[test]
fn solvers_launch_what_the_library_launches() {
    for line in RECORDED.trim().lines() {
        let (found, expected) = launched(line, None);
        assert_eq!(found.as_deref(), Some(expected.as_str()), "{line}");
    }
}

/// Rows of a perf-db are anybody's text.
#[test]
fn parameters_that_fit_nothing_launch_nothing() {
    for line in RECORDED.trim().lines().filter(|line| !line.contains(" - ")) {
        for wrong in
            ["", "0", "0,0,0,0,0,0", "-1", "4294967295,4294967295,4294967295", "x", "0,0,0,0,0,0,0,0,0"]
        {
            let (found, expected) = launched(line, Some(wrong));
            assert_ne!(found, Some(expected), "{line} {wrong}");
        }
    }
}
