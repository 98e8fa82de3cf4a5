//! Values of MessagePack, as the metadata of code objects has them
//! (<https://github.com/msgpack/msgpack/blob/master/spec.md>).

/// Numbers in order of bytes that most significant ones begin.
fn head(out: &mut Vec<u8>, small: u8, below: u32, codes: [u8; 2], count: u32) {
    if count < below {
        out.push(small | count as u8);
    } else if count < 1 << 16 {
        out.push(codes[0]);
        out.extend((count as u16).to_be_bytes());
    } else {
        out.push(codes[1]);
        out.extend(count.to_be_bytes());
    }
}

/// The beginning of a map of so many pairs.
pub fn map(out: &mut Vec<u8>, pairs: usize) {
    head(out, 0x80, 16, [0xde, 0xdf], pairs as u32);
}

/// The beginning of an array of so many values.
pub fn array(out: &mut Vec<u8>, values: usize) {
    head(out, 0x90, 16, [0xdc, 0xdd], values as u32);
}

/// A text.
pub fn text(out: &mut Vec<u8>, text: &str) {
    head(out, 0xa0, 32, [0xda, 0xdb], text.len() as u32);
    out.extend(text.bytes());
}

/// A number.
pub fn number(out: &mut Vec<u8>, number: u32) {
    head(out, 0, 128, [0xcd, 0xce], number);
}

/// A value of any kind.
pub enum Value<'v> {
    Number(u32),
    Real(f64),
    Truth(bool),
    Text(&'v str),
    List(Vec<Value<'v>>),
    Map(Vec<(&'v str, Value<'v>)>),
}

impl Value<'_> {
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Value::Number(value) => number(out, *value),
            Value::Real(value) => {
                out.push(0xcb);
                out.extend(value.to_be_bytes());
            }
            Value::Truth(value) => out.push(0xc2 + u8::from(*value)),
            Value::Text(value) => text(out, value),
            Value::List(values) => {
                array(out, values.len());
                values.iter().for_each(|value| value.write(out));
            }
            Value::Map(pairs) => {
                map(out, pairs.len());
                for (key, value) in pairs {
                    text(out, key);
                    value.write(out);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_specification() {
        let made = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            out
        };
        assert_eq!(made(&|out| number(out, 127)), [0x7f]);
        assert_eq!(made(&|out| number(out, 128)), [0xcd, 0, 128]);
        assert_eq!(made(&|out| number(out, 65_536)), [0xce, 0, 1, 0, 0]);
        assert_eq!(made(&|out| text(out, "ab")), [0xa2, b'a', b'b']);
        assert_eq!(made(&|out| text(out, &"a".repeat(32)))[..3], [0xda, 0, 32]);
        assert_eq!(made(&|out| map(out, 3)), [0x83]);
        assert_eq!(made(&|out| array(out, 16)), [0xdc, 0, 16]);
        let map = Value::Map(vec![("a", Value::List(vec![Value::Truth(true), Value::Real(1.0)]))]);
        let bytes = [0x81, 0xa1, b'a', 0x92, 0xc3, 0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0];
        assert_eq!(made(&|out| map.write(out)), bytes);
    }
}
