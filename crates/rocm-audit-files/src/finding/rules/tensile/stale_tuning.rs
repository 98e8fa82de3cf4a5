//! The rule `stale-tuning`.

use crate::finding::rule::rule;

rule! {
    /// A row of a tuning file, or the whole file, is not in force in the library that is here.
    ///
    /// Files that say which solution to take for which product are written for one build, and their readers drop what does not
    /// fit without a word: an override of rocBLAS whose row has another number of cells, a number that its parser does not
    /// take, or a solution that no catalog of the product's types has or that cannot solve it; a row of hipBLASLt whose solution
    /// is gone or another one by name; a file of PyTorch's TunableOp one of whose validators is not what the process has. Each
    /// row is held against the catalogs that are here, and where the library's own choice is known, it is named.
    ///
    /// rocBLAS's rules are compared with the library of 5.2 by files that it was given; those of hipBLASLt and of PyTorch are read
    /// in their source.
    STALE_TUNING {
        id: "stale-tuning",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a tuning file has rows that are not in force in this library",
        effect: "the reader skips them and takes its own choice, which was not tuned",
        effect_known: Code,
        advice: "tune again with the libraries that are used, or drop the rows",
    }
}
