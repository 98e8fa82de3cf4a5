//! What a solver builds and launches: parameters, kernels, workspace.

use super::{DATABASES, json, text};
use serde_json::Value;

#[test]
fn parameters_in_sqlite_are_said_to_be_those_of_such_builds() {
    let folder = tempfile::tempdir().unwrap();
    let database = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(DATABASES).join("gfx1030_36.db");
    std::fs::copy(database, folder.path().join("gfx900_56.db")).unwrap();
    let key = "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP32-F";
    let line = format!("{key}=ConvAsm1x1U:0.5,0,miopenConvolutionFwdAlgoDirect\n");
    std::fs::write(folder.path().join("gfx900_56.HIP.fdb.txt"), line).unwrap();
    let call = ["--key", key, "--arch", "gfx900", "--cu", "56", folder.path().to_str().unwrap()];
    let report = json(&call);
    let kernel = &report["pick"]["kernel"];
    assert_eq!(
        (&kernel["parameters"], &kernel["parameters_by"]),
        (&serde_json::json!("1,16,1,64,2,4,1,4"), &serde_json::json!("perf-db"))
    );
    assert_eq!(kernel["named"][3], serde_json::json!({ "name": "chunk_size", "value": "64" }));
    assert_eq!(kernel["source"], "conv1x1u.s");
    assert_eq!(kernel["parameters_in_sqlite_builds_only"], true);
    let told =
        "(gfx900_56.db, which builds with perf-dbs in SQLite read and the default build does not) [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
}

/// The parameters are those that the real library (3.4.0) began with for these problems without a perf-db.
#[test]
fn without_a_row_a_solver_begins_with_its_heuristic() {
    let key = "512-28-28-1x1-256-14-14-32-0x0-2x2-1x1-0-NCHW-FP32-F";
    let report = json(&["--key", key, "--arch", "gfx900", "--cu", "64", "--without", "mlir", DATABASES]);
    let candidates = report["candidates"].as_array().unwrap();
    let kernel = |name: &str| &candidates.iter().find(|own| own["solver"] == name).unwrap()["kernel"];
    assert_eq!(kernel("ConvAsm1x1U")["parameters"], "4,16,4,16,2,1,1,1");
    assert_eq!(kernel("ConvAsm1x1U")["parameters_by"], "heuristic");
    assert_eq!(kernel("ConvAsm1x1U")["named"][1], serde_json::json!({ "name": "k_mult", "value": "16" }));
    assert_eq!(kernel("ConvOclDirectFwd1x1")["source"], "MIOpenConv1x1J1_stride.cl");
    assert_eq!(kernel("GemmFwd1x1_0_2")["source"], Value::Null);
}

/// A kernel database as `kern_db.hpp` of MIOpen makes it, with the options that MIOpen gives conv3x3.s.
fn kernel_database(path: &std::path::Path, kernels: &[(&str, &str)]) {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE IF NOT EXISTS `kern_db` (`id` INTEGER PRIMARY KEY ASC,`kernel_name` TEXT NOT NULL,\
             `kernel_args` TEXT NOT NULL,`kernel_blob` BLOB NOT NULL,`kernel_hash` TEXT NOT NULL,\
             `uncompressed_size` INT NOT NULL);CREATE UNIQUE INDEX IF NOT EXISTS `idx_kern_db` \
             ON kern_db(kernel_name, kernel_args);",
        )
        .unwrap();
    for (name, options) in kernels {
        let row = "INSERT INTO kern_db VALUES (NULL, ?, ?, x'00', '93b885adfe0da089cdf634904fd59f71', 0)";
        database.execute(row, (name, options)).unwrap();
    }
}

/// The launch is the one that the real library (3.4.0) makes for this problem on 36 compute units.
#[test]
fn a_kernel_has_its_launch_and_those_that_were_built_before() {
    let folder = tempfile::tempdir().unwrap();
    let key = "2560-24-16-3x3-1280-24-16-32-1x1-1x1-1x1-0-NCHW-FP32-F";
    let line = format!("{key}=ConvAsm3x3U:0.5,0,miopenConvolutionFwdAlgoDirect\n");
    std::fs::write(folder.path().join("gfx803_36.HIP.fdb.txt"), line).unwrap();
    let call = ["--key", key, "--arch", "gfx803", "--cu", "36", folder.path().to_str().unwrap()];
    let kernel = |call: &[&str]| json(call)["pick"]["kernel"].clone();
    let launch = serde_json::json!({
        "kernel": "miopenGcnAsmConv3x3U", "work_items": [10240, 12, 32], "work_group": [16, 1, 1]
    });
    assert_eq!(kernel(&call)["launch"], launch);
    assert_eq!(kernel(&call)["built"], Value::Null);
    let kernels = folder.path().join("gfx803.kdb");
    kernel_database(&kernels, &[("conv1x1u.s.o", " -mcpu=gfx803")]);
    assert_eq!(kernel(&call)["built"], 0);
    let told = "conv3x3.s, compiled when first used: the kernel database has no kernel of it [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
    let options = ["-Wa,-defsym,batch_size=32 -mcpu=gfx803", "-Wa,-defsym,batch_size=1 -mcpu=gfx803"];
    kernel_database(&kernels, &options.map(|options| ("conv3x3.s.o", options)));
    assert_eq!(kernel(&call)["built"], 2);
    assert_eq!(kernel(&call)["built_alike"], 0);
    let told = "the kernel database has 2 kernels of it, none with these parameters [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
    let same = "-Wa,-defsym,batch_size=32 -Wa,-defsym,limit_wave_cnt=0 -Wa,-defsym,filters_per_wave=2 \
                -Wa,-defsym,output_lines_per_wave=2 -mcpu=gfx803";
    kernel_database(&kernels, &[("conv3x3.s.o", same)]);
    assert_eq!((&kernel(&call)["built"], &kernel(&call)["built_alike"]), (&3.into(), &1.into()));
    let told = "miopenGcnAsmConv3x3U: 10,240 × 12 × 32 work items, 16 × 1 × 1 in a group [code]";
    assert!(text(&call).contains(told), "{}", text(&call));
    // What is no database says nothing of kernels.
    std::fs::write(&kernels, "SQLite format 3").unwrap();
    assert_eq!(kernel(&call)["built"], Value::Null);
}

/// A published study observed that MIOpen requests 200704 bytes for solver 89 on this problem.
#[test]
fn candidates_have_their_workspace_where_it_is_known() {
    let key = "64-56-56-1x1-64-56-56-32-0x0-1x1-1x1-0-NCHW-INT8INT8INT32-F";
    let call = ["--key", key, "--arch", "gfx900", "--cu", "64", DATABASES];
    let of = |report: &Value, solver: &str| {
        let all = report["candidates"].as_array().unwrap().clone();
        let candidate = all.iter().find(|c| c["solver"] == solver).unwrap().clone();
        (candidate["workspace"].clone(), candidate["workspace_source"].clone())
    };
    let (bytes, source) = of(&json(&call), "GemmFwd1x1_0_1_int8");
    assert_eq!(bytes, 200_704);
    assert!(source.as_str().unwrap().contains("src/solver/conv/gemm.cpp:450-487"), "{source}");
    assert_eq!(of(&json(&call), "ConvDirectNaiveConvFwd").0, 0);
    assert!(text(&[&call[..], &["-v"]].concat()).contains("200,704"));
    let half = ["fwd:fp16:n32:c64:h56:w56:k64:y3x3:p1", "--arch", "gfx942", "--cu", "304", DATABASES];
    assert_eq!(of(&json(&half), "ConvHipImplicitGemmGroupFwdXdlops"), (Value::Null, Value::Null));
    assert!(text(&half).contains("not known"));
}
