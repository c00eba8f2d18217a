//! Telnet's bytes by name (RFC 854, 856, 860, 885, 1091, 2355).

/// The commands that may follow IAC.
pub mod command {
    /// Ends a record (RFC 885).
    pub const EOR: u8 = 239;
    /// Ends a sub-negotiation.
    pub const SE: u8 = 240;
    /// Nothing.
    pub const NOP: u8 = 241;
    /// Break: the ATTN key of some clients.
    pub const BRK: u8 = 243;
    /// Interrupt process: the ATTN key.
    pub const IP: u8 = 244;
    /// Abort output: the SYSREQ key.
    pub const AO: u8 = 245;
    /// Are you there.
    pub const AYT: u8 = 246;
    /// Begins a sub-negotiation.
    pub const SB: u8 = 250;
    /// The sender will use an option.
    pub const WILL: u8 = 251;
    /// The sender will not use an option.
    pub const WONT: u8 = 252;
    /// The receiver is asked to use an option.
    pub const DO: u8 = 253;
    /// The receiver is asked not to use an option.
    pub const DONT: u8 = 254;
    /// Interpret as command; twice for the byte itself.
    pub const IAC: u8 = 255;
}

/// The options that a 3270 connection speaks of.
pub mod option {
    /// Eight-bit bytes (RFC 856).
    pub const BINARY: u8 = 0;
    /// Remote echo (RFC 857).
    pub const ECHO: u8 = 1;
    /// No go-ahead (RFC 858).
    pub const SUPPRESS_GO_AHEAD: u8 = 3;
    /// Timing mark (RFC 860): a question that every living client answers.
    pub const TIMING_MARK: u8 = 6;
    /// Terminal type (RFC 1091).
    pub const TERMINAL_TYPE: u8 = 24;
    /// Records end with IAC EOR (RFC 885).
    pub const END_OF_RECORD: u8 = 25;
    /// Environment variables (RFC 1572).
    pub const NEW_ENVIRON: u8 = 39;
    /// TN3270E (RFC 2355).
    pub const TN3270E: u8 = 40;
    /// TLS begins after this sub-negotiation.
    pub const START_TLS: u8 = 46;
}

/// The four ways to speak of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The sender will use it.
    Will,
    /// The sender will not use it.
    Wont,
    /// The receiver is asked to use it.
    Do,
    /// The receiver is asked not to use it.
    Dont,
}

impl Verb {
    /// Its byte.
    pub fn code(self) -> u8 {
        match self {
            Verb::Will => command::WILL,
            Verb::Wont => command::WONT,
            Verb::Do => command::DO,
            Verb::Dont => command::DONT,
        }
    }

    /// The verb of a byte.
    pub fn of(code: u8) -> Option<Verb> {
        match code {
            command::WILL => Some(Verb::Will),
            command::WONT => Some(Verb::Wont),
            command::DO => Some(Verb::Do),
            command::DONT => Some(Verb::Dont),
            _ => None,
        }
    }

    /// The verb that refuses this one; `None` if it asks for nothing.
    pub fn refusal(self) -> Option<Verb> {
        match self {
            Verb::Will => Some(Verb::Dont),
            Verb::Do => Some(Verb::Wont),
            Verb::Wont | Verb::Dont => None,
        }
    }
}
