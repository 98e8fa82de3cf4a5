//! Library folders of rocBLAS and hipBLASLt with one broken part.

use super::fixture;
use rmpv::Value;
use rocm_audit::engines::tensile::consistency::{Consistency, FolderOwner, check};
use std::path::PathBuf;
use tempfile::TempDir;

/// Prefix of the files of the type that most tests break.
pub const SS: &str = "TensileLibrary_Type_SS_Contraction_l_Ailk_Bljk_Cijk_Dijk";

/// A copy of the fixtures' library folder that tests can break.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Folder {
        let from = fixture("tensile/library");
        let folder = Folder(TempDir::new().unwrap());
        for entry in std::fs::read_dir(from).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.path(path.file_name().unwrap().to_str().unwrap())).unwrap();
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn truncate(&self, name: &str) {
        let bytes = std::fs::read(self.path(name)).unwrap();
        std::fs::write(self.path(name), &bytes[..bytes.len() * 2 / 3]).unwrap();
    }

    /// Replaces the first occurrence of a text in a file by one of the same length.
    pub fn replace(&self, name: &str, from: &str, to: &str) {
        assert_eq!(from.len(), to.len());
        let mut bytes = std::fs::read(self.path(name)).unwrap();
        let finder = memchr::memmem::find_iter(&bytes, from).collect::<Vec<_>>();
        assert!(!finder.is_empty(), "{name} has no {from}");
        for at in finder {
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Modifies a catalog as a tree of values.
    pub fn edit(&self, name: &str, change: impl Fn(&mut Value)) {
        let bytes = std::fs::read(self.path(name)).unwrap();
        let mut value = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
        change(&mut value);
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &value).unwrap();
        std::fs::write(self.path(name), out).unwrap();
    }

    pub fn copy(&self, from: &str, to: &str) {
        std::fs::copy(self.path(from), self.path(to)).unwrap();
    }

    /// Removes every file whose name contains none of these texts.
    pub fn keep(&self, texts: &[&str]) {
        for entry in std::fs::read_dir(self.0.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if !texts.iter().any(|text| name.contains(text)) {
                self.remove(&name);
            }
        }
    }

    pub fn check(&self) -> Consistency {
        check(self.0.path(), FolderOwner::RocBlas, &[]).unwrap()
    }
}

/// A value of a map.
pub fn get<'v>(value: &'v mut Value, key: &str) -> &'v mut Value {
    let Value::Map(pairs) = value else { panic!("{key}: not in a map") };
    &mut pairs.iter_mut().find(|(k, _)| k.as_str() == Some(key)).unwrap_or_else(|| panic!("no {key}")).1
}

/// The first table below a node.
pub fn table(node: &mut Value) -> Option<&mut Vec<Value>> {
    match node {
        Value::Map(pairs) => {
            if let Some(at) = pairs.iter().position(|(k, _)| k.as_str() == Some("table")) {
                let Value::Array(rows) = &mut pairs[at].1 else { return None };
                return Some(rows);
            }
            pairs.iter_mut().find_map(|(_, v)| table(v))
        }
        Value::Array(all) => all.iter_mut().find_map(table),
        _ => None,
    }
}

/// Changes the index of a solution everywhere.
pub fn bump(value: &mut Value, from: u64, to: u64) {
    match value {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                if key.as_str() == Some("index") && value.as_u64() == Some(from) {
                    *value = Value::from(to);
                } else {
                    bump(value, from, to);
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|value| bump(value, from, to)),
        _ => {}
    }
}

/// A catalog in format 2, whose first solution has its first byte changed where it `breaks`.
pub fn indexed(mut catalog: Value, breaks: bool) -> Value {
    let Value::Array(solutions) = get(&mut catalog, "solutions").clone() else { panic!("no solutions") };
    let (mut table, mut blob) = (Vec::new(), Vec::new());
    for mut solution in solutions {
        let index = get(&mut solution, "index").as_u64().unwrap();
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, &solution).unwrap();
        if breaks && table.is_empty() {
            bytes[0] = 0xc1;
        }
        table.extend([index, blob.len() as u64, bytes.len() as u64].map(Value::from));
        blob.extend(bytes);
    }
    Value::Map(vec![
        ("format_version".into(), 2.into()),
        ("solutions_index".into(), Value::Array(table)),
        ("solutions_blob".into(), Value::Binary(blob)),
        ("library".into(), get(&mut catalog, "library").clone()),
    ])
}

/// Removes all rows from all tables below a node.
pub fn clear_tables(node: &mut Value) {
    match node {
        Value::Map(pairs) => {
            for (key, value) in pairs {
                match (key.as_str(), value) {
                    (Some("table"), Value::Array(rows)) => rows.clear(),
                    (_, value) => clear_tables(value),
                }
            }
        }
        Value::Array(all) => all.iter_mut().for_each(clear_tables),
        _ => {}
    }
}

/// A folder in hipBLASLt's form: two catalogs, their code, the mapping and the other operations.
pub fn hipblaslt(change: impl Fn(&str, Value) -> Value) -> Consistency {
    hipblaslt_and(&[], change)
}

/// The same with further files.
pub fn hipblaslt_and(files: &[(&str, &[u8])], change: impl Fn(&str, Value) -> Value) -> Consistency {
    let source = Folder::new();
    let folder = TempDir::new().unwrap();
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.path().join(name), bytes).unwrap());
    let write = |name: &str, value: Value| {
        let mut out = Vec::new();
        rmpv::encode::write_value(&mut out, &change(name, value)).unwrap();
        std::fs::write(folder.path().join(name), out).unwrap();
    };
    let map =
        |pairs: Vec<(&str, Value)>| Value::Map(pairs.into_iter().map(|(k, v)| (Value::from(k), v)).collect());
    let row = |predicate: Value, library: Value| map(vec![("predicate", predicate), ("library", library)]);
    let always = || map(vec![("type", "TruePred".into())]);
    let code = std::fs::read(source.path(&format!("{SS}_gfx90a.co"))).unwrap();
    let kernels: Vec<String> = object_kernels(&code);
    let mut placeholders = Vec::new();
    let mut mapping = Vec::new();
    for (number, ty) in ["SS", "HH"].iter().enumerate() {
        let stem = format!("TensileLibrary_{ty}_{ty}_Type_{ty}_Contraction_l_Ailk_Bljk_Cijk_Dijk_gfx90a");
        let first = number as u64 * 10;
        let solution = |at: usize| {
            map(vec![
                ("index", (first + at as u64).into()),
                ("name", format!("{}_GSU1", kernels[at]).into()),
                ("kernelName", kernels[at].as_str().into()),
                (
                    "problemPredicate",
                    map(vec![("type", "SomethingNew".into()), ("value", Value::Array(vec![1.into()]))]),
                ),
            ])
        };
        let rows = (0..2u64)
            .map(|at| map(vec![("key", Value::Array(vec![at.into(); 4])), ("index", (first + at).into())]));
        let library = map(vec![("type", "Matching".into()), ("table", Value::Array(rows.collect()))]);
        write(
            &format!("{stem}.dat"),
            map(vec![("solutions", Value::Array(vec![solution(0), solution(1)])), ("library", library)]),
        );
        std::fs::write(folder.path().join(format!("{stem}.co")), &code).unwrap();
        placeholders
            .push(row(always(), map(vec![("type", "Placeholder".into()), ("value", stem.as_str().into())])));
        mapping.push((Value::from(first), Value::from(stem)));
    }
    let problems = map(vec![("type", "Problem".into()), ("rows", Value::Array(placeholders))]);
    let device = map(vec![("type", "Processor".into()), ("value", "gfx90a".into())]);
    let hardware =
        map(vec![("type", "Hardware".into()), ("rows", Value::Array(vec![row(device, problems)]))]);
    write(
        "TensileLibrary_lazy_gfx90a.dat",
        map(vec![("solutions", Value::Array(vec![])), ("library", hardware)]),
    );
    write("TensileLiteLibrary_lazy_Mapping.dat", Value::Map(mapping));
    std::fs::write(folder.path().join("extop_gfx90a.co"), &code).unwrap();
    let op = map(vec![("func_name", kernels[0].as_str().into()), ("co_path", "extop_gfx90a.co".into())]);
    let of_type = map(vec![("S", Value::Array(vec![op]))]);
    write("hipblasltExtOpLibrary.dat", map(vec![("gfx90a", map(vec![("Softmax", of_type)]))]));
    for name in ["Kernels.so-000-gfx90a-xnack-.hsaco", "Kernels.so-000-gfx90a-xnack+.hsaco"] {
        std::fs::copy(source.path(name), folder.path().join(name)).unwrap();
    }
    check(folder.path(), FolderOwner::HipBlasLt, &[]).unwrap()
}

/// Names of kernels from the symbols of an object, read by the `object` crate.
pub fn object_kernels(code: &[u8]) -> Vec<String> {
    use object::read::elf::{FileHeader, Sym};
    let header = object::elf::FileHeader64::<object::Endianness>::parse(code).unwrap();
    let endian = header.endian().unwrap();
    let sections = header.sections(endian, code).unwrap();
    let symbols = sections.symbols(endian, code, object::elf::SHT_DYNSYM).unwrap();
    let names = symbols.iter().filter_map(|s| {
        let name = std::str::from_utf8(s.name(endian, symbols.strings()).ok()?).ok()?;
        name.strip_suffix(".kd").map(str::to_owned)
    });
    names.collect()
}
