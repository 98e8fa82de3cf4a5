//! Perf-dbs: the tuned parameters of solvers for a problem, as text (`.db.txt`) or as SQLite (`.db`).
//!
//! ```text
//! KEY=SOLVER:PARAMETERS{;SOLVER:PARAMETERS}
//! ```
//!
//! KEY joins 24 fields with `x`; newer versions write `TF32` as a 25th where TF32 is allowed. SQLite has the
//! same fields as columns of the table `config`. The output's size is no field. MIOpen's `sqlite2txt` makes a
//! line of each configuration that has a row; sources: MIOpen 3.3.0 `src/include/miopen/db_record.hpp`,
//! `utils/sqlite2txt/main.cpp`.

use super::find_db::Origin;
#[cfg(not(feature = "sqlite"))]
pub use super::no_sqlite_perf_db::SqlitePerfDb;
use super::problem::{ConvolutionProblem, Direction, Extent};
#[cfg(feature = "sqlite")]
pub use super::sqlite_perf_db::SqlitePerfDb;
use super::text;
use super::text::{Malformed, Record, Split};

use std::borrow::Cow;
use std::fmt;

/// A problem in perf-dbs: without the output's size, so two backward problems may share it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Config<'a> {
    /// 2 or 3.
    pub dimensions: u32,
    /// Channels of *in*: of dy for the backward directions.
    pub channels: u32,
    /// Depth, height, width of *in*.
    pub input: Extent,
    /// Filter.
    pub filter: Extent,
    /// Channels of *out*.
    pub filters: u32,
    /// Batch.
    pub batch: u32,
    /// Padding.
    pub pad: Extent,
    /// Stride.
    pub stride: Extent,
    /// Dilation.
    pub dilation: Extent,
    /// 0 in every shipped row.
    pub bias: u32,
    /// Groups.
    pub groups: u32,
    /// Layout of *in*.
    pub layout: &'a str,
    /// Data type, as in a find-db's key.
    pub data_type: &'a str,
    /// Direction.
    pub direction: Direction,
    /// Whether the key has the 25th field.
    pub tf32: bool,
}

/// A table, and columns that are looked for in it.
pub type TableColumns = (&'static str, &'static [&'static str]);

/// The fields that are numbers, in the order of the key; the columns of SQLite.
pub(super) const NUMBERS: [&str; 21] = [
    "spatial_dim",
    "in_channels",
    "in_h",
    "in_w",
    "in_d",
    "fil_h",
    "fil_w",
    "fil_d",
    "out_channels",
    "batchsize",
    "pad_h",
    "pad_w",
    "pad_d",
    "conv_stride_h",
    "conv_stride_w",
    "conv_stride_d",
    "dilation_h",
    "dilation_w",
    "dilation_d",
    "bias",
    "group_count",
];

/// The tuned parameters of one solver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TunedSolver<'a> {
    /// The solver.
    pub solver: Cow<'a, str>,
    /// Its parameters as written; only the solver knows their meaning.
    pub parameters: Cow<'a, str>,
}

impl<'a> Config<'a> {
    /// The configuration that MIOpen looks up in a perf-db.
    pub fn from_problem(problem: &ConvolutionProblem<'a>) -> Config<'a> {
        Config {
            dimensions: u32::from(problem.dimensions),
            channels: problem.channels,
            input: problem.input,
            filter: problem.filter,
            filters: problem.filters,
            batch: problem.batch,
            pad: problem.pad,
            stride: problem.stride,
            dilation: problem.dilation,
            bias: problem.bias,
            groups: problem.groups,
            layout: problem.layouts[0],
            data_type: problem.data_type,
            direction: problem.direction,
            tf32: false,
        }
    }

    /// Splits a key with 24 or 25 fields.
    ///
    /// # Errors
    ///
    /// What was expected instead.
    pub fn parse(key: &'a str) -> Result<Config<'a>, &'static str> {
        let mut fields = key.split('x');
        let mut numbers = [0u32; NUMBERS.len()];
        for number in &mut numbers {
            let field = fields.next().ok_or("21 numbers between 'x'")?;
            let digits = !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit());
            *number = digits.then(|| field.parse().ok()).flatten().ok_or("21 numbers between 'x'")?;
        }
        let [dimensions, channels, ih, iw, id, fh, fw, fd, filters, batch, rest @ ..] = numbers;
        let [ph, pw, pd, sh, sw, sd, dh, dw, dd, bias, groups] = rest;
        let layout = fields.next().filter(|f| !f.is_empty()).ok_or("a layout")?;
        let data_type = fields.next().filter(|f| !f.is_empty()).ok_or("a data type")?;
        let direction = match fields.next().map(str::as_bytes) {
            Some([letter]) => Direction::of_letter(*letter),
            _ => None,
        };
        let tf32 = match fields.next() {
            None => false,
            Some("TF32") => true,
            Some(_) => return Err("TF32 or nothing behind the direction"),
        };
        if fields.next().is_some() {
            return Err("at most 25 fields");
        }
        Ok(Config {
            dimensions,
            channels,
            input: [id, ih, iw],
            filter: [fd, fh, fw],
            filters,
            batch,
            pad: [pd, ph, pw],
            stride: [sd, sh, sw],
            dilation: [dd, dh, dw],
            bias,
            groups,
            layout,
            data_type,
            direction: direction.ok_or("a direction: F, B or W")?,
            tf32,
        })
    }

    pub(super) fn numbers(&self) -> [u32; NUMBERS.len()] {
        let ([id, ih, iw], [fd, fh, fw], [pd, ph, pw]) = (self.input, self.filter, self.pad);
        let ([sd, sh, sw], [dd, dh, dw]) = (self.stride, self.dilation);
        let (dimensions, channels, filters, batch) =
            (self.dimensions, self.channels, self.filters, self.batch);
        [
            dimensions,
            channels,
            ih,
            iw,
            id,
            fh,
            fw,
            fd,
            filters,
            batch,
            ph,
            pw,
            pd,
            sh,
            sw,
            sd,
            dh,
            dw,
            dd,
            self.bias,
            self.groups,
        ]
    }
}

impl fmt::Display for Config<'_> {
    /// Writes the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.numbers().iter().try_for_each(|number| write!(f, "{number}x"))?;
        write!(f, "{}x{}x{}", self.layout, self.data_type, self.direction.letter())?;
        if self.tf32 { f.write_str("xTF32") } else { Ok(()) }
    }
}

/// The configuration of a line in a text perf-db.
///
/// # Errors
///
/// [`Malformed`] if the key is outside of the grammar.
pub fn config<'a>(record: &Record<'a>) -> Result<Config<'a>, Malformed> {
    Config::parse(record.key_text()?).map_err(|expected| Malformed {
        line: record.line,
        offset: record.offset,
        expected,
    })
}

/// The solvers of a line of a text perf-db.
pub fn items<'a>(record: &Record<'a>) -> Items<'a> {
    Items { split: record.items(), line: record.line }
}

/// Iterates over the solvers of a line. A repeated solver is returned each time; the first counts.
#[derive(Debug)]
pub struct Items<'a> {
    split: Split<'a>,
    line: u64,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<TunedSolver<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let (offset, item) = self.split.next()?;
        let line = self.line;
        let not = |expected| Malformed { line, offset, expected };
        let text = std::str::from_utf8(item).map_err(|_| not("a solver and parameters in ASCII"));
        Some(text.and_then(|text| match text.split_once(':') {
            Some((solver, parameters)) if !solver.is_empty() => {
                Ok(TunedSolver { solver: solver.into(), parameters: parameters.trim_ascii().into() })
            }
            _ => Err(not("a solver and ':'")),
        }))
    }
}

/// The line of a configuration in a text perf-db.
pub fn find<'a>(bytes: &'a [u8], config: &Config<'_>) -> Option<Record<'a>> {
    text::find(bytes, &config.to_string())
}

/// The solvers MIOpen uses from the user's and the installed perf-db: each once, the user's first
/// (`MultiFileDb<…, true>`).
pub fn merge<'a>(
    user: impl IntoIterator<Item = TunedSolver<'a>>,
    system: impl IntoIterator<Item = TunedSolver<'a>>,
) -> Vec<(Origin, TunedSolver<'a>)> {
    let user = user.into_iter().map(|tuned| (Origin::User, tuned));
    let mut merged: Vec<(Origin, TunedSolver<'a>)> = Vec::new();
    for (origin, tuned) in user.chain(system.into_iter().map(|tuned| (Origin::System, tuned))) {
        if merged.iter().all(|(_, other)| other.solver != tuned.solver) {
            merged.push((origin, tuned));
        }
    }
    merged
}

/// A row of a perf-db in SQLite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerfDbRow {
    /// Number of the row in `perf_db`.
    pub id: i64,
    /// The key in the text form.
    pub key: String,
    /// The solver and its parameters.
    pub tuned: TunedSolver<'static>,
}

/// What SQLite, or a row, contains instead of what was expected.
pub type Refused = rocm_audit_files::error::Unread;

impl SqlitePerfDb<'_> {
    /// The rows from which `sqlite2txt` makes a line.
    pub const LINES: &'static str =
        "SELECT COUNT(DISTINCT config) FROM perf_db WHERE config IN (SELECT id FROM config)";
    /// Tables that a perf-db must have.
    pub const TABLES: &'static [&'static str] = &["perf_db", "config"];
    /// Columns that MIOpen looks for when it opens one (3.3.0, `src/sqlite_db.cpp:452-469` and
    /// `src/include/miopen/conv/problem_description.hpp:364-398`).
    pub const COLUMNS: &'static [TableColumns] = &[
        ("config", &NUMBERS),
        ("config", &["layout", "data_type", "direction"]),
        ("perf_db", &["solver", "config", "params"]),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "2x64x55x55x1x3x1x1x16x2x1x0x0x1x1x0x1x1x0x0x1xNCHWxFP16xB";

    fn tuned(solver: &'static str, parameters: &'static str) -> TunedSolver<'static> {
        TunedSolver { solver: solver.into(), parameters: parameters.into() }
    }

    #[test]
    fn keys_are_read_written_and_made_of_problems() {
        for key in [KEY, &format!("{KEY}xTF32")] {
            assert_eq!(Config::parse(key).map(|c| c.to_string()).as_deref(), Ok(key));
        }
        let problem = ConvolutionProblem::parse("64-55-55-3x1-16-55-57-2-1x0-1x1-1x1-0-NCHW-FP16-B").unwrap();
        assert_eq!(Config::from_problem(&problem).to_string(), KEY);
        let expected = |key: &str| Config::parse(key).unwrap_err();
        assert_eq!(expected("2x64"), "21 numbers between 'x'");
        assert_eq!(expected(&KEY.replace("xB", "xQ")), "a direction: F, B or W");
        assert_eq!(expected(&format!("{KEY}xTF")), "TF32 or nothing behind the direction");
        assert_eq!(expected(&format!("{KEY}xTF32x")), "at most 25 fields");
    }

    #[test]
    fn lines_give_solvers_and_parameters() {
        let line = format!("{KEY}=A<1>:1,2;CK:Device<64, 4>,a:b \r;none;:x");
        let record = text::records(line.as_bytes()).next().unwrap().unwrap();
        assert_eq!(find(line.as_bytes(), &config(&record).unwrap()), Some(record));
        let got: Vec<_> = items(&record).map(|i| i.map_err(|e| e.expected)).collect();
        let no = Err("a solver and ':'");
        assert_eq!(got, [Ok(tuned("A<1>", "1,2")), Ok(tuned("CK", "Device<64, 4>,a:b")), no.clone(), no]);
    }

    #[test]
    fn user_values_come_first_and_solvers_once() {
        let merged = merge([tuned("A", "1")], [tuned("A", "2"), tuned("B", "3")]);
        assert_eq!(merged, [(Origin::User, tuned("A", "1")), (Origin::System, tuned("B", "3"))]);
    }
}
