//! JSON Schemas of the outputs, generated from the report types.

use anyhow::{Result, bail};
use rocm_audit::report::v1;
use std::path::Path;

pub fn run(arguments: &[String]) -> Result<()> {
    let check = arguments.iter().any(|a| a == "--check");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    let schemas = [
        ("report", rocm_audit::report::schema::<v1::Report>()),
        ("fatbin", rocm_audit::report::schema::<v1::FatbinReport>()),
        ("isa", rocm_audit::report::schema::<v1::IsaReport>()),
        ("select-gemm", rocm_audit::report::schema::<v1::GemmReport>()),
        ("select-conv", rocm_audit::report::schema::<v1::ConvReport>()),
        ("select-families", rocm_audit::report::schema::<v1::FamilyReport>()),
        ("select-route", rocm_audit::report::schema::<v1::RouteReport>()),
        ("select-routes", rocm_audit::report::schema::<v1::RouteTableReport>()),
        ("tensile", rocm_audit::report::schema::<v1::TensileReport>()),
        ("miopen", rocm_audit::report::schema::<v1::MiopenReport>()),
        ("entries", rocm_audit::report::schema::<v1::EntriesReport<'static>>()),
        ("kernels", rocm_audit::report::schema::<v1::KernelsReport<'static>>()),
        ("kernel", rocm_audit::report::schema::<v1::KernelLine<'static>>()),
    ];
    std::fs::create_dir_all(&folder)?;
    for (name, schema) in schemas {
        let path = folder.join(format!("{name}-{}.json", v1::SCHEMA_VERSION));
        let text = serde_json::to_string_pretty(&schema)? + "\n";
        if !check {
            std::fs::write(&path, text)?;
        } else if std::fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            bail!("{} differs from the report types: run `cargo xtask schema`", path.display());
        }
    }
    Ok(())
}
