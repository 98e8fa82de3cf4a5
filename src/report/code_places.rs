//! Makes the report on places of device code.

use super::v1::{CodePlace, CodePlacesReport, Header, document};
use crate::finding::Finding;

/// The report; `unread` is what could not be read.
pub fn code_places(places: Vec<CodePlace>, unread: &[Finding]) -> CodePlacesReport {
    CodePlacesReport {
        header: Header::from_document(document::CODE_PLACES),
        found: super::found(unread),
        places,
    }
}
