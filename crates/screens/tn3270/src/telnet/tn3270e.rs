//! TN3270E's own messages and record headers (RFC 2355), as both ends read and write them.

use std::fmt;

use super::device::DeviceType;

mod word {
    pub const ASSOCIATE: u8 = 0;
    pub const CONNECT: u8 = 1;
    pub const DEVICE_TYPE: u8 = 2;
    pub const FUNCTIONS: u8 = 3;
    pub const IS: u8 = 4;
    pub const REASON: u8 = 5;
    pub const REJECT: u8 = 6;
    pub const REQUEST: u8 = 7;
    pub const SEND: u8 = 8;
}

/// The longest LU name in bytes that is read from a client; a network's names have eight.
const LU_NAME_LEN_MAX: usize = 32;

/// One function that the two ends may agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The session's BIND is shown to the terminal.
    BindImage = 0,
    /// Printers: data stream control.
    DataStreamControl = 1,
    /// Records may ask for a response.
    Responses = 2,
    /// Printers: SCS.
    ScsControlCodes = 3,
    /// The SYSREQ key.
    SystemRequest = 4,
    /// The two ends take turns.
    ContentionResolution = 5,
}

/// A list of functions. Codes from 64 on are undefined and are dropped.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Functions(u64);

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Functions{:?}", self.codes())
    }
}

impl Functions {
    /// All that a display may want.
    pub const DISPLAY: Functions = Functions(0b11_0101);

    /// All that a printer may want.
    pub const PRINTER: Functions = Functions(0b00_1111);

    /// A list.
    pub fn of(functions: &[Function]) -> Self {
        Self::from_codes(&functions.iter().map(|&f| f as u8).collect::<Vec<_>>())
    }

    /// The list of these codes.
    pub fn from_codes(codes: &[u8]) -> Self {
        Self(codes.iter().filter(|&&code| code < 64).fold(0, |set, code| set | 1 << code))
    }

    /// Its codes in ascending order.
    pub fn codes(self) -> Vec<u8> {
        (0..64).filter(|code| self.0 >> code & 1 == 1).collect()
    }

    /// Returns true if a function is in it.
    pub fn has(self, function: Function) -> bool {
        self.0 >> function as u8 & 1 == 1
    }

    /// The functions that are in both lists.
    #[must_use]
    pub fn common(self, other: Functions) -> Functions {
        Functions(self.0 & other.0)
    }
}

/// The reason why a device type or a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reject {
    /// The name is the printer partner of another terminal.
    ConnectPartner = 0,
    /// The name is in use.
    DeviceInUse = 1,
    /// The name has no printer to associate.
    InvalidAssociate = 2,
    /// No such name.
    InvalidName = 3,
    /// No such device type here.
    InvalidDeviceType = 4,
    /// The name is of another device type.
    TypeNameError = 5,
    /// Any other reason.
    UnknownError = 6,
    /// This kind of request is not supported.
    UnsupportedRequest = 7,
}

impl Reject {
    fn of(code: u8) -> Reject {
        match code {
            0 => Reject::ConnectPartner,
            1 => Reject::DeviceInUse,
            2 => Reject::InvalidAssociate,
            3 => Reject::InvalidName,
            4 => Reject::InvalidDeviceType,
            5 => Reject::TypeNameError,
            7 => Reject::UnsupportedRequest,
            _ => Reject::UnknownError,
        }
    }
}

/// The name that a client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestedLu {
    /// This LU, or one of this pool.
    Connect(String),
    /// The printer that belongs to this display.
    Associate(String),
}

/// One sub-negotiation of TN3270E.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// The region asks for a device type.
    SendDeviceType,
    /// The client names one.
    DeviceTypeRequest {
        /// Its device type.
        device: DeviceType,
        /// The name it wants.
        lu: Option<RequestedLu>,
    },
    /// The region agrees.
    DeviceTypeIs {
        /// The device type.
        device: DeviceType,
        /// The name given.
        lu: String,
    },
    /// The region does not.
    DeviceTypeReject(Reject),
    /// Either end proposes functions.
    FunctionsRequest(Functions),
    /// Either end agrees to functions.
    FunctionsIs(Functions),
}

impl Message {
    /// Reads the content of a sub-negotiation; `None` if it is not one of these messages.
    pub fn read(content: &[u8]) -> Option<Message> {
        let (&first, rest) = content.split_first()?;
        match (first, rest.split_first()) {
            (word::SEND, Some((&word::DEVICE_TYPE, _))) => Some(Message::SendDeviceType),
            (word::DEVICE_TYPE, Some((&word::REQUEST, names))) => {
                let (device, kind, lu) = names_of(names);
                let lu = kind.map(|kind| match kind {
                    word::ASSOCIATE => RequestedLu::Associate(lu),
                    _ => RequestedLu::Connect(lu),
                });
                Some(Message::DeviceTypeRequest { device, lu })
            }
            (word::DEVICE_TYPE, Some((&word::IS, names))) => {
                let (device, _, lu) = names_of(names);
                Some(Message::DeviceTypeIs { device, lu })
            }
            (word::DEVICE_TYPE, Some((&word::REJECT, [word::REASON, code, ..]))) => {
                Some(Message::DeviceTypeReject(Reject::of(*code)))
            }
            (word::FUNCTIONS, Some((&word::REQUEST, codes))) => {
                Some(Message::FunctionsRequest(Functions::from_codes(codes)))
            }
            (word::FUNCTIONS, Some((&word::IS, codes))) => {
                Some(Message::FunctionsIs(Functions::from_codes(codes)))
            }
            _ => None,
        }
    }

    /// The content of a sub-negotiation.
    pub fn write(&self) -> Vec<u8> {
        match self {
            Message::SendDeviceType => vec![word::SEND, word::DEVICE_TYPE],
            Message::DeviceTypeRequest { device, lu } => {
                let name = device.name().as_bytes();
                let mut content = [&[word::DEVICE_TYPE, word::REQUEST], name].concat();
                if let Some(lu) = lu {
                    let (kind, name) = match lu {
                        RequestedLu::Connect(name) => (word::CONNECT, name),
                        RequestedLu::Associate(name) => (word::ASSOCIATE, name),
                    };
                    content.push(kind);
                    content.extend(name.as_bytes());
                }
                content
            }
            Message::DeviceTypeIs { device, lu } => {
                [&[word::DEVICE_TYPE, word::IS], device.name().as_bytes(), &[word::CONNECT], lu.as_bytes()]
                    .concat()
            }
            Message::DeviceTypeReject(reason) => {
                vec![word::DEVICE_TYPE, word::REJECT, word::REASON, *reason as u8]
            }
            Message::FunctionsRequest(list) => [vec![word::FUNCTIONS, word::REQUEST], list.codes()].concat(),
            Message::FunctionsIs(list) => [vec![word::FUNCTIONS, word::IS], list.codes()].concat(),
        }
    }
}

/// A device type, then perhaps CONNECT or ASSOCIATE and a name. Both names print, so the first byte 00 or 01 parts them.
fn names_of(bytes: &[u8]) -> (DeviceType, Option<u8>, String) {
    let parts: Vec<&[u8]> = bytes.splitn(2, |&byte| byte <= word::CONNECT).collect();
    let device = DeviceType::new(&String::from_utf8_lossy(parts[0]));
    match parts.get(1) {
        None => (device, None, String::new()),
        Some(name) => (device, bytes.get(parts[0].len()).copied(), lu_name(name)),
    }
}

/// A name as a network knows it: printing ASCII in upper case.
pub(super) fn lu_name(bytes: &[u8]) -> String {
    let printing = bytes.iter().filter(|byte| byte.is_ascii_graphic()).take(LU_NAME_LEN_MAX);
    printing.map(|byte| char::from(byte.to_ascii_uppercase())).collect()
}

/// The kind of content of a TN3270E record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// A 3270 data stream.
    Data3270 = 0,
    /// A printer's SCS.
    ScsData = 1,
    /// An answer to a record that asked for one.
    Response = 2,
    /// The session's BIND.
    BindImage = 3,
    /// The session's end.
    Unbind = 4,
    /// Plain text.
    NvtData = 5,
    /// A request without data.
    Request = 6,
    /// Text to or from the network's own service, outside the session.
    SscpLuData = 7,
    /// A printer's end of job.
    PrintEoj = 8,
}

impl DataType {
    fn of(code: u8) -> Option<DataType> {
        use DataType::*;
        [Data3270, ScsData, Response, BindImage, Unbind, NvtData, Request, SscpLuData, PrintEoj]
            .get(usize::from(code))
            .copied()
    }
}

/// Values of a header's request flag once contention resolution is agreed.
pub mod request_flag {
    /// The turn goes to the receiver.
    pub const SEND_DATA: u8 = 0x01;
    /// The keyboard is given back.
    pub const KEYBOARD_RESTORE: u8 = 0x02;
}

/// Values of a header's response flag.
pub mod response_flag {
    /// No answer is wanted; in an answer: positive.
    pub const NONE: u8 = 0x00;
    /// An answer is wanted when the record is bad; in an answer: negative.
    pub const ON_ERROR: u8 = 0x01;
    /// An answer is wanted in any case.
    pub const ALWAYS: u8 = 0x02;
}

/// The terminal's answer to a record that asked for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was taken.
    Positive,
    /// It was not; the terminal's reason: 0 command reject, 1 intervention required, 2 operation check, 3 component
    /// disconnected.
    Negative(u8),
}

/// The five bytes before each TN3270E record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The kind of data that follow.
    pub data_type: DataType,
    /// See [`request_flag`].
    pub request_flag: u8,
    /// See [`response_flag`].
    pub response_flag: u8,
    /// Ties a response to its record.
    pub sequence: u16,
}

impl Header {
    /// Bytes of a header.
    pub const LEN: usize = 5;

    /// A header without flags.
    pub fn new(data_type: DataType) -> Self {
        Self { data_type, request_flag: 0, response_flag: response_flag::NONE, sequence: 0 }
    }

    /// Parts a record; `None` for a header cut short or an unknown type of data.
    pub fn split(record: &[u8]) -> Option<(Header, &[u8])> {
        let (&[data_type, request_flag, response_flag, high, low], data) = record.split_first_chunk()?;
        let data_type = DataType::of(data_type)?;
        Some((
            Header { data_type, request_flag, response_flag, sequence: u16::from_be_bytes([high, low]) },
            data,
        ))
    }

    /// Its bytes.
    pub fn bytes(self) -> [u8; Header::LEN] {
        let [high, low] = self.sequence.to_be_bytes();
        [self.data_type as u8, self.request_flag, self.response_flag, high, low]
    }
}
