//! `cargo run --example write -- FOLDER [SEED [COUNT [small]]]`: writes samples of every form into a folder.

use amdgpu_samples::{Sample, SampleForm};
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let folder = PathBuf::from(words.next().unwrap_or_else(|| "samples".into()));
    let mut number = |otherwise: u64| words.next().and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let (seed, count) = (number(1), number(10));
    let make = if words.next().is_some_and(|word| word == "small") { Sample::small } else { Sample::new };
    std::fs::create_dir_all(&folder)?;
    for seed in seed..seed.saturating_add(count) {
        for form in SampleForm::ALL {
            let path = folder.join(format!("{form:?}-{seed}.{}", form.extension()));
            std::fs::write(path, make(seed, form).bytes())?;
        }
    }
    Ok(())
}
