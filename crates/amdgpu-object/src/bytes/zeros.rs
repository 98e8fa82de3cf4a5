//! Runs of zeros, which fill a file where nothing was written.

/// Number of zero bytes at the beginning of `bytes`.
pub(crate) fn leading_zeros(bytes: &[u8]) -> usize {
    // Checks whole blocks first: or-ing a block is many times faster than looking at each byte.
    let block = 256;
    let blocks =
        bytes.chunks_exact(block).take_while(|b| b.iter().fold(0, |all, byte| all | byte) == 0).count()
            * block;
    let rest = bytes.get(blocks..).unwrap_or_default();
    blocks + rest.iter().position(|&b| b != 0).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_counted_across_blocks() {
        for zeros in [0, 1, 255, 256, 257, 1000] {
            let mut bytes = vec![0; zeros];
            assert_eq!(leading_zeros(&bytes), zeros);
            bytes.extend([7, 0, 0]);
            assert_eq!(leading_zeros(&bytes), zeros);
        }
    }
}
