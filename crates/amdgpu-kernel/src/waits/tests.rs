//! Waits that are there, that are missing, and that lie on one of two ways. Encodings are those of llvm-mc 22.

use super::{Misuse, Undecided, Waits};
use crate::tests::{KERNELS, bytes_of};
use crate::{Code, Graph};
use amdgpu_isa::{Decoder, Mode};

const GFX906: &[(&str, &str)] = &[
    ("load v1", "008050dc00000001"), // global_load_dword v1, v0, s[0:1]
    ("load v2", "008050dc00000002"),
    ("vmcnt 1", "710f8cbf"),
    ("vmcnt 0", "700f8cbf"),
    ("read v1", "01030668"), // v_add_u32_e32 v3, v1, v1
    ("read v2", "02050668"),
    ("write v1", "0403027e"),         // v_mov_b32_e32 v1, v4
    ("store v3", "008070dc00030000"), // global_store_dword v0, v3, s[0:1]
    ("load s4", "000102c000000000"),  // s_load_dword s4, s[0:1], 0x0
    ("load s5", "400102c004000000"),
    ("lgkmcnt 1", "7fc18cbf"),
    ("lgkmcnt 0", "7fc08cbf"),
    ("read s4 s5", "04050680"),     // s_add_u32 s6, s4, s5
    ("lds v1", "00006cd800000001"), // ds_read_b32 v1, v0
    ("lds v2", "00006cd800000002"),
    ("flat v1", "000050dc04000001"), // flat_load_dword v1, v[4:5]
    ("skip", "010084bf"),            // s_cbranch_scc0 over four bytes
    ("again", "feff84bf"),           // s_cbranch_scc0 to the instruction of four bytes before
    ("end", "000081bf"),
    ("s4 = 0?", "048006bf"), // s_cmp_eq_u32 s4, 0
    ("s4 = 1?", "048106bf"),
    ("s4 != 0?", "048007bf"),       // s_cmp_lg_u32 s4, 0
    ("s4 - 1", "04818480"),         // s_sub_u32 s4, s4, 1
    ("s5 = s4", "040085be"),        // s_mov_b32 s5, s4
    ("s4 = 2?", "048206bf"),        // s_cmp_eq_u32 s4, 2
    ("s4 <= 2?", "04820bbf"),       // s_cmp_le_u32 s4, 2
    ("s5 odd?", "05810786"),        // s_and_b32 s7, s5, 1
    ("s5 > 2?", "058202bf"),        // s_cmp_gt_i32 s5, 2
    ("if so", "020085bf"),          // s_cbranch_scc1 over eight bytes
    ("if not", "020084bf"),         // s_cbranch_scc0 over eight bytes
    ("call", "021e9ebe"),           // s_swappc_b64 s[30:31], s[2:3]
    ("low v1", "008090dc00000001"), // global_load_short_d16 v1, v0, s[0:1]
    ("high v1", "008094dc00000001"),
    ("v5 = 0xf00000", "ff020a7e0000f000"), // v_mov_b32_e32 v5, 0xf00000
    ("v5 = 0x100", "ff020a7e00010000"),
    ("lds v1 at v5", "00006cd805000001"), // ds_read_b32 v1, v5
    ("scale v1", "0103060a"),             // v_mul_f32_e32 v3, v1, v1
    ("sum with v1", "0300cbd102050604"),  // v_fma_f32 v3, v2, v2, v1
    ("add to v1", "0205022c"),            // v_mac_f32_e32 v1, v2, v2
    ("other lanes", "0201febe"),          // s_mov_b64 exec, s[2:3]
    ("lds v2 at v5", "00006cd805000002"),
    ("lds v1 v2 at v5", "0000ecd805000001"), // ds_read_b64 v[1:2], v5
    ("v1 = v2", "0203027e"),                 // v_mov_b32_e32 v1, v2
    ("v1 = v2 e64", "010041d102010000"),
    ("v1 = v2 of the next lane", "fa02027e020101ff"), // v_mov_b32_dpp v1, v2 row_shl:1
    ("v6 = v2", "02030c7e"),
    ("v1 = v6", "0603027e"),
    ("v1 = 0", "8002027e"),
    ("add to v2", "0205042c"), // v_mac_f32_e32 v2, v2, v2
];

const GFX90A: &[(&str, &str)] = &[
    ("v5 = 0xf00000", "ff020a7e0000f000"),
    ("lds a1 at v5", "00006cda05000001"), // ds_read_b32 a1, v5
    ("lds a2 at v5", "00006cda05000002"),
    ("s4 = 0?", "048006bf"),
    ("if so", "030085bf"), // s_cbranch_scc1 over twelve bytes
    ("lgkmcnt 0", "7fc08cbf"),
    ("product", "0080c2d300050204"), // v_mfma_f32_4x4x1f32 a[0:3], v0, v2, a[0:3]
    ("v6 = a2", "0640d8d302010018"), // v_accvgpr_read_b32 v6, a2
    ("a1 = v6", "0140d9d306010018"), // v_accvgpr_write_b32 a1, v6
    ("a1 = a2", "02a5027e"),         // v_accvgpr_mov_b32 a1, a2
    ("v6 + v6", "060d0c02"),         // v_add_f32_e32 v6, v6, v6
    ("end", "000081bf"),
];

const GFX1100: &[(&str, &str)] = &[
    ("low v1", "000082dc00000001"), // global_load_d16_b16 v1, v0, s[0:1]
    ("high v1", "00008edc00000001"),
    ("vmcnt 1", "f70789bf"),
    ("vmcnt 0", "f70389bf"),
    ("read v1.l", "0117047e"), // v_cvt_f32_f16_e32 v2, v1.l
    ("read v1.h", "8117047e"),
    ("store v2", "00006adc00020000"), // global_store_b32 v0, v2, s[0:1]
    ("vscnt 0", "00007cbc"),          // s_waitcnt_vscnt null, 0x0
    ("lds v1.l", "000098da00000001"), // ds_load_u16_d16 v1, v0
    ("lgkmcnt 0", "07fc89bf"),
    ("store v1.h", "000096dc00010000"), // global_store_d16_hi_b16 v0, v1, s[0:1]
    ("store v1.l", "000066dc00010000"), // global_store_b16 v0, v1, s[0:1]
    ("vmcnt null 0", "0000fcbc"),       // s_waitcnt_vmcnt null, 0x0
    ("end", "0000b0bf"),
];

const GFX1200: &[(&str, &str)] = &[
    ("load v1", "000005ee0100000000000000"), // global_load_b32 v1, v0, s[0:1]
    ("lds v2", "0000d8d800000002"),
    ("load s4", "000100f4000000f8"),
    ("loadcnt 0", "0000c0bf"),
    ("dscnt 0", "0000c6bf"),
    ("kmcnt 0", "0000c7bf"),
    ("loadcnt dscnt 0", "0000c8bf"),
    ("storecnt dscnt", "003fc9bf"), // s_wait_storecnt_dscnt 0x3f00: any stores, no memory of the work-group
    ("read v1 v2", "01050606"),
    ("read s4", "0402067e"),
    ("end", "0000b0bf"),
];

/// The missing waits of a kernel that is written in the words of a table: numbers of the instruction whose
/// result it is and of its user, register, misuse, whether it is so each time.
fn missing(
    processor: &str,
    table: &[(&str, &str)],
    kernel: &str,
) -> Vec<(usize, usize, String, Misuse, bool)> {
    let (bytes, starts) = assembled(table, kernel);
    let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
    let code = Code::new(decoder, &bytes, 0..bytes.len(), 64);
    let waits = Waits::from_graph(&code, &Graph::from_code(&code));
    assert_eq!(waits.undecided(), None, "{kernel}");
    let number = |offset: u32| starts.iter().position(|start| *start == offset).unwrap();
    let row = |one: &super::MissingWait| {
        let pair = (number(one.source()), number(one.user()));
        (pair.0, pair.1, one.register().to_owned(), one.misuse(), one.is_each_time())
    };
    waits.missing().iter().map(row).collect()
}

fn assembled(table: &[(&str, &str)], kernel: &str) -> (Vec<u8>, Vec<u32>) {
    let (mut bytes, mut starts) = (Vec::new(), Vec::new());
    for word in kernel.split(';').map(str::trim) {
        starts.push(bytes.len() as u32);
        let (_, hex) = table.iter().find(|(own, _)| *own == word).unwrap_or_else(|| panic!("{word}"));
        bytes.extend(bytes_of(hex));
    }
    (bytes, starts)
}

fn read(from: usize, at: usize, register: &str, each_time: bool) -> (usize, usize, String, Misuse, bool) {
    (from, at, register.to_owned(), Misuse::Read, each_time)
}

#[test]
fn results_of_vector_memory_come_in_order() {
    let gfx906 = |kernel| missing("gfx906", GFX906, kernel);
    assert_eq!(gfx906("load v1; load v2; vmcnt 1; read v1; vmcnt 0; read v2; end"), []);
    assert_eq!(gfx906("load v1; load v2; vmcnt 1; read v2; end"), [read(1, 3, "v2", true)]);
    // Stores count on gfx9, and so does what they read.
    assert_eq!(gfx906("load v1; store v3; vmcnt 1; read v1; end"), []);
    assert_eq!(gfx906("load v1; write v1; end"), [(0, 1, "v1".to_owned(), Misuse::Overwritten, true)]);
    assert_eq!(gfx906("load v1; load v1; vmcnt 0; read v1; end"), []);
    // Memory of the work-group may answer before vector memory does.
    let other = (0, 1, "v1".to_owned(), Misuse::Overwritten, true);
    assert_eq!(gfx906("load v1; lds v1; vmcnt 0; lgkmcnt 0; read v1; end"), [other]);
    assert_eq!(gfx906("low v1; high v1; vmcnt 0; read v1; end"), []);
}

#[test]
fn scalar_results_come_in_any_order() {
    let gfx906 = |kernel| missing("gfx906", GFX906, kernel);
    assert_eq!(gfx906("load s4; load s5; lgkmcnt 0; read s4 s5; end"), []);
    let both = [read(0, 3, "s4", true), read(1, 3, "s5", true)];
    assert_eq!(gfx906("load s4; load s5; lgkmcnt 1; read s4 s5; end"), both);
    // Memory of the work-group has its order even beside them.
    assert_eq!(gfx906("lds v1; lds v2; lgkmcnt 1; read v1; lgkmcnt 0; read v2; end"), []);
    assert_eq!(gfx906("lds v1; load s4; lgkmcnt 1; read v1; lgkmcnt 0; end"), [read(0, 3, "v1", true)]);
}

#[test]
fn a_wait_on_one_of_two_ways_is_missing_on_the_other() {
    let gfx906 = |kernel| missing("gfx906", GFX906, kernel);
    assert_eq!(gfx906("load v1; skip; vmcnt 0; read v1; end"), [read(0, 3, "v1", false)]);
    assert_eq!(gfx906("load v1; skip; lgkmcnt 0; vmcnt 0; read v1; end"), []);
    // Around a loop: the wait of one passes the load that stands behind it.
    assert_eq!(gfx906("vmcnt 0; read v1; again; end"), []);
    let looped = "load v2; read v1; again; vmcnt 0; end";
    assert_eq!(gfx906(looped), []);
}

/// Twice the same question has the same answer, as long as the register is what it was.
#[test]
fn ways_with_conditions_that_exclude_each_other_are_none() {
    let gfx906 = |kernel| missing("gfx906", GFX906, kernel);
    // Loaded only if s4 is 0, used only if it is not.
    assert_eq!(gfx906("s4 = 0?; if not; load v1; s4 = 0?; if so; read v1; read v2; end"), []);
    assert_eq!(gfx906("s4 = 0?; if not; load v1; s4 != 0?; if not; read v1; read v2; end"), []);
    assert_eq!(gfx906("s4 = 0?; if not; load v1; s4 = 1?; if not; read v1; read v2; end"), []);
    // The opposite question, another register's worth of doubt, and a value that changed.
    let used = |at| vec![read(2, at, "v1", false)];
    assert_eq!(gfx906("s4 = 0?; if not; load v1; s4 = 0?; if not; read v1; read v2; end"), used(5));
    assert_eq!(gfx906("s4 = 0?; if so; load v1; s4 = 1?; if not; read v1; read v2; end"), used(5));
    assert_eq!(gfx906("s4 = 0?; if not; load v1; s4 - 1; s4 = 0?; if so; read v1; read v2; end"), used(6));
}

/// hipBLASLt's sums of parts: the number of parts less one is counted down, and asked again as it was. rocBLAS's
/// loops over two steps: the last one is left out by the lowest bit of the number of steps.
#[test]
fn what_registers_are_computed_of_rules_ways_out() {
    let gfx906 = |kernel: &str| missing("gfx906", GFX906, kernel);
    let used = |from, at| vec![read(from, at, "v1", false)];
    // Used only where s5 is above 2; not waited for only where s4, which was s5 and is one less, is 0.
    let counted =
        "s5 = s4; load v1; s4 - 1; s4 = 0?; if so; vmcnt 0; vmcnt 0; s5 > 2?; if not; read v1; read v2; end";
    assert_eq!(gfx906(counted), []);
    assert_eq!(gfx906(&counted.replace("s5 > 2?", "s4 = 0?")), used(1, 9));
    assert_eq!(gfx906(&counted.replace("s5 = s4; ", "")), used(0, 8));
    // Used only where s5 is odd; not waited for only where s4, the same, is 2: not above it, and neither 0 nor 1.
    let odd = "s5 = s4; s4 = 0?; if not; end; end; s4 = 1?; if not; end; end; load v1; s4 <= 2?; if so; vmcnt 0; \
        vmcnt 0; s5 odd?; if not; read v1; read v2; end";
    assert_eq!(gfx906(odd), []);
    assert_eq!(gfx906(&odd.replace("s4 = 1?", "s4 = 2?")), used(9, 16));
}

/// Tensile clears its sums by LDS beyond its end. Where no step of the loop is made, its kernels scale them without
/// a wait: that is a kind of its own. What adds to a sum that may not be cleared yet is a missing wait as any other.
#[test]
fn sums_that_nothing_is_added_to_are_a_kind_of_their_own() {
    let all = |kernel: &str| missing_and_empty("gfx906", GFX906, kernel);
    // Without a step of the loop, the branch skips 8 bytes: the wait and the only product.
    let tensile = "v5 = 0xf00000; lds v1 at v5; s4 = 0?; if so; lgkmcnt 0; add to v1; scale v1; end";
    assert_eq!(all(tensile), (vec![], vec![(1, 6)]));
    // An address that may be the work-group's, one that nothing says, and one that other lanes have.
    assert_eq!(all(&tensile.replace("0xf00000", "0x100")), (vec![(1, 6)], vec![]));
    assert_eq!(all(&tensile.replace("v5 = 0xf00000", "s4 - 1")), (vec![(1, 6)], vec![]));
    assert_eq!(all(&tensile.replace("; lds v1", "; other lanes; lds v1")), (vec![(2, 7)], vec![]));
    // A product that is added to it, in its own register or another.
    assert_eq!(all(&tensile.replace("scale v1", "sum with v1")), (vec![(1, 6)], vec![]));
    assert_eq!(all(&tensile.replace("lgkmcnt 0; add", "vmcnt 0; add")), (vec![(1, 5)], vec![(1, 6)]));
    // Each time, and written over.
    assert_eq!(all("v5 = 0xf00000; lds v1 at v5; scale v1; end"), (vec![(1, 2)], vec![]));
    assert_eq!(all(&tensile.replace("scale v1", "write v1")), (vec![(1, 6)], vec![]));
}

/// Results and their users.
type Pairs = Vec<(usize, usize)>;

/// Missing waits, and sums that nothing is added to: the results and their users by their numbers.
fn missing_and_empty(processor: &str, table: &[(&str, &str)], kernel: &str) -> (Pairs, Pairs) {
    let (bytes, starts) = assembled(table, kernel);
    let decoder = Decoder::for_processor(processor, Mode::Correct).unwrap();
    let code = Code::new(decoder, &bytes, 0..bytes.len(), 64);
    let waits = Waits::from_graph(&code, &Graph::from_code(&code));
    let number = |offset: u32| starts.iter().position(|start| *start == offset).unwrap();
    let pairs = |all: &[super::MissingWait]| -> Pairs {
        all.iter().map(|one| (number(one.source()), number(one.user()))).collect()
    };
    (pairs(waits.missing()), pairs(waits.empty_sums()))
}

/// Tensile moves sums onto others where a tile is cut short. Where nothing was added, that is zero onto zero. If
/// something else may be moved there, or a later instruction changes the result, a wait is missing.
#[test]
fn empty_sums_that_are_moved_onto_empty_sums_are_empty() {
    let all = |kernel: &str| missing_and_empty("gfx906", GFX906, kernel);
    // Without a step of the loop, the branch skips 8 bytes: the wait and the only product.
    let tensile = "v5 = 0xf00000; lds v1 at v5; lds v2 at v5; s4 = 0?; if so; lgkmcnt 0; add to v2; v1 = v2; scale v1; end";
    let both = (vec![], vec![(2, 7), (1, 7)]);
    assert_eq!(all(tensile), both);
    assert_eq!(all(&tensile.replace("v1 = v2", "v1 = v2 e64")), both);
    assert_eq!(
        all(&tensile.replace("lds v1 at v5; lds v2", "lds v2 at v5; lds v1")),
        (vec![], vec![(1, 7), (2, 7)])
    );
    // By way of another register, and zero itself.
    assert_eq!(all(&tensile.replace("v1 = v2", "v6 = v2; v1 = v6")), (vec![], vec![(2, 7), (1, 8)]));
    assert_eq!(all(&tensile.replace("v1 = v2", "v1 = 0")), (vec![], vec![(1, 7)]));
    // For fewer lanes zero stays zero, but another register holds something else in those that did not take part.
    let fewer = |moves| all(&tensile.replace("v1 = v2", moves));
    assert_eq!(fewer("other lanes; v1 = v2"), (vec![], vec![(2, 8), (1, 8)]));
    assert_eq!(fewer("other lanes; v6 = v2; v1 = v6"), (vec![], vec![(2, 8), (1, 9)]));
    assert_eq!(fewer("v6 = v2; other lanes; v1 = v6"), (vec![], vec![(2, 7), (1, 9)]));
    assert_eq!(fewer("other lanes; v6 = v2; other lanes; v1 = v6"), (vec![(1, 10)], vec![(2, 8)]));
    // Lanes without a next one keep what they held, which is read for that.
    assert_eq!(all(&tensile.replace("v1 = v2", "v1 = v2 of the next lane")), (vec![(1, 7), (2, 7)], vec![]));

    // What is moved may be no sum, or one that something was added to along the same way.
    assert_eq!(all(&tensile.replace("v1 = v2", "write v1")), (vec![(1, 7)], vec![]));
    assert_eq!(all(&tensile.replace("lds v2 at v5", "s4 - 1")), (vec![(1, 7)], vec![]));
    assert_eq!(all(&tensile.replace("v1 = v2", "add to v2; v1 = v2")), (vec![(2, 7), (1, 8)], vec![]));
    let added = tensile.replace("lgkmcnt 0; add to v2", "add to v2; add to v2");
    assert_eq!(all(&added), (vec![(2, 5), (1, 7)], vec![(2, 7)]));
    // Behind it the result is still on its way: what adds to it or writes over it loses something, if nothing waits.
    assert_eq!(all(&tensile.replace("scale v1", "add to v1")), (vec![(1, 7)], vec![(2, 7)]));
    assert_eq!(all(&tensile.replace("scale v1", "write v1")), (vec![(1, 7)], vec![(2, 7)]));
    assert_eq!(all(&tensile.replace("scale v1", "lgkmcnt 0; add to v1")), both);
    // The other half of the same result counts as well.
    let pair = tensile.replace("lds v1 at v5; lds v2 at v5", "v1 = 0; lds v1 v2 at v5");
    assert_eq!(all(&pair.replace("v1 = v2", "v1 = 0")), (vec![], vec![(2, 7)]));
    assert_eq!(all(&pair.replace("v1 = v2", "v1 = 0; add to v2")), (vec![(2, 7)], vec![]));
}

#[test]
fn empty_sums_are_moved_through_accumulation_registers() {
    let all = |kernel: &str| missing_and_empty("gfx90a", GFX90A, kernel);
    let tensile = "v5 = 0xf00000; lds a1 at v5; lds a2 at v5; s4 = 0?; if so; lgkmcnt 0; product; v6 = a2; a1 = v6; end";
    assert_eq!(all(tensile), (vec![], vec![(2, 7), (1, 8)]));
    assert_eq!(all(&tensile.replace("v6 = a2; a1 = v6", "a1 = a2")), (vec![], vec![(2, 7), (1, 7)]));
    assert_eq!(all(&tensile.replace("a1 = v6", "v6 + v6; a1 = v6")), (vec![(1, 9)], vec![(2, 7)]));
    assert_eq!(all(&tensile.replace("v6 = a2; ", "")), (vec![(1, 7)], vec![]));
}

#[test]
fn flat_results_are_covered_by_either_counter_and_calls_wait() {
    let gfx906 = |kernel| missing("gfx906", GFX906, kernel);
    assert_eq!(gfx906("flat v1; vmcnt 0; read v1; end"), []);
    assert_eq!(gfx906("flat v1; lgkmcnt 0; read v1; end"), []);
    assert_eq!(gfx906("flat v1; read v1; end"), [read(0, 1, "v1", true)]);
    assert_eq!(gfx906("load v1; call; read v1; end"), []);
}

#[test]
fn halves_of_registers_are_results_of_their_own_since_gfx11() {
    let gfx1100 = |kernel| missing("gfx1100", GFX1100, kernel);
    assert_eq!(gfx1100("low v1; high v1; vmcnt 1; read v1.l; vmcnt 0; read v1.h; end"), []);
    assert_eq!(gfx1100("low v1; high v1; vmcnt 1; read v1.h; end"), [read(1, 3, "v1", true)]);
    assert_eq!(gfx1100("high v1; lds v1.l; lgkmcnt 0; read v1.l; vmcnt 0; end"), []);
    assert_eq!(gfx1100("low v1; store v1.h; vmcnt 0; end"), []);
    assert_eq!(gfx1100("low v1; store v1.l; vmcnt 0; end"), [read(0, 1, "v1", true)]);
    // Stores have a counter of their own: neither do they push a load out, nor does theirs wait for it.
    assert_eq!(gfx1100("low v1; store v2; vmcnt 1; read v1.l; end"), [read(0, 3, "v1", true)]);
    assert_eq!(gfx1100("low v1; vscnt 0; read v1.l; end"), [read(0, 2, "v1", true)]);
    assert_eq!(gfx1100("low v1; vmcnt null 0; read v1.l; end"), []);
}

#[test]
fn gfx12_has_a_counter_for_each_memory() {
    let gfx1200 = |kernel| missing("gfx1200", GFX1200, kernel);
    assert_eq!(gfx1200("load v1; lds v2; loadcnt 0; dscnt 0; read v1 v2; end"), []);
    assert_eq!(gfx1200("load v1; lds v2; loadcnt dscnt 0; read v1 v2; end"), []);
    assert_eq!(gfx1200("load v1; lds v2; storecnt dscnt; read v1 v2; end"), [read(0, 3, "v1", true)]);
    assert_eq!(gfx1200("load s4; dscnt 0; read s4; end"), [read(0, 2, "s4", true)]);
    assert_eq!(gfx1200("load s4; kmcnt 0; read s4; end"), []);
}

/// What compilers make has no missing wait; with any wait for results taken out, many kernels have.
#[test]
fn kernels_of_compilers_wait_and_show_it_when_a_wait_is_gone() {
    let (mut kernels, mut taken, mut found) = (0, 0, 0);
    for line in KERNELS.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let mut bytes = bytes_of(columns[8]);
        let decoder = Decoder::for_processor(columns[0], Mode::Correct).unwrap();
        let lanes = columns[1].parse().unwrap();
        let of = |bytes: &[u8]| {
            let code = Code::new(decoder, bytes, 0..bytes.len(), lanes);
            Waits::from_graph(&code, &Graph::from_code(&code))
        };
        let whole = of(&bytes);
        if whole.undecided().is_some() {
            assert!(matches!(whole.undecided(), Some(Undecided::IndirectJump | Undecided::IndexedRegisters)));
            continue;
        }
        assert_eq!(whole.missing(), [], "{} {}", columns[0], columns[2]);
        kernels += 1;
        let places: Vec<u32> = {
            let code = Code::new(decoder, &bytes, 0..bytes.len(), lanes);
            let waits =
                code.steps().filter(|(_, length, one)| *length == 4 && one.is_some_and(|one| one.is_wait()));
            waits.map(|(at, ..)| at).collect()
        };
        for at in places.into_iter().map(|at| at as usize) {
            let kept: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
            bytes[at..at + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
            taken += 1;
            found += usize::from(!of(&bytes).missing().is_empty());
            bytes[at..at + 4].copy_from_slice(&kept);
        }
    }
    // Waits for stores, before barriers and for the memory of the work-group have no result to lose.
    assert!(kernels > 15 && found * 2 > taken, "{kernels} kernels, {found} of {taken}");
}

/// Each second instruction loads, each other one branches far back or on: what would be kept for all blocks is
/// bounded, and so is the time.
#[test]
fn a_tangle_of_loads_ends() {
    let count = if cfg!(debug_assertions) { 20_000u32 } else { 400_000 };
    let words: Vec<u32> = (0..count)
        .flat_map(|at| {
            let back = (at.wrapping_mul(7919) % 6_000) as u16;
            // global_load_dword of another register each time, and s_cbranch_scc0.
            [0xdc50_8000, (at % 250) << 24, 0xbf84_0000 | u32::from(back.wrapping_sub(3_000))]
        })
        .collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let decoder = Decoder::for_processor("gfx906", Mode::Correct).unwrap();
    let code = Code::new(decoder, &bytes, 0..bytes.len(), 64);
    let waits = Waits::from_graph(&code, &Graph::from_code(&code));
    assert!(waits.undecided() == Some(Undecided::TooLarge) || !waits.missing().is_empty());
    assert_eq!(waits.results(), count);
}
