//! The transaction-specific code (FTSC): digits that only one card can make, for one transaction.
//!
//! The README of this crate defines it like a standard; this is its implementation. [`CardKey`] is what a card holds,
//! [`CardKey::issue`] what a card does, [`verify`](verify()) what the issuer's HSM does.
//!
//! What never lives here: where a counter is kept, and who may see a key.

mod layout;
mod value;
mod verify;

pub use layout::{Layout, LayoutError, Place, SubFields};
pub use value::{Card, CardKey, Moment};
pub use verify::{Expected, SEARCH_MAX, Verdict, verify};
