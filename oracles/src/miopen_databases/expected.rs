//! Counts from an independent reader, for MIOpen's databases as of its commit 2d1fd997a6fc (October 2024).

/// File, records, entries, form, records by data type and by direction, and records that are 3D, NHWC,
/// grouped, dilated, or have keys outside of the grammar.
pub type FindDb = (&'static str, u64, u64, &'static str, [u64; 4], [u64; 3], [u64; 5]);

#[rustfmt::skip]
pub const FIND_DBS: &[FindDb] = &[
    ("gfx1030_36.HIP.fdb.txt", 106105, 328662, "1.0", [55977, 29885, 20243, 0], [34546, 29810, 41749], [113, 2766, 5760, 432, 0]),
    ("gfx803_36.HIP.fdb.txt", 59336, 162182, "1.0", [22611, 21419, 15264, 0], [19777, 19771, 19746], [6, 0, 3144, 423, 42]),
    ("gfx803_36.OpenCL.fdb.txt", 53431, 72033, "1.0", [20229, 18831, 14371, 0], [18053, 17736, 17642], [0, 0, 2373, 54, 0]),
    ("gfx803_64.HIP.fdb.txt", 59336, 162182, "1.0", [22611, 21419, 15264, 0], [19777, 19771, 19746], [6, 0, 3144, 423, 42]),
    ("gfx803_64.OpenCL.fdb.txt", 53431, 72033, "1.0", [20229, 18831, 14371, 0], [18053, 17736, 17642], [0, 0, 2373, 54, 0]),
    ("gfx900_56.HIP.fdb.txt", 64583, 179151, "1.0", [25306, 22894, 16383, 0], [21531, 21529, 21523], [69, 0, 3330, 432, 0]),
    ("gfx900_56.OpenCL.fdb.txt", 1711, 4608, "1.0", [1711, 0, 0, 0], [573, 566, 572], [0, 0, 126, 53, 0]),
    ("gfx900_64.HIP.fdb.txt", 59336, 162182, "1.0", [22611, 21419, 15264, 0], [19777, 19771, 19746], [6, 0, 3144, 423, 42]),
    ("gfx900_64.OpenCL.fdb.txt", 1717, 4728, "1.0", [1717, 0, 0, 0], [576, 567, 574], [0, 0, 126, 54, 0]),
    ("gfx906_64.HIP.fdb.txt", 64047, 195417, "1.0", [24920, 22644, 16441, 0], [21341, 21345, 21319], [6, 0, 3186, 432, 42]),
    ("gfx942130.HIP.fdb.txt", 9600, 37792, "2.0", [4924, 4676, 0, 0], [3391, 3072, 3137], [0, 45, 1572, 0, 0]),
];

/// Lines in perf-dbs; for SQLite, lines of the text form.
pub const LINES: &[(&str, u64)] =
    &[("gfx900_56.db", 41_835), ("gfx1030_36.db", 5_191), ("gfx942130.db", 9_393)];

/// A target, the beginnings of its files' names, and the sum of their lines.
pub const SUMS: &[(&str, &[&str], u64)] = &[
    ("gfx900", &["gfx900_56.", "gfx900_64."], 169_182),
    ("gfx1030", &["gfx1030_36."], 111_296),
    ("gfx803, 36", &["gfx803_36."], 112_767),
    ("gfx803, 64", &["gfx803_64."], 112_767),
    ("gfx942", &["gfx942130."], 18_993),
    ("gfx1100", &["gfx1100"], 0),
];

/// Id, file, count, and whether the defect is only likely. The independent reader listed the files of each;
/// it counted 582, 42, 6, 39, 3,139, 136, 3,543, 59,288 and 11,704 + 517. The rest was found first by this
/// reader: non-square records of other swapped files, and 3 configurations of gfx1030_36.db with a height of
/// -5.
#[rustfmt::skip]
pub const DEFECTS: &[(&str, &str, u64, bool)] = &[
    ("miopen-no-perf-db", "gfx803_36.HIP.fdb.txt", 1, false),
    ("miopen-no-perf-db", "gfx803_64.HIP.fdb.txt", 1, false),
    ("miopen-no-perf-db", "gfx900_64.HIP.fdb.txt", 1, false),
    ("miopen-no-perf-db", "gfx906_64.HIP.fdb.txt", 1, false),
    ("miopen-zero-time", "gfx1030_36.HIP.fdb.txt", 582, false),
    ("miopen-retired-solver", "gfx1030_36.HIP.fdb.txt", 136, false),
    ("miopen-retired-solver", "gfx803_36.OpenCL.fdb.txt", 3139, false),
    ("miopen-retired-solver", "gfx803_64.OpenCL.fdb.txt", 3139, false),
    ("miopen-malformed-key", "gfx803_36.HIP.fdb.txt", 42, false),
    ("miopen-malformed-key", "gfx803_64.HIP.fdb.txt", 42, false),
    ("miopen-malformed-key", "gfx900_64.HIP.fdb.txt", 42, false),
    ("miopen-malformed-key", "gfx906_64.HIP.fdb.txt", 42, false),
    ("miopen-malformed-key", "gfx1030_36.db", 3, false),
    ("miopen-3d-layout", "gfx803_36.HIP.fdb.txt", 6, false),
    ("miopen-3d-layout", "gfx803_64.HIP.fdb.txt", 6, false),
    ("miopen-3d-layout", "gfx900_64.HIP.fdb.txt", 6, false),
    ("miopen-3d-layout", "gfx906_64.HIP.fdb.txt", 6, false),
    ("miopen-3d-layout", "gfx900_56.db", 39, false),
    ("miopen-swapped-height-width", "gfx803_36.OpenCL.fdb.txt", 1809, false),
    ("miopen-swapped-height-width", "gfx803_64.HIP.fdb.txt", 3543, false),
    ("miopen-swapped-height-width", "gfx803_64.OpenCL.fdb.txt", 1809, false),
    ("miopen-swapped-height-width", "gfx900_56.OpenCL.fdb.txt", 159, true),
    ("miopen-swapped-height-width", "gfx900_64.HIP.fdb.txt", 3543, false),
    ("miopen-swapped-height-width", "gfx900_64.OpenCL.fdb.txt", 159, true),
    ("miopen-swapped-height-width", "gfx906_64.HIP.fdb.txt", 4446, false),
    ("miopen-copied-measurements", "gfx803_36.HIP.fdb.txt", 59288, false),
    ("miopen-copied-measurements", "gfx803_64.HIP.fdb.txt", 59336, false),
    ("miopen-dead-perf-row", "gfx900_56.db", 12221, false),
];
