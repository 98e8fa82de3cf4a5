//! `check`: the requirements of a call, and what was found for them.

use crate::common::program::{json, json_with_findings};
use serde_json::Value;

/// What `check` says that it found is what the audit counts.
#[test]
fn a_check_shows_the_code_that_the_audit_counts() {
    for tree in ["fixtures/ggml/plain", "fixtures/rocm"] {
        let audit = json(&["--gpu", "gfx900,gfx1030", tree]);
        let rows = audit["matrix"].as_array().unwrap();
        let check = json_with_findings(&["check", tree, "--require", "gfx900,gfx1030"]);
        let mut found = 0;
        for one in check["requirements"].as_array().unwrap() {
            let is_it = |row: &&Value| {
                row["library"] == one["library"]
                    && row["tensile"] == one["tensile"]
                    && row["place"] == one["place"]
            };
            let cells = rows.iter().find(is_it).unwrap()["cells"].as_array().unwrap();
            let cell = cells.iter().find(|cell| cell["processor"] == one["processor"]).unwrap();
            let counted = (&cell["code_objects"], &cell["kernels"]);
            match cell["code_objects"].as_u64() {
                Some(0) => assert!(one["code"].is_null(), "{tree}: {one}"),
                _ => {
                    assert_eq!(
                        (&one["code"]["code_objects"], &one["code"]["kernels"]),
                        counted,
                        "{tree}: {one}"
                    );
                    found += 1;
                }
            }
        }
        assert!(found > 0, "{tree}");
    }
}
