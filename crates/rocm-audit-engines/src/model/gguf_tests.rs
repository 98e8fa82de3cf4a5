use super::*;
use proptest::prelude::*;

/// Writes headers, independently of the reader, from a list of numbers of given widths and bytes.
struct Writer {
    big: bool,
    out: Vec<u8>,
}

impl Writer {
    fn new(big: bool, version: u32, tensors: u64, entries: u64) -> Self {
        let mut writer = Writer { big, out: b"GGUF".to_vec() };
        writer.number(u64::from(version), 4);
        writer.number(tensors, 8);
        writer.number(entries, 8);
        writer
    }

    fn number(&mut self, number: u64, bytes: usize) -> &mut Self {
        let little = number.to_le_bytes();
        let mut bytes = little[..bytes].to_vec();
        if self.big {
            bytes.reverse();
        }
        self.out.extend(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.number(text.len() as u64, 8);
        self.out.extend(text.as_bytes());
        self
    }

    fn tensor(&mut self, name: &str, shape: &[u64], ty: u32, offset: u64) -> &mut Self {
        self.text(name).number(shape.len() as u64, 4);
        shape.iter().for_each(|size| {
            self.number(*size, 8);
        });
        self.number(u64::from(ty), 4).number(offset, 8)
    }
}

fn small(big: bool) -> Vec<u8> {
    let mut writer = Writer::new(big, 3, 2, 4);
    writer.text("general.architecture").number(8, 4).text("llama");
    writer.text("llama.block_count").number(4, 4).number(7, 4);
    writer.text("llama.heads").number(9, 4).number(5, 4).number(2, 8).number(3, 4).number(0xffff_fffe, 4);
    writer.text("tokens").number(9, 4).number(8, 4).number(2, 8).text("a").text("bc");
    writer.tensor("a.weight", &[256, 2], 12, 0).tensor("b", &[8], 0, 288);
    writer.out
}

#[test]
fn reads_both_orders_of_bytes() {
    for big in [false, true] {
        let header = read(&small(big));
        assert_eq!(header.problems.iter().next(), None, "{big}");
        assert_eq!((header.version, header.big_endian, header.is_header_only), (3, big, true));
        assert_eq!(header.metadata["general.architecture"].text(), Some("llama"));
        assert_eq!(header.metadata["llama.block_count"].unsigned(), Some(7));
        let heads = &header.metadata["llama.heads"];
        assert_eq!((heads.of_layer(0), heads.of_layer(1), heads.of_layer(2)), (Some(3), None, None));
        assert_eq!(header.metadata["tokens"], Value::Array(Array { count: 2, numbers: Vec::new() }));
        let [a, b] = &header.tensors[..] else { panic!() };
        // 256 values of q4_K take 144 bytes.
        assert_eq!(
            (a.name.as_str(), a.bytes(), a.ty().map(|t| t.name)),
            ("a.weight", Some(288), Some("q4_K"))
        );
        assert_eq!((b.bytes(), b.offset), (Some(32), 288));
    }
}

/// The kinds and offsets of a header's problems.
fn wrong(bytes: &[u8]) -> Vec<(ParseErrorKind, u64)> {
    read(bytes).problems.iter().map(|problem| (problem.kind(), problem.offset())).collect()
}

#[test]
fn says_where_bytes_end_and_keeps_what_came_before() {
    let whole = small(false);
    let header = read(&whole[..whole.len() - 4]);
    assert_eq!(header.problems.iter().map(|p| p.kind()).collect::<Vec<_>>(), [ParseErrorKind::CutEnd]);
    assert_eq!((header.tensors.len(), header.metadata.len()), (1, 4));
    let header = read(&whole[..80]);
    assert_eq!((header.metadata.len(), header.problems.iter().count()), (1, 1));
    assert_eq!(wrong(b"GGUF"), [(ParseErrorKind::CutEnd, 4)]);
    assert_eq!(wrong(b""), [(ParseErrorKind::CutEnd, 0)]);
    assert_eq!(wrong(b"GGML\0\0\0\0"), [(ParseErrorKind::Malformed, 0)]);
    assert_eq!(wrong(&Writer::new(false, 1, 0, 0).out), [(ParseErrorKind::Malformed, 4)]);
    assert_eq!(wrong(&Writer::new(false, 4, 0, 0).out), [(ParseErrorKind::Malformed, 4)]);
}

#[test]
fn believes_no_count_beyond_the_file() {
    assert_eq!(wrong(&Writer::new(false, 3, 0, u64::MAX).out), [(ParseErrorKind::CutEnd, 16)]);
    assert_eq!(wrong(&Writer::new(false, 3, u64::MAX, 0).out)[0], (ParseErrorKind::CutEnd, 8));
    let mut text = Writer::new(false, 3, 0, 1);
    text.number(1 << 30, 8).text("general.architecture");
    assert_eq!(wrong(&text.out), [(ParseErrorKind::CutEnd, 32)]);
    let mut array = Writer::new(false, 3, 0, 1);
    array.text("k").number(9, 4).number(4, 4).number(1 << 60, 8);
    assert_eq!(wrong(&array.out), [(ParseErrorKind::CutEnd, 41)]);
}

#[test]
fn names_what_cannot_be() {
    let one = |shape: &[u64], ty: u32| {
        let mut writer = Writer::new(false, 3, 1, 0);
        writer.tensor("t", shape, ty, 0);
        read(&writer.out)
    };
    for shape in [&[][..], &[1, 1, 1, 1, 1], &[0], &[1 << 40, 1 << 40]] {
        let header = one(shape, 0);
        assert_eq!((header.tensors.len(), header.problems.iter().count()), (0, 1), "{shape:?}");
    }
    // An unknown type, and rows of half a block: the tensor is listed, but its size is unknown.
    for (shape, ty) in [([256], 999), ([128], 12)] {
        let header = one(&shape, ty);
        assert_eq!((header.tensors.len(), header.problems.iter().count()), (1, 1));
        assert_eq!(header.tensors[0].bytes(), None);
    }
    let mut twice = Writer::new(false, 3, 3, 0);
    twice.tensor("t", &[8], 0, 0).tensor("t", &[8], 0, 32).tensor("u", &[8], 0, 16);
    let kinds: Vec<_> = wrong(&twice.out).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [ParseErrorKind::DoubledName, ParseErrorKind::Overlap]);
    let mut nested = Writer::new(false, 3, 0, 1);
    nested.text("k").number(9, 4);
    for _ in 0..200 {
        nested.number(9, 4).number(1, 8);
    }
    assert_eq!(wrong(&nested.out)[0].0, ParseErrorKind::TooDeep);
}

#[test]
fn data_that_is_partly_there_is_cut() {
    let mut bytes = small(false);
    assert!(read(&bytes).is_header_only);
    let end = bytes.len().next_multiple_of(32);
    bytes.resize(end + 300, 0);
    let header = read(&bytes);
    assert_eq!(header.problems.iter().map(|p| p.offset()).collect::<Vec<_>>(), [end as u64 + 300]);
    bytes.resize(end + 320, 0);
    assert_eq!(read(&bytes).problems.iter().count(), 0);
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..200, byte in any::<u8>()) {
        let _ = read(&bytes);
        let mut changed = small(byte & 1 == 1);
        let at = at % changed.len();
        changed[at] = byte;
        let header = read(&changed);
        prop_assert!(header.tensors.len() <= 2);
    }
}
