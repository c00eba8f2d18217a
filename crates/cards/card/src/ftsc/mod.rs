//! The transaction-specific code (FTSC): digits that only one card can make, for one transaction.
//!
//! The README of this crate defines it like a standard; this is its implementation. [`CardKey`] is the card's key,
//! [`CardKey::issue`] the card's part, [`verify`](verify()) that of the issuer's HSM.
//!
//! Out of scope: where a counter is kept, and who may see a key.

mod layout;
mod value;
mod verify;

pub use layout::{FieldPlace, Layout, LayoutError, SubFields};
pub use value::{Card, CardKey, Moment};
pub use verify::{Expected, SEARCH_MAX, Verdict, verify};
