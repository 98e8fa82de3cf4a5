//! The kernels inside librocblas that a product with a vector launches, and their grids.
//!
//! Source: rocBLAS 5, `rocblas_gemv_kernels.cpp` (the launcher, and `rocblas_gemvt_fat_n` of the row kernel).
//! Held against the library of 5.2. Names are those of the Itanium ABI; a kernel that a library does not have
//! was not yet in its release, and the next choice is taken.
#![deny(clippy::indexing_slicing)]

use super::call::{GemmCall, Transpose};
use super::launch::{Launch, Role};
use std::borrow::Cow;
use std::sync::Arc;

/// Template arguments of a type for the three operands, mangled, and the number of the substitution by which
/// the arguments of a function name the first pointer's type: of matrices, and of arrays of pointers to them.
type Words = (&'static str, &'static str, u32, &'static str, u32);

/// Types that have kernels.
const TYPES: &[Words] = &[
    ("SS", "fff", 3, "PKffKPf", 7),
    ("DD", "ddd", 3, "PKddKPd", 7),
    ("CC", "19rocblas_complex_numIfES1_S1_", 5, "PK19rocblas_complex_numIfES1_KPS1_", 9),
    ("ZZ", "19rocblas_complex_numIdES1_S1_", 5, "PK19rocblas_complex_numIdES1_KPS1_", 9),
    ("HHS", "DF16_fDF16_", 3, "PKDF16_fKPDF16_", 7),
    ("HSS", "DF16_ff", 3, "PKDF16_fKPf", 7),
    ("BBS", "16rocblas_bfloat16fS0_", 4, "PK16rocblas_bfloat16fKPS0_", 8),
    ("BSS", "16rocblas_bfloat16ff", 4, "PK16rocblas_bfloat16fKPf", 8),
];

/// The most that a 32-bit index reaches.
const REACH: u64 = i32::MAX as u64;

/// A launch before it has a file: kernel, work groups, work items of each.
type Planned = (String, [u64; 3], [u32; 3]);

/// What gemv is asked for: y = op(A) x, with A of m rows and n columns as it is stored.
struct Product<'c> {
    processor: &'c str,
    call: &'c GemmCall,
    op: Transpose,
    m: u64,
    n: u64,
    /// Whether the distances between elements need 64 bits.
    far: bool,
    /// Whether the places of elements do.
    wide: bool,
    words: (&'static str, u32),
}

/// The launches of a product with a vector; `has` says whether the library has a kernel. `None` for a type
/// without kernels.
pub fn launches(
    processor: &str,
    call: &GemmCall,
    library: &str,
    has: impl Fn(&str) -> bool,
) -> Option<Vec<Launch<'static>>> {
    let product = Product::from_call(processor, call)?;
    let planned = if call.alpha == 0.0 && call.beta == 1.0 { Vec::new() } else { product.plan(&has) };
    let file: Arc<str> = Arc::from(library);
    let count = planned.len();
    let launch = |(at, (kernel, grid, work_group)): (usize, Planned)| Launch {
        file: has(&kernel).then(|| Arc::clone(&file)),
        kernel: Cow::Owned(kernel),
        role: if at + 1 < count { Role::BetaOnly } else { Role::Main },
        grid,
        work_group,
    };
    Some(planned.into_iter().enumerate().map(launch).collect())
}

impl<'c> Product<'c> {
    /// One column is A times B's column; one row is B, turned the other way, times A's row.
    fn from_call(processor: &'c str, call: &'c GemmCall) -> Option<Self> {
        let [lda, ldb, _, ldd] = call.ld;
        let (op, rows, ld, [step_x, step_y]) = if call.n == 1 {
            (call.ta, call.m, lda, [if call.tb == Transpose::N { 1 } else { ldb }, 1])
        } else {
            let op = if call.tb == Transpose::N { Transpose::T } else { Transpose::N };
            (op, call.n, ldb, [if call.ta == Transpose::N { lda } else { 1 }, ldd])
        };
        let (m, n) = if op == Transpose::N { (rows, call.k) } else { (call.k, rows) };
        let (x, y) = if op == Transpose::N { (n, m) } else { (m, n) };
        let far = [ld, step_x, step_y].into_iter().any(|step| step > REACH);
        let reaches = |count: u64, step: u64| count.saturating_sub(1).saturating_mul(step) >= REACH;
        let wide = far || n.saturating_mul(ld) > REACH || reaches(x, step_x) || reaches(y, step_y);
        let (_, plain, first, pointers, first_of_pointers) = TYPES.iter().find(|row| row.0 == call.ty)?;
        let words = if call.strided { (*plain, *first) } else { (*pointers, *first_of_pointers) };
        Some(Product { processor, call, op, m, n, far, wide, words })
    }

    fn plan(&self, has: &impl Fn(&str) -> bool) -> Vec<Planned> {
        if self.op == Transpose::N { self.plain(has) } else { self.turned(has) }
    }

    /// Whether the inputs are of one of these letters of types.
    fn is(&self, letters: &str) -> bool {
        self.call.ty.chars().next().is_some_and(|letter| letters.contains(letter))
    }

    fn plain(&self, has: &impl Fn(&str) -> bool) -> Vec<Planned> {
        let (m, n, batch) = (self.m, self.n, self.call.batch);
        if !self.far && self.processor == "gfx90a" && m <= 32 && n <= 32 && batch >= 256 {
            let kernel = self.name("rocblas_gemvn_sm_mn_batched_kernel", "Li32ELi24E", GemvArguments::Short);
            if has(&kernel) {
                return vec![(kernel, [batch.div_ceil(24), 1, 1], [32, 24, 1])];
            }
        }
        let [x, y] = if n <= 128 && m >= n.saturating_mul(2048) {
            [64, 4]
        } else if let Some(launches) = self.buffered(self.processor == "gfx90a", m, 8, has) {
            return launches;
        } else if self.is_narrow() {
            [32, 16]
        } else {
            [64, 16]
        };
        let kernel = self.name(
            "rocblas_gemvn_kernel",
            &format!("Li{x}ELi{y}E{}", self.index()),
            GemvArguments::Indexed,
        );
        let rows = if self.is("Z") { u64::from(x) } else { u64::from(x) * 4 };
        vec![(kernel, [m.div_ceil(rows), 1, batch], [x, y, 1])]
    }

    /// Whether half as many work items are faster.
    fn is_narrow(&self) -> bool {
        let (m, n) = (self.m, self.n);
        let below = |limit: u64| m <= limit && n <= limit;
        match self.processor {
            "gfx908" => (self.is("SDC") && below(15_000)) || (self.is("Z") && below(18_000)),
            "gfx906" => {
                self.is("C")
                    || (self.is("SD") && below(6000))
                    || (self.is("D") && ((m >= 15_000 && n >= 15_000) || below(24_000)))
            }
            "gfx90a" => m < n.saturating_mul(2),
            processor => processor.starts_with("gfx11") && m < n.saturating_mul(2),
        }
    }

    fn turned(&self, has: &impl Fn(&str) -> bool) -> Vec<Planned> {
        let (m, n, batch) = (self.m, self.n, self.call.batch);
        let conjugates = self.op == Transpose::C;
        let first = format!("Lb{}E", u8::from(conjugates));
        if !self.far && m <= 64 && batch > 8 {
            let kernel =
                self.name("rocblas_gemvtsm_kernel", &format!("{first}Li256E"), GemvArguments::Single);
            return vec![(kernel, [batch, 1, 1], [256, 1, 1])];
        }
        if !self.far && self.is_fat() {
            let columns: u32 = if self.is("S") {
                64
            } else if self.is("Z") {
                8
            } else {
                32
            };
            let kernel = self.name(
                "rocblas_gemvt_row_vectorized_kernel",
                &format!("{first}Li16ELi{columns}E"),
                GemvArguments::Short4,
            );
            if has(&kernel) {
                return vec![(kernel, [n.div_ceil(u64::from(columns)), 1, batch], [16, columns, 1])];
            }
        }
        let large = (self.is("S") && m > 7000) || (self.is("D") && m > 3000);
        let blocks = if self.is("S") { 8 } else { 16 };
        if let Some(launches) = self.buffered(self.processor == "gfx908" && large, n, blocks, has) {
            return launches;
        }
        let rdna = !self.processor.starts_with("gfx9") && !conjugates;
        let small = |limit: u64| m < limit || n < limit;
        let (items, reduces): (u32, bool) = if rdna && (self.is("DC") || (self.is("S") && small(4000))) {
            (256, true)
        } else if !self.far && (self.is("S") || small(6000) || (rdna && self.is("Z"))) {
            (256, false)
        } else {
            (1024, true)
        };
        let kernel = if reduces {
            let arguments = format!("{first}Li{items}E{}", self.index());
            self.name("rocblas_gemvt_warp_reduce_kernel", &arguments, GemvArguments::Indexed)
        } else {
            self.name("rocblas_gemvt_kernel", &format!("{first}Li{items}E"), GemvArguments::Short)
        };
        vec![(kernel, [n, 1, batch], [items, 1, 1])]
    }

    /// Whether A has few rows and many columns.
    fn is_fat(&self) -> bool {
        let most = match self.call.ty.chars().next() {
            Some('S') => 768,
            Some('D' | 'C') => 384,
            Some('Z') => 128,
            _ => return false,
        };
        self.processor == "gfx90a" && self.n / 4 >= self.m && self.m <= most
    }

    /// Two kernels, for square matrices of whole tiles; the second adds with atomics.
    fn buffered(
        &self,
        is_for: bool,
        outputs: u64,
        blocks: u64,
        has: &impl Fn(&str) -> bool,
    ) -> Option<Vec<Planned>> {
        let square = self.m == self.n && self.m.is_multiple_of(128);
        if !is_for || self.far || self.call.det || !self.is("SD") || !square {
            return None;
        }
        let (batch, pointers) = (self.call.batch, !self.call.strided);
        let letter = if self.is("S") { "f" } else { "d" };
        let output = if pointers { "PKP" } else { "P" };
        let scale = format!("_ZL24rocblas_gemv_scal_kernelILi256E{letter}{output}{letter}EviT0_lT1_lili");
        let (items, each) = if self.is("S") { (8, "Li8ELi8E") } else { (4, "Li4ELi16E") };
        let (function, arguments, form) = if self.op == Transpose::N {
            ("rocblas_gemvn_double_buffered_kernel", format!("Li128E{each}"), GemvArguments::Buffered(3))
        } else {
            let conjugates = u8::from(self.op == Transpose::C);
            let arguments = format!("Lb{conjugates}ELi128E{each}");
            ("rocblas_gemvt_double_buffered_kernel", arguments, GemvArguments::Buffered(4))
        };
        let kernel = self.name(function, &arguments, form);
        if !has(&kernel) {
            return None;
        }
        let mut all = Vec::new();
        if self.call.beta != 1.0 {
            all.push((scale, [outputs.div_ceil(256), 1, batch], [256, 1, 1]));
        }
        if self.call.alpha != 0.0 {
            all.push((kernel, [outputs / 128, blocks, batch], [128, items, 1]));
        }
        Some(all)
    }

    /// The type of a kernel's index, mangled.
    fn index(&self) -> char {
        if self.wide { 'l' } else { 'i' }
    }

    /// The mangled name of a kernel.
    fn name(&self, function: &str, arguments: &str, form: GemvArguments) -> String {
        let (words, first) = self.words;
        let own = substitution(first);
        let [matrix, vector, scalar] = [own.clone(), substitution(first + 1), substitution(first - 3)];
        let rest = match form {
            GemvArguments::Indexed => format!("T3_lPKT2_lT1_l{matrix}l{vector}l{scalar}lPT4_l{vector}li"),
            GemvArguments::Short => format!("T2_lPKT1_lil{own}lil{scalar}lPT3_lili"),
            GemvArguments::Short4 => format!("T3_lPKT2_lil{own}lil{scalar}lPT4_lili"),
            GemvArguments::Single => format!("T2_lPKT1_lil{own}lil{scalar}lPT3_lil"),
            GemvArguments::Buffered(scalar) => {
                format!("T{scalar}_lPKT{}_lil{own}lilPT{}_lili", scalar - 1, scalar + 1)
            }
        };
        format!("_ZL{}{function}I{arguments}{words}Evii{rest}", function.len())
    }
}

/// How the arguments of a kernel go on behind its two sizes.
#[derive(Clone, Copy)]
enum GemvArguments {
    /// With indices of a template argument's type.
    Indexed,
    /// With 32-bit indices, and three template arguments before the scalar's type.
    Short,
    /// The same with four.
    Short4,
    /// Without a number of matrices.
    Single,
    /// Without a beta; the number of the template argument of the scalar's type.
    Buffered(u8),
}

/// A substitution of the Itanium ABI: `S3_`, in digits of base 36.
fn substitution(number: u32) -> String {
    let digit = char::from_digit(number, 36).unwrap_or('_').to_ascii_uppercase();
    format!("S{digit}_")
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]
mod tests {
    use super::*;
    use amdgpu_object::target::TargetId;

    /// Kernel, work groups and work items of calls that rocBLAS 5.2 was given on a stand-in for the HIP
    /// runtime.
    type Recorded =
        (&'static str, &'static str, [Transpose; 2], [u64; 4], [u64; 4], &'static str, [u64; 3], [u32; 3]);

    use Transpose::{C, N, T};

    const RECORDED: &[Recorded] = &[
        (
            "gfx1100",
            "SS",
            [T, N],
            [9, 1, 1, 1],
            [8, 8, 17, 17],
            "_ZL32rocblas_gemvt_warp_reduce_kernelILb0ELi256EifffEviiT3_lPKT2_lT1_lS3_lS4_lS0_lPT4_lS4_li",
            [9, 1, 1],
            [256, 1, 1],
        ),
        (
            "gfx1010",
            "ZZ",
            [C, T],
            [10, 1, 3, 1],
            [3, 1, 10, 10],
            "_ZL20rocblas_gemvt_kernelILb1ELi256E19rocblas_complex_numIdES1_S1_EviiT2_lPKT1_lilS5_lilS2_lPT3_lili",
            [10, 1, 1],
            [256, 1, 1],
        ),
        (
            "gfx1010",
            "DD",
            [N, T],
            [1, 17, 353, 1],
            [1, 17, 1, 1],
            "_ZL20rocblas_gemvn_kernelILi64ELi16EidddEviiT3_lPKT2_lT1_lS3_lS4_lS0_lPT4_lS4_li",
            [1, 1, 1],
            [64, 16, 1],
        ),
        (
            "gfx906",
            "ZZ",
            [C, N],
            [11, 1, 40, 64],
            [40, 40, 11, 11],
            "_ZL22rocblas_gemvtsm_kernelILb1ELi256E19rocblas_complex_numIdES1_S1_EviiT2_lPKT1_lilS5_lilS2_lPT3_lil",
            [64, 1, 1],
            [256, 1, 1],
        ),
        (
            "gfx90a",
            "ZZ",
            [T, N],
            [4096, 1, 8, 4],
            [9, 8, 4097, 4097],
            "_ZL35rocblas_gemvt_row_vectorized_kernelILb0ELi16ELi8E19rocblas_complex_numIdES1_S1_EviiT3_lPKT2_lilS5_lilS2_lPT4_lili",
            [512, 1, 4],
            [16, 8, 1],
        ),
        (
            "gfx90a",
            "BBS",
            [T, T],
            [1, 4096, 1, 4],
            [1, 4096, 9, 9],
            "_ZL20rocblas_gemvn_kernelILi64ELi4Ei16rocblas_bfloat16fS0_EviiT3_lPKT2_lT1_lS4_lS5_lS1_lPT4_lS5_li",
            [16, 1, 4],
            [64, 4, 1],
        ),
        (
            "gfx1100",
            "HHS",
            [T, T],
            [8192, 1, 8192, 1],
            [8192, 1, 8192, 8192],
            "_ZL32rocblas_gemvt_warp_reduce_kernelILb0ELi1024EiDF16_fDF16_EviiT3_lPKT2_lT1_lS3_lS4_lS0_lPT4_lS4_li",
            [8192, 1, 1],
            [1024, 1, 1],
        ),
    ];

    fn call((processor, ty, transposes, [m, n, k, batch], ld, ..): &Recorded) -> GemmCall {
        let call = GemmCall::new(&TargetId::bare(*processor), 60, ty, *transposes, [*m, *n, *k]);
        GemmCall { batch: *batch, ld: *ld, det: true, c_eq_d: true, ..call }
    }

    #[test]
    fn the_kernels_are_those_that_the_library_launched() {
        for row in RECORDED {
            let (processor, .., kernel, grid, work_group) = row;
            let own = launches(processor, &call(row), "librocblas.so.5.2", |_| true).unwrap();
            let [one] = &own[..] else { panic!("{own:?}") };
            assert_eq!((&*one.kernel, &one.grid, &one.work_group), (*kernel, grid, work_group));
            assert_eq!(one.file.as_deref(), Some("librocblas.so.5.2"));
        }
    }

    #[test]
    fn a_kernel_that_the_library_lacks_is_not_from_it() {
        let row = &RECORDED[4];
        let without = |kernel: &str| !kernel.contains("row_vectorized");
        let own = launches("gfx90a", &call(row), "librocblas.so.5.0", without).unwrap();
        assert!(
            own[0].kernel.starts_with("_ZL20rocblas_gemvt_kernelILb0E"),
            "an older release has no such choice"
        );
        let own = launches("gfx90a", &call(row), "librocblas.so.5.0", |_| false).unwrap();
        assert_eq!(own[0].file, None);
    }

    #[test]
    fn names_that_no_vector_has_are_those_of_the_library_itself() {
        let square = GemmCall { det: false, beta: 2.0, ..call(&RECORDED[2]) };
        let square = GemmCall { n: 256, k: 256, ld: [1, 256, 1, 1], ..square };
        let own = launches("gfx90a", &square, "", |_| true).unwrap();
        let names: Vec<&str> = own.iter().map(|launch| &*launch.kernel).collect();
        let expected = [
            "_ZL24rocblas_gemv_scal_kernelILi256EdPdEviT0_lT1_lili",
            "_ZL36rocblas_gemvn_double_buffered_kernelILi128ELi4ELi16EdddEviiT3_lPKT2_lilS3_lilPT4_lili",
        ];
        assert_eq!(names, expected);
        assert_eq!(own[1].grid, [2, 8, 1]);
        let pointers = GemmCall { strided: false, ..call(&RECORDED[5]) };
        let own = launches("gfx90a", &pointers, "", |_| true).unwrap();
        let kernel = "_ZL20rocblas_gemvn_kernelILi64ELi4EiPK16rocblas_bfloat16fKPS0_EviiT3_lPKT2_lT1_lS8_lS9_lS5_lPT4_lS9_li";
        assert_eq!(own[0].kernel, kernel);
        // Nothing is launched that changes nothing.
        let idle = GemmCall { alpha: 0.0, beta: 1.0, ..call(&RECORDED[0]) };
        assert!(launches("gfx1100", &idle, "", |_| true).unwrap().is_empty());
    }
}
