//! The device: a command in, a response out.

use std::cell::RefCell;

use card::key::Key;

use crate::commands;
use crate::error::ErrorCode;
use crate::fields::Fields;
use crate::lmk::{KeyType, Lmk};
use crate::verify::{self, Answered, VerifyCommand};

/// Characters of the header before a command, as devices leave the factory.
pub const HEADER_LENGTH: usize = 4;
/// Response and error code that a connection gets for which no place is left, before it is closed.
pub const OUT_OF_PLACES: &str = "ZZ91";

const CODE_LENGTH: usize = 2;

/// The device.
pub struct Module {
    lmk: Lmk,
    header_length: usize,
    random: RefCell<fastrand::Rng>,
}

/// A response, and its command and error for the counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) bytes: Vec<u8>,
    pub(crate) command: [u8; CODE_LENGTH],
    pub(crate) error: ErrorCode,
}

impl Module {
    /// A device with a local master key whose hosts write headers of a length (0 to 255). Its random keys follow a
    /// seed: the same seed, the same keys.
    pub fn new(lmk: Lmk, header_length: u8, seed: u64) -> Self {
        Self {
            lmk,
            header_length: header_length.into(),
            random: RefCell::new(fastrand::Rng::with_seed(seed)),
        }
    }

    /// Wraps a key that a person gives in clear, as a key ceremony at the device would: `U` and 32 digits.
    pub fn load_clear_key(&self, key: &Key, kind: KeyType) -> String {
        self.lmk.wrap(&key.with_odd_parity(), kind)
    }

    /// The response to a command, both with their headers and without their lengths. `None` for bytes that are too
    /// few to be answered.
    pub fn answer(&self, command: &[u8]) -> Option<Vec<u8>> {
        self.respond(command).map(|response| response.bytes)
    }

    pub(crate) fn respond(&self, command: &[u8]) -> Option<Response> {
        let (header, rest) = command.split_at_checked(self.header_length)?;
        let (code, fields) = rest.split_first_chunk::<CODE_LENGTH>()?;
        let answered = self.carry_out(code, Fields::new(fields));
        let answered =
            answered.unwrap_or_else(|error| Answered { error, fields: String::new(), trailer: Vec::new() });
        let mut bytes = header.to_vec();
        bytes.extend([code[0], code[1].wrapping_add(1)]);
        bytes.extend(answered.error.code().bytes());
        bytes.extend(answered.fields.bytes());
        bytes.extend(answered.trailer);
        Some(Response { bytes, command: *code, error: answered.error })
    }

    pub(crate) fn header_length(&self) -> usize {
        self.header_length
    }

    /// The response to a connection for which no place is left.
    pub(crate) fn refusal(&self) -> Vec<u8> {
        [vec![b'0'; self.header_length], OUT_OF_PLACES.into()].concat()
    }

    fn carry_out(&self, code: &[u8; CODE_LENGTH], fields: Fields<'_>) -> Result<Answered, ErrorCode> {
        const VERIFY: &[u8] = VerifyCommand::CODE.as_bytes();
        let lmk = &self.lmk;
        match &code[..] {
            VERIFY => verify::answer(lmk, fields),
            b"NC" => commands::diagnostics(lmk, fields),
            b"B2" => commands::echo(fields),
            b"A0" => commands::generate_key(lmk, commands::random_key(&mut self.random.borrow_mut()), fields),
            b"A6" => commands::import_key(lmk, fields),
            b"A8" => commands::export_key(lmk, fields),
            b"CW" => commands::generate_cvv(lmk, fields),
            b"CY" => commands::verify_cvv(lmk, fields),
            _ => Err(ErrorCode::Disabled),
        }
    }
}
