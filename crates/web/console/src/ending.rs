//! The end of a terminal as its browser hears of it.

/// Statuses of the end of a WebSocket.
mod status {
    /// The session at the terminal is over.
    pub const OVER: u16 = 1000;
    /// A message that means nothing here.
    pub const POLICY: u16 = 1008;
    /// The user's session is over.
    pub const SIGNED_OFF: u16 = 4001;
}

/// The end of a terminal: the status and the reason, or silence where the browser is gone.
pub(crate) type End = Option<(u16, String)>;

/// The end of a terminal whose session is over.
pub(crate) fn over(why: &str) -> End {
    Some((status::OVER, why.to_owned()))
}

/// The end for a message, or a program, that breaks a rule of the console.
pub(crate) fn policy(why: &str) -> End {
    Some((status::POLICY, why.to_owned()))
}

/// The end of a terminal whose user's session is over.
pub(crate) fn signed_off() -> End {
    Some((status::SIGNED_OFF, String::from("the session is over")))
}
