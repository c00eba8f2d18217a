//! The date of answers, written once a second.

use std::cell::RefCell;
use std::time::{SystemTime, UNIX_EPOCH};

thread_local! {
    static DATE: RefCell<(u64, String)> = const { RefCell::new((u64::MAX, String::new())) };
}

/// Puts the date of now behind a text.
pub(crate) fn write_date(into: &mut Vec<u8>) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    DATE.with_borrow_mut(|(second, text)| {
        if *second != now {
            (*second, *text) = (now, http::date::write(now));
        }
        into.extend_from_slice(text.as_bytes());
    });
}
