//! Payment cards as values: the content of a track, a card's computations, and the messages between terminal and
//! issuer.
//!
//! | module | what lives there |
//! |---|---|
//! | [`pan`], [`track2`] | card numbers and magnetic stripes: read, made, masked |
//! | [`iso8583`] | messages by the field, and the authorization pair of 137 and 106 bytes |
//! | [`key`], [`mac`], [`cvv`] | double-length keys, the retail MAC, the card verification value |
//! | [`ftsc`] | the transaction-specific code: derivation, sub-fields, counter window |
//! | [`answer`] | the Authenticator's return codes and the response codes they become |
//!
//! Out of scope: sockets, files, clocks, key storage. Bytes in, values out. A card number or a key in a value
//! prints masked with `{:?}`; only a method whose name says so gives it away.

pub mod answer;
pub mod cvv;
pub mod digits;
pub mod ftsc;
pub mod hex;
pub mod iso8583;
pub mod key;
pub mod mac;
pub mod pan;
pub mod track2;

mod decimal;
