//! Interval control: the clock, delays, started tasks.

pub mod clock;

/// What START has left for RETRIEVE.
#[derive(Clone, Debug, Default)]
pub struct StartData {
    /// FROM.
    pub data: Option<Vec<u8>>,
    /// RTRANSID.
    pub transaction: Option<crate::name::TransactionName>,
    /// RTERMID.
    pub terminal: Option<crate::name::TerminalName>,
    /// QUEUE.
    pub queue: Option<crate::name::Name8>,
}
