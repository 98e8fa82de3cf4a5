//! Every cause is a row, and every row says something.

use super::*;
use crate::messages::sign::SIGNS;
use crate::messages::table::all_messages;

#[test]
fn ids_are_unique_and_rows_say_something() {
    let mut seen = std::collections::BTreeSet::new();
    for cause in CAUSES {
        assert!(seen.insert(cause.id), "{} twice", cause.id);
        assert!(cause.tell.ends_with('.') && cause.advice.ends_with('.'), "{}", cause.id);
        assert!(!cause.what.ends_with('.'), "{}", cause.id);
        assert!(!cause.rules.is_empty() || !cause.otherwise.is_empty(), "{} says nothing", cause.id);
    }
    for fact in FACTS {
        assert!(seen.insert(fact.id), "{} twice", fact.id);
        assert!(!fact.rules.is_empty() || !fact.otherwise.is_empty(), "{} says nothing", fact.id);
    }
    assert_eq!(of_id("fb-arch-missing").unwrap().id, "FB-ARCH-MISSING");
    assert!(of_id("FB-ARCH").is_none());
    assert!(of_id("RB-ARCH-MISSING").is_some() && of_id("SZ-DUPLICATE").is_none());
    assert!(fact("SZ-DUPLICATE").is_some());
}

#[test]
fn every_cause_of_a_message_and_of_a_sign_is_a_row() {
    let of_messages = all_messages().flat_map(|message| message.causes.iter().copied());
    for id in of_messages.chain(SIGNS.iter().map(|sign| sign.first)) {
        assert!(of_id(id).is_some(), "no cause {id}");
    }
}
