//! A connection's bytes as text and back: for traces, and for tests that read as a conversation.
//!
//! One item a line: `DO TN3270E`, `SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2' CONNECT 'LU1'`, `RECORD 7D 40 40`,
//! `TEXT 'login: '`. Bytes without a name are in hexadecimal.

use std::fmt::Write as _;

use super::code::{Verb, command, option};
use super::device::DeviceType;
use super::framing::{Decoder, Item, put_negotiation, put_record, put_subnegotiation};
use super::tn3270e::{Functions, Message, Reject, RequestedLu};

const OPTIONS: [(&str, u8); 9] = [
    ("BINARY", option::BINARY),
    ("ECHO", option::ECHO),
    ("SUPPRESS-GO-AHEAD", option::SUPPRESS_GO_AHEAD),
    ("TIMING-MARK", option::TIMING_MARK),
    ("TERMINAL-TYPE", option::TERMINAL_TYPE),
    ("EOR", option::END_OF_RECORD),
    ("NEW-ENVIRON", option::NEW_ENVIRON),
    ("TN3270E", option::TN3270E),
    ("START-TLS", option::START_TLS),
];
const VERBS: [(&str, Verb); 4] =
    [("WILL", Verb::Will), ("WONT", Verb::Wont), ("DO", Verb::Do), ("DONT", Verb::Dont)];
const COMMANDS: [(&str, u8); 5] = [
    ("NOP", command::NOP),
    ("BRK", command::BRK),
    ("IP", command::IP),
    ("AO", command::AO),
    ("AYT", command::AYT),
];
const FUNCTIONS: [(&str, u8); 6] = [
    ("BIND-IMAGE", 0),
    ("DATA-STREAM-CTL", 1),
    ("RESPONSES", 2),
    ("SCS-CTL-CODES", 3),
    ("SYSREQ", 4),
    ("CONTENTION-RESOLUTION", 5),
];
const REASONS: [(&str, Reject); 8] = [
    ("CONN-PARTNER", Reject::ConnectPartner),
    ("DEVICE-IN-USE", Reject::DeviceInUse),
    ("INV-ASSOCIATE", Reject::InvalidAssociate),
    ("INV-NAME", Reject::InvalidName),
    ("INV-DEVICE-TYPE", Reject::InvalidDeviceType),
    ("TYPE-NAME-ERROR", Reject::TypeNameError),
    ("UNKNOWN-ERROR", Reject::UnknownError),
    ("UNSUPPORTED-REQ", Reject::UnsupportedRequest),
];

/// A line that is not an item of a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a line of a trace")]
pub struct NotATrace(pub String);

/// Bytes as lines of text, as far as they make whole items; a breach of telnet's own rules ends the text with the
/// reason.
pub fn show(mut bytes: &[u8]) -> String {
    let mut decoder = Decoder::default();
    let mut text = String::new();
    loop {
        match decoder.next(&mut bytes) {
            Ok(Some(item)) => text.push_str(&show_item(&item)),
            Ok(None) => break,
            Err(violation) => {
                let _ = writeln!(text, "({violation})");
                break;
            }
        }
    }
    if !decoder.unfinished().is_empty() {
        let _ = writeln!(text, "TEXT '{}'", decoder.unfinished().escape_ascii());
    }
    text
}

/// The bytes of lines of text: the inverse of [`show`], but for TEXT, which has no escapes here.
pub fn read(text: &str) -> Result<Vec<u8>, NotATrace> {
    let mut out = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        read_line(line, &mut out).ok_or_else(|| NotATrace(line.to_string()))?;
    }
    Ok(out)
}

fn show_item(item: &Item) -> String {
    match item {
        Item::Record(record) => format!("RECORD {}\n", hex(record)).replace(" \n", "\n"),
        Item::Negotiation(verb, option) => {
            format!("{} {}\n", name_of(&VERBS, *verb).unwrap_or("?"), option_name(*option))
        }
        Item::Subnegotiation { option, content } => {
            format!("SB {} {}\n", option_name(*option), show_content(*option, content))
        }
        Item::Command(code) => match name_of(&COMMANDS, *code) {
            Some(name) => format!("{name}\n"),
            None => format!("IAC {code:02X}\n"),
        },
    }
}

fn show_content(option: u8, content: &[u8]) -> String {
    let words = match (option, content) {
        (option::TERMINAL_TYPE, [0, name @ ..]) => Some(format!("IS '{}'", name.escape_ascii())),
        (option::TERMINAL_TYPE, [1]) => Some("SEND".to_string()),
        (option::START_TLS, [1]) => Some("FOLLOWS".to_string()),
        (option::TN3270E, _) => {
            Message::read(content).filter(|message| message.write() == content).map(|m| show_message(&m))
        }
        _ => None,
    };
    words.unwrap_or_else(|| hex(content))
}

fn show_message(message: &Message) -> String {
    match message {
        Message::SendDeviceType => "SEND DEVICE-TYPE".to_string(),
        Message::DeviceTypeRequest { device, lu } => {
            let lu = match lu {
                None => String::new(),
                Some(RequestedLu::Connect(name)) => format!(" CONNECT '{name}'"),
                Some(RequestedLu::Associate(name)) => format!(" ASSOCIATE '{name}'"),
            };
            format!("DEVICE-TYPE REQUEST '{device}'{lu}")
        }
        Message::DeviceTypeIs { device, lu } => format!("DEVICE-TYPE IS '{device}' CONNECT '{lu}'"),
        Message::DeviceTypeReject(reason) => {
            format!("DEVICE-TYPE REJECT REASON {}", name_of(&REASONS, *reason).unwrap_or("?"))
        }
        Message::FunctionsRequest(list) => format!("FUNCTIONS REQUEST {}", show_functions(*list)),
        Message::FunctionsIs(list) => format!("FUNCTIONS IS {}", show_functions(*list)),
    }
}

fn show_functions(list: Functions) -> String {
    let names = list.codes().into_iter().map(|code| match name_of(&FUNCTIONS, code) {
        Some(name) => name.to_string(),
        None => format!("{code:02X}"),
    });
    names.collect::<Vec<_>>().join(" ")
}

fn read_line(line: &str, out: &mut Vec<u8>) -> Option<()> {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Some(verb) = value_of(&VERBS, first) {
        put_negotiation(out, verb, option_code(rest)?);
    } else if let Some(code) = value_of(&COMMANDS, first) {
        out.extend([command::IAC, code]);
    } else if first == "RECORD" {
        put_record(out, &[], &bytes_of(rest)?);
    } else if first == "TEXT" {
        out.extend(quoted(rest)?.bytes());
    } else if first == "SB" {
        let (option, rest) = rest.split_once(' ')?;
        let option = option_code(option)?;
        put_subnegotiation(out, option, &read_content(option, rest)?);
    } else {
        return None;
    }
    Some(())
}

fn read_content(option: u8, rest: &str) -> Option<Vec<u8>> {
    match (option, rest) {
        (option::TERMINAL_TYPE, "SEND") => Some(vec![1]),
        (option::TERMINAL_TYPE, _) if rest.starts_with("IS ") => {
            Some([&[0], quoted(&rest[3..])?.as_bytes()].concat())
        }
        (option::START_TLS, "FOLLOWS") => Some(vec![1]),
        (option::TN3270E, _) => read_message(rest).map(|message| message.write()).or_else(|| bytes_of(rest)),
        _ => bytes_of(rest),
    }
}

fn read_message(rest: &str) -> Option<Message> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let functions = |names: &[&str]| {
        let codes: Option<Vec<u8>> =
            names.iter().map(|name| value_of(&FUNCTIONS, name).or_else(|| byte_of(name))).collect();
        Some(Functions::from_codes(&codes?))
    };
    match words.as_slice() {
        ["SEND", "DEVICE-TYPE"] => Some(Message::SendDeviceType),
        ["DEVICE-TYPE", "REQUEST", device, lu @ ..] => {
            let lu = match lu {
                [] => None,
                ["CONNECT", name] => Some(RequestedLu::Connect(quoted(name)?.to_string())),
                ["ASSOCIATE", name] => Some(RequestedLu::Associate(quoted(name)?.to_string())),
                _ => return None,
            };
            Some(Message::DeviceTypeRequest { device: DeviceType::new(quoted(device)?), lu })
        }
        ["DEVICE-TYPE", "IS", device, "CONNECT", lu] => Some(Message::DeviceTypeIs {
            device: DeviceType::new(quoted(device)?),
            lu: quoted(lu)?.to_string(),
        }),
        ["DEVICE-TYPE", "REJECT", "REASON", reason] => {
            Some(Message::DeviceTypeReject(value_of(&REASONS, reason)?))
        }
        ["FUNCTIONS", "REQUEST", names @ ..] => Some(Message::FunctionsRequest(functions(names)?)),
        ["FUNCTIONS", "IS", names @ ..] => Some(Message::FunctionsIs(functions(names)?)),
        _ => None,
    }
}

fn quoted(word: &str) -> Option<&str> {
    word.trim().strip_prefix('\'')?.strip_suffix('\'')
}

fn bytes_of(text: &str) -> Option<Vec<u8>> {
    text.split_whitespace().map(byte_of).collect()
}

fn byte_of(word: &str) -> Option<u8> {
    u8::from_str_radix(word, 16).ok().filter(|_| word.len() == 2)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

fn option_name(code: u8) -> String {
    name_of(&OPTIONS, code).map_or_else(|| format!("{code:02X}"), str::to_string)
}

fn option_code(name: &str) -> Option<u8> {
    value_of(&OPTIONS, name).or_else(|| byte_of(name))
}

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: T) -> Option<&'static str> {
    table.iter().find(|entry| entry.1 == value).map(|entry| entry.0)
}

fn value_of<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|entry| entry.0 == name).map(|entry| entry.1)
}
