//! SECEXIT: a program that sees every client before its child starts. It gets a COMMAREA, may change it, and says
//! whether the client may go on.

use std::net::{IpAddr, SocketAddr};

use areas::Area;
use kernel::name::{Name8, TerminalName, TransactionName};

use super::definition::{StartKind, hhmmss};
use super::message::Request;
use super::serving::Allowed;
use crate::address::Family;

/// The offsets of the parts of the COMMAREA.
mod place {
    pub const TRANSACTION: usize = 0;
    pub const DATA: usize = 4;
    pub const LEVEL: usize = 39;
    pub const START: usize = 44;
    pub const INTERVAL: usize = 46;
    pub const FAMILY: usize = 52;
    pub const PORT: usize = 54;
    pub const ADDRESS: usize = 56;
    pub const ALLOWED: usize = 60;
    pub const LISTENER_TELLS: usize = 61;
    pub const TERMINAL: usize = 62;
    pub const SOCKET: usize = 66;
    pub const USER: usize = 68;
    pub const OWN_ADDRESS: usize = 76;
    pub const OWN_PORT: usize = 80;
    pub const OWN_ADDRESS6: usize = 82;
    pub const ADDRESS6: usize = 102;
    pub const LENGTH: usize = 162;
    pub const MESSAGE: usize = 164;
}

/// The COMMAREA of one call of the exit.
pub struct Asked(Area);

impl Asked {
    /// Writes the exit's description of a client.
    pub fn new(request: &Request, client: &SocketAddr, own: &SocketAddr, socket: u16) -> Self {
        let message = request.message.as_ref().map_or(&[][..], |(message, _)| message);
        let mut bytes = vec![0; place::MESSAGE + message.len().max(1)];
        let mut put = |at: usize, what: &[u8]| bytes[at..at + what.len()].copy_from_slice(what);
        put(place::TRANSACTION, request.transaction.as_bytes());
        put(place::DATA, &request.user_data);
        put(place::LEVEL, if request.message.is_some() { b"1" } else { b"0" });
        put(
            place::START,
            match request.start {
                StartKind::Task => b"KC",
                StartKind::Interval => b"IC",
                StartKind::TransientData => b"TD",
            },
        );
        let seconds = request.delay.as_secs();
        let interval = format!("{:02}{:02}{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
        put(place::INTERVAL, interval.as_bytes());
        put(place::FAMILY, &Family::of_address(client).number().to_be_bytes());
        put(place::PORT, &client.port().to_be_bytes());
        put(place::ALLOWED, b"1");
        put(place::LISTENER_TELLS, b"1");
        put(place::TERMINAL, TerminalName::BLANK.as_bytes());
        put(place::SOCKET, &socket.to_be_bytes());
        put(place::USER, Name8::BLANK.as_bytes());
        put(place::OWN_PORT, &own.port().to_be_bytes());
        let ends =
            [(client, place::ADDRESS, place::ADDRESS6), (own, place::OWN_ADDRESS, place::OWN_ADDRESS6)];
        for (end, v4, v6) in ends {
            match end.ip() {
                IpAddr::V4(address) => put(v4, &address.octets()),
                IpAddr::V6(address) => put(v6, &address.octets()),
            }
        }
        put(place::LENGTH, &(message.len() as u16).to_be_bytes());
        put(place::MESSAGE, message);
        Self(Area::with(&bytes))
    }

    /// The COMMAREA that holds it.
    pub fn commarea(&self) -> &Area {
        &self.0
    }

    /// Reads the exit's answer; `Err` if the client is refused.
    ///
    /// # Errors
    /// True if the listener should tell the client.
    pub fn answer(&self, request: &mut Request) -> Result<Allowed, bool> {
        let bytes = self.0.to_vec();
        if bytes[place::ALLOWED] != b'1' {
            return Err(bytes[place::LISTENER_TELLS] == b'1');
        }
        request.transaction = TransactionName::new(&bytes[place::TRANSACTION..place::DATA]);
        request.user_data.copy_from_slice(&bytes[place::DATA..place::LEVEL]);
        request.start = match &bytes[place::START..place::INTERVAL] {
            b"IC" => StartKind::Interval,
            b"TD" => StartKind::TransientData,
            _ => StartKind::Task,
        };
        let interval = std::str::from_utf8(&bytes[place::INTERVAL..place::FAMILY]).unwrap_or_default();
        request.delay = hhmmss(interval.parse().unwrap_or(0));
        let user = Name8::new(&bytes[place::USER..place::OWN_ADDRESS]);
        let terminal = TerminalName::new(&bytes[place::TERMINAL..place::SOCKET]);
        Ok(Allowed {
            user: Some(user).filter(|user| !user.is_blank()),
            terminal: Some(terminal).filter(|terminal| !terminal.is_blank()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::message::standard;
    use super::*;

    #[test]
    fn an_exit_may_change_the_transaction_or_refuse() {
        let ends: [SocketAddr; 2] =
            ["10.0.0.7:4000", "10.0.0.1:3010"].map(|a| a.parse().expect("an address"));
        let mut request = standard(b"PAY,SECRET", true, true).expect("a request");
        let mut asked = Asked::new(&request, &ends[0], &ends[1], 3);
        let bytes = asked.0.to_vec();
        assert_eq!((&bytes[..10], &bytes[44..52]), (&b"PAY SECRET"[..], &b"KC000000"[..]));
        assert_eq!((&bytes[56..60], &bytes[66..68]), (&[10, 0, 0, 7][..], &[0, 3][..]));
        asked.0.write(0, b"PAY2");
        asked.0.write(68, b"ANNA    ");
        let allowed = asked.answer(&mut request).expect("allowed");
        assert_eq!(
            (request.transaction.to_string(), allowed.user),
            ("PAY2".into(), Some(Name8::from("ANNA")))
        );
        asked.0.write(60, b"00");
        assert_eq!(asked.answer(&mut request).err(), Some(false));
    }
}
