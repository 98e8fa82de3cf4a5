//! Packs the JSON Schemas of `docs/schema` for `rocm-audit generate schema`: what makes schemas from types is
//! larger than all of them, so the program has the texts that `cargo xtask schema` has written.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "cli")]
    schemas::pack()?;
    Ok(())
}

#[cfg(feature = "cli")]
mod schemas {
    use flate2::Compression;
    use flate2::write::ZlibEncoder;
    use std::error::Error;
    use std::io::Write as _;
    use std::path::Path;

    const FOLDER: &str = "docs/schema";

    /// One file in the form of zlib: of each schema the name of its file and its text, each with a zero byte
    /// behind it.
    pub(super) fn pack() -> Result<(), Box<dyn Error>> {
        println!("cargo::rerun-if-changed={FOLDER}");
        let mut files: Vec<_> = std::fs::read_dir(FOLDER)?.collect::<Result<_, _>>()?;
        // The order in which a system lists a folder is its own; two builds give the same bytes.
        files.sort_by_key(std::fs::DirEntry::file_name);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
        for file in files {
            packed.write_all(file.file_name().to_string_lossy().as_bytes())?;
            packed.write_all(b"\0")?;
            packed.write_all(&std::fs::read(file.path())?)?;
            packed.write_all(b"\0")?;
        }
        let out = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
        std::fs::write(Path::new(&out).join("schemas.z"), packed.finish()?)?;
        Ok(())
    }
}
