//! SOAP 1.1 and 1.2 as values: envelopes with their headers, faults, and the headers of WS-Addressing.
//!
//! | module | what lives there |
//! |---|---|
//! | [`envelope`] | a message taken apart: headers, who must understand them, the element in the body |
//! | [`fault`] | faults written and read, and those of conversions, for SOAP and for JSON |
//! | [`level`] | the differences of the versions: namespaces, media types, actions |
//! | [`addressing`] | WS-Addressing |
//! | [`security`] | WS-Security: tokens and signatures |
//! | [`xop`] | bytes as attachments |
//!
//! Out of scope: transports, records, and programs that handle headers.

pub mod addressing;
pub mod envelope;
pub mod fault;
pub mod level;
pub mod security;
pub mod xop;

pub use envelope::{Envelope, Header, Payload, Problem};
pub use fault::{Code, SoapFault};
pub use level::Level;
