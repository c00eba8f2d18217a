//! The network's own service, which a user reaches by the SYSREQ key: the session with the region rests meanwhile.
//!
//! ```text
//! in session ──SYSREQ──► at the service: LOGOFF ends the session, anything else is answered
//!     ▲                      │
//!     └────────SYSREQ────────┘  what the region has sent meanwhile goes out
//! ```

use std::collections::VecDeque;

use ebcdic::{Characters, CodePage};

use crate::host::{Disconnect, Session, ToClient};

/// The one command.
const LOGOFF: &str = "LOGOFF";
/// EBCDIC: the next characters go to the next line.
const NEW_LINE: u8 = 0x15;
/// Characters of a line that an answer repeats.
const REPEATED_MAX: usize = 20;

/// A user's place: in session, or at the service.
#[derive(Debug, Default)]
pub(crate) struct Service {
    open: bool,
    /// The region's output since SYSREQ was pressed, in order.
    held: VecDeque<ToClient>,
}

impl Service {
    /// The SYSREQ key. Returns true if it leads back to the session.
    pub fn toggle(&mut self) -> bool {
        self.open = !self.open;
        !self.open
    }

    /// Returns true if the user is at the service.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns true if more may be taken from the region, which may send to the client itself if `may_send`.
    pub fn takes(&self, may_send: bool) -> bool {
        if self.open { self.held.len() < Session::OUTBOUND_MAX } else { may_send }
    }

    /// Keeps the region's output.
    pub fn hold(&mut self, sent: ToClient) {
        self.held.push_back(sent);
    }

    /// The next kept output, once the user is back.
    pub fn next(&mut self) -> Option<ToClient> {
        if self.open { None } else { self.held.pop_front() }
    }

    /// The answer to a line that was typed.
    ///
    /// # Errors
    /// The line ends the session.
    pub fn answer(&mut self, line: &[u8]) -> Result<Vec<u8>, Disconnect> {
        let text = text_of(line);
        let command: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let word = command.split_whitespace().next().unwrap_or_default();
        if word.eq_ignore_ascii_case(LOGOFF) {
            return Err(Disconnect::LoggedOff);
        }
        let said = match word {
            "" => String::from("Type LOGOFF to end the session, or press SYSREQ to go back to it."),
            word => {
                let word: String = word.chars().take(REPEATED_MAX).collect();
                format!("{word} is not a command here. Type LOGOFF, or press SYSREQ to go back.")
            }
        };
        let mut answer = vec![NEW_LINE];
        answer.extend(CodePage::Ibm037.encode(&said));
        answer.push(NEW_LINE);
        Ok(answer)
    }
}

fn text_of(line: &[u8]) -> String {
    Characters::default().text(&CodePage::Ibm037.to_program(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_logoff_or_answered() {
        let table = [
            ("LOGOFF", None),
            (" logoff", None),
            ("LOGOFF APPLID(BANK)", None),
            ("LOGOFFX", Some("LOGOFFX is not a command here. Type LOGOFF, or press SYSREQ to go back.")),
            ("", Some("Type LOGOFF to end the session, or press SYSREQ to go back to it.")),
        ];
        for (line, expected) in table {
            let answer = Service::default().answer(&CodePage::Ibm037.encode(line)).ok();
            let text = answer.map(|answer| text_of(&answer[1..answer.len() - 1]));
            assert_eq!(text.as_deref(), expected, "{line}");
        }
    }
}
