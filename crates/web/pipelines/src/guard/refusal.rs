//! Refusals of WS-Security: its published faults.

use soap::security::{SECURITY, UTILITY};
use soap::{Code, Level, SoapFault};

/// Reasons why a message is refused. The exact mistake is for the log: a client learns no more than the published
/// fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The header is not as it must be.
    Header(String),
    /// A token of a kind that is not taken.
    Kind(String),
    /// An algorithm that is not known.
    Algorithm(String),
    /// A token that is wrong.
    Token(String),
    /// A token of no known user.
    Authentication(String),
    /// A signature that is wrong.
    Check(String),
    /// A token that is not there.
    Unavailable(String),
    /// A message that does not count any more, or not yet.
    Expired(String),
}

impl Refusal {
    pub fn algorithm(name: &str) -> Self {
        Self::Algorithm(format!("the algorithm '{}' is not known", name.escape_debug()))
    }

    /// The code, its sentence, and what was wrong.
    pub fn parts(&self) -> (&'static str, &'static str, &str) {
        match self {
            Self::Header(why) => ("wsse:InvalidSecurity", "The header of security is not as it must be", why),
            Self::Kind(why) => {
                ("wsse:UnsupportedSecurityToken", "A token is of a kind that is not taken", why)
            }
            Self::Algorithm(why) => ("wsse:UnsupportedAlgorithm", "An algorithm is not known", why),
            Self::Token(why) => ("wsse:InvalidSecurityToken", "A token is wrong", why),
            Self::Authentication(why) => ("wsse:FailedAuthentication", "A token belongs to no user", why),
            Self::Check(why) => ("wsse:FailedCheck", "A signature is wrong", why),
            Self::Expired(why) => ("wsu:MessageExpired", "The message has expired", why),
            Self::Unavailable(why) => ("wsse:SecurityTokenUnavailable", "A token is not there", why),
        }
    }

    /// The fault: 1.1 has its code in the place of others, 1.2 below Sender.
    pub fn fault(&self, level: Level) -> SoapFault {
        let (code, reason, _) = self.parts();
        let mut fault = SoapFault::new(Code::Sender, reason);
        fault.binding = Some(match self {
            Self::Expired(_) => ("wsu", UTILITY),
            _ => ("wsse", SECURITY),
        });
        match level {
            Level::Soap11 => fault.own_code = Some(code.to_owned()),
            Level::Soap12 => fault.subcodes.push(code.to_owned()),
        }
        fault
    }
}
