//! The data between client, listener and child: the client's first message, and the child's START data.

use std::net::SocketAddr;

use ebcdic::CodePage;
use kernel::name::{Name8, TransactionName};

use super::definition::{StartKind, hhmmss};
use crate::address::encode;

/// Longest first message of a standard listener's client: the child reads the rest.
pub const STANDARD_LENGTH_MAX: usize = 50;
/// Bytes of user data that a standard child gets.
pub const USER_DATA: usize = 35;

/// The separator of the parts of a message in EBCDIC.
const EBCDIC_COMMA: u8 = 0x6B;

/// Which transaction a client gets, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The transaction.
    pub transaction: TransactionName,
    /// The way in which it is started.
    pub start: StartKind,
    /// After how long.
    pub delay: std::time::Duration,
    /// The user data of a standard listener's client.
    pub user_data: [u8; USER_DATA],
    /// The first message of an enhanced listener's client, and the length that its child expects.
    pub message: Option<(Vec<u8>, usize)>,
}

/// The reason why a client's first message is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The transaction's name has no or too many characters.
    Transaction,
    /// The start type is not KC, IC or TD.
    Start,
    /// The interval is not hhmmss.
    Interval,
}

impl Mistake {
    /// The message to the client.
    pub fn text(self) -> &'static str {
        match self {
            Self::Transaction => "the transaction's name must have 1 to 4 characters",
            Self::Start => "the start type must be KC, IC or TD",
            Self::Interval => "the interval must be hhmmss",
        }
    }
}

/// Reads `tran[,data[,type[,hhmmss]]]`; if it is in EBCDIC, user data may be in another code.
///
/// # Errors
/// The mistake in it.
pub fn standard(message: &[u8], ascii: bool, user_ascii: bool) -> Result<Request, Mistake> {
    let text = |bytes: &[u8]| if ascii { bytes.to_vec() } else { CodePage::Ibm1047.to_program(bytes) };
    let comma = if ascii { b',' } else { EBCDIC_COMMA };
    let mut parts = message.splitn(4, |byte| *byte == comma);
    let name = text(parts.next().unwrap_or_default()).trim_ascii().to_vec();
    if name.is_empty() || name.len() > 4 {
        return Err(Mistake::Transaction);
    }
    let given = parts.next().unwrap_or_default();
    let data = if user_ascii { given.to_vec() } else { text(given) };
    let mut part = || text(parts.next().unwrap_or_default()).trim_ascii().to_vec();
    let start = match part().as_slice() {
        b"" | b"KC" | b"kc" => StartKind::Task,
        b"IC" | b"ic" => StartKind::Interval,
        b"TD" | b"td" => StartKind::TransientData,
        _ => return Err(Mistake::Start),
    };
    let interval = part();
    let delay = match std::str::from_utf8(&interval).ok().filter(|text| text.len() == 6).map(str::parse) {
        Some(Ok(number)) => hhmmss(number),
        _ if interval.is_empty() => hhmmss(0),
        _ => return Err(Mistake::Interval),
    };
    let mut user_data = [b' '; USER_DATA];
    let length = data.len().min(USER_DATA);
    user_data[..length].copy_from_slice(&data[..length]);
    Ok(Request { transaction: TransactionName::new(&name), start, delay, user_data, message: None })
}

/// The offsets of the parts of START data.
mod place {
    pub const NAME: usize = 4;
    pub const TASK: usize = 12;
    pub const USER_DATA: usize = 20;
    pub const THREADSAFE: usize = 55;
    pub const ADDRESS: usize = 56;
    pub const LENGTH: usize = 152;
    pub const MESSAGE: usize = 154;
}

/// Bytes of a standard child's START data.
const STANDARD_LENGTH: usize = 72;

/// The START data of a child: the socket's number, its giver, user data, the client's address; from an enhanced
/// listener also the length and the bytes of the first message.
pub fn start_data(number: u16, giver: (Name8, Name8), request: &Request, client: &SocketAddr) -> Vec<u8> {
    let address = encode(client);
    let length = match &request.message {
        Some((message, wanted)) => place::MESSAGE + message.len().max(*wanted),
        None => STANDARD_LENGTH.max(place::ADDRESS + address.as_bytes().len()),
    };
    let mut data = vec![0; length];
    let mut put = |at: usize, bytes: &[u8]| data[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &u32::from(number).to_be_bytes());
    put(place::NAME, giver.0.as_bytes());
    put(place::TASK, giver.1.as_bytes());
    put(place::USER_DATA, &request.user_data);
    // Every call may be made on any TCB.
    put(place::THREADSAFE, b"1");
    put(place::ADDRESS, address.as_bytes());
    if let Some((message, _)) = &request.message {
        put(place::LENGTH, &(message.len() as u16).to_be_bytes());
        put(place::MESSAGE, message);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standard_message_names_the_transaction() {
        let request = standard(b"PAY,MORE THAN ENOUGH,IC,000130", true, true).expect("a request");
        assert_eq!((request.transaction, request.start), (TransactionName::from("PAY"), StartKind::Interval));
        assert_eq!((request.delay.as_secs(), &request.user_data[..16]), (90, b"MORE THAN ENOUGH".as_slice()));
        assert_eq!(standard(b"PAY", true, true).map(|request| request.start), Ok(StartKind::Task));
        let ebcdic = CodePage::Ibm1047.from_program(b"PAY,X");
        assert_eq!(standard(&ebcdic, false, false).map(|request| request.user_data[0]), Ok(b'X'));
        let given = standard(&ebcdic, false, true).map(|request| request.user_data[0]);
        assert_eq!(given, Ok(0xE7), "as it came");
    }

    #[test]
    fn what_is_wrong_with_it() {
        let table = [
            (&b""[..], Mistake::Transaction),
            (b"TOOLONG", Mistake::Transaction),
            (b"PAY,X,AT", Mistake::Start),
            (b"PAY,X,IC,12", Mistake::Interval),
        ];
        for (message, mistake) in table {
            assert_eq!(standard(message, true, true), Err(mistake), "{message:?}");
        }
    }

    #[test]
    fn start_data_have_the_published_places() {
        let client: SocketAddr = "10.0.0.7:4000".parse().expect("an address");
        let giver = (Name8::from("REGION"), Name8::from("0000012C"));
        let mut request = standard(b"PAY,HELLO", true, true).expect("a request");
        let data = start_data(7, giver, &request, &client);
        assert_eq!((data.len(), &data[..12]), (72, &b"\0\0\0\x07REGION  "[..]));
        assert_eq!((&data[20..25], &data[56..64]), (&b"HELLO"[..], &[0, 2, 15, 160, 10, 0, 0, 7][..]));
        request.message = Some((b"TRACK2".to_vec(), 35));
        let data = start_data(7, giver, &request, &client);
        assert_eq!((data.len(), &data[152..160]), (189, &b"\0\x06TRACK2"[..]));
    }
}
