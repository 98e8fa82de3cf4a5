use super::*;

#[test]
fn fast_is_exact() {
    let mut x = 0x9E3779B97F4A7C15u64;
    let mut next = move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.wrapping_mul(0x2545F4914F6CDD1D)
    };
    for family in &table::tables().families {
        let d = Decoder::of(family.processors[0], Mode::LikeLlvm).unwrap();
        let (mut fits, mut bad) = (0, 0);
        for _ in 0..20_000 {
            let (a, mut b) = (next(), next());
            let mut w = a;
            if b & 3 == 0 {
                w = w & !0x1ff | [0xf9, 0xfa, 0xe9, 0xea, 0xff, 0x100][(b >> 8) as usize % 6];
            }
            if b & 12 == 0 {
                w &= !(0xffff << 48);
            }
            if b & 48 == 0 {
                b &= 0x80ff00ffffffffff;
            }
            let word = u128::from(w) | u128::from(b) << 64;
            let exact = d.decode_word(word, 24);
            let once = if d.index.is_wide {
                d.index.look::<true>(w, b as u32)
            } else {
                d.index.look::<false>(w, b as u32)
            };
            for (n, seen) in [once, d.index.look_again(w, b as u32)].into_iter().enumerate() {
                if seen.fits {
                    fits += 1;
                    if exact != Some(Instruction { mnemonic: seen.mnemonic, length: seen.length as u8 }) {
                        bad += 1;
                        if bad < 8 {
                            println!(
                                "{} {n} {w:016x} {b:016x}: {:?} {} exact {:?}",
                                family.processors[0],
                                mnemonic(seen.mnemonic),
                                seen.length,
                                exact.map(|e| (mnemonic(e.mnemonic), e.length))
                            );
                        }
                    }
                }
            }
        }
        println!("{} fits {fits} bad {bad}", family.processors[0]);
    }
}
