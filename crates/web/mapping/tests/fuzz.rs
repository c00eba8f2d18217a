//! Random descriptions, records and messages, by a seed. A round trip never changes a value, with quick-xml and
//! serde_json as judges of the written messages and as writers of those to read; the quick and the complete reader
//! agree;
//! torn messages never panic.

mod common;

use std::collections::BTreeMap;

use copybook::{Choices, decode};
use fastrand::Rng;
use mapping::xml::Way;
use mapping::{Mapping, Options, json, names, xml};
use quick_xml::events::Event;
use serde_json::Value;
use serde_json::value::RawValue;

/// A random description, and the fields in it that count.
fn description(random: &mut Rng) -> String {
    let mut text = "       01  REC.\n".to_owned();
    let mut number = 0;
    fields(random, 5, 0, &mut number, &mut text);
    text
}

fn fields(random: &mut Rng, level: usize, depth: usize, number: &mut usize, text: &mut String) {
    for _ in 0..random.usize(1..6) {
        *number += 1;
        let name = format!("F-{number}");
        let indent = format!("           {level:02}  ");
        let occurs =
            if random.u8(..4) == 0 { format!(" OCCURS {}", random.usize(1..4)) } else { String::new() };
        match random.u8(..9) {
            0 if depth < 3 => {
                *text += &format!("{indent}{name}{occurs}.\n");
                fields(random, level + 5, depth + 1, number, text);
            }
            2 => *text += &format!("{indent}FILLER PIC X({}).\n", random.usize(1..9)),
            _ => *text += &format!("{indent}{name} {}{occurs}.\n", picture(random)),
        }
    }
    *number += 1;
    let indent = format!("           {level:02}  ");
    // After a counted table the judge would expect fields to move up, as in a file: the table is last.
    if depth == 0 && random.bool() {
        *text += &format!("{indent}C-{number} PIC 9(2).\n");
        *text += &format!("{indent}T-{number} OCCURS 0 TO 5 DEPENDING ON C-{number}.\n");
        *text += &format!("           {:02}  I-{number} PIC X(3).\n", level + 5);
    } else {
        *text += &format!("{indent}E-{number} PIC X.\n");
    }
}

/// A record as far as its counted table goes.
fn used<'a>(layout: &copybook::Layout, record: &'a [u8]) -> &'a [u8] {
    let table = layout
        .fields()
        .into_iter()
        .find(|field| field.occurs.as_ref().is_some_and(|occurs| occurs.depending.is_some()));
    let Some(table) = table else { return record };
    let count: usize = std::str::from_utf8(&record[table.offset - 2..table.offset])
        .expect("digits")
        .parse()
        .expect("a number");
    &record[..table.offset + count * table.length]
}

fn picture(random: &mut Rng) -> String {
    let (whole, part) = (random.usize(1..12), random.usize(0..7));
    let sign = if random.bool() { "S" } else { "" };
    let fraction = if part > 0 { format!("V9({part})") } else { String::new() };
    match random.u8(..8) {
        0..=2 => format!("PIC X({})", random.usize(1..30)),
        3 => format!("PIC {sign}9({whole}){fraction}"),
        4 => format!("PIC {sign}9({whole}){fraction} COMP-3"),
        5 => format!("PIC {sign}9({}) COMP", random.usize(1..18)),
        6 => format!("PIC S9({whole}){fraction} SIGN LEADING SEPARATE"),
        _ => format!("PIC {sign}9({}) COMP-5", random.usize(1..18)),
    }
}

/// A random value for each field, as the independent writer of `copybook` puts it into a record.
fn record(random: &mut Rng, text: &str, plain: bool) -> Vec<u8> {
    let layout = common::layout(text);
    let mapping = common::mapping(text, "rec", &Options::default());
    let mut record = mapping.initial().to_vec();
    // Counters first: they say which fields there are.
    let counters: Vec<_> = layout.fields().into_iter().filter(|field| field.is_named_like("C-")).collect();
    for field in counters {
        record[field.offset..field.offset + 2]
            .copy_from_slice(format!("{:02}", random.usize(..6)).as_bytes());
    }
    let leaves: Vec<_> = copybook::leaves(&layout, &Choices::new(), used(&layout, &record))
        .expect("leaves")
        .into_iter()
        .filter(|leaf| leaf.is_named() && !leaf.path().starts_with("C-"))
        .map(|leaf| (leaf.usage, leaf.offset, leaf.length, leaf.path()))
        .collect();
    for (usage, offset, length, _) in leaves {
        value(random, usage, &mut record[offset..offset + length], plain);
    }
    record
}

trait Named {
    fn is_named_like(&self, prefix: &str) -> bool;
}

impl Named for copybook::Field {
    fn is_named_like(&self, prefix: &str) -> bool {
        self.name.as_deref().is_some_and(|name| name.starts_with(prefix))
    }
}

fn value(random: &mut Rng, usage: copybook::Usage, field: &mut [u8], plain: bool) {
    use copybook::Usage;
    use ebcdic::decimal;
    let below = |random: &mut Rng, digits: usize| random.i128(..) % 10i128.pow(digits as u32);
    match usage {
        Usage::Text => {
            let odd = b"<>&'\"]\\/\t\n\r{}";
            let length = random.usize(..=field.len());
            for byte in &mut field[..length] {
                *byte = match random.u8(..10) {
                    0 if !plain => odd[random.usize(..odd.len())],
                    1 if !plain => random.u8(0xA0..),
                    _ => random.u8(b'a'..=b'z'),
                };
            }
        }
        Usage::Zoned { digits, sign, .. } => {
            let number = below(random, digits);
            let number = if sign == decimal::ZonedSign::None { number.abs() } else { number };
            decimal::write_zoned(number, sign, field).expect("it fits");
        }
        Usage::Packed { digits, signed, .. } => {
            let number = below(random, digits);
            decimal::pack(if signed { number } else { number.abs() }, signed, field).expect("it fits");
        }
        Usage::Binary { digits, signed, .. } => {
            let number = below(random, digits);
            let number = if signed { number } else { number.abs() };
            let bytes = number.to_be_bytes();
            let from = bytes.len() - field.len();
            field.copy_from_slice(&bytes[from..]);
        }
        _ => {}
    }
}

/// Values of a record by the judge's own reader: path in element names, value.
fn values(text: &str, record: &[u8]) -> Vec<(String, String)> {
    let layout = common::layout(text);
    let all = decode(&layout, &Choices::new(), used(&layout, record)).expect("values");
    let named = all.into_iter().filter(|(path, _)| !path.contains("X'") && !path.starts_with("C-"));
    named.map(|(path, value)| (names::element(&path), value)).collect()
}

/// Values of a message, the same way, as quick-xml sees it.
fn judged_xml(message: &[u8]) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_reader(message);
    let mut buffer = Vec::new();
    let (mut values, mut text, mut is_leaf) = (Vec::new(), String::new(), false);
    loop {
        match reader.read_event_into(&mut buffer).expect("an event") {
            Event::Start(_) => (text, is_leaf) = (String::new(), true),
            Event::Text(piece) => text.push_str(&piece),
            Event::GeneralRef(reference) => match reference.resolve_char_ref().expect("a reference") {
                Some(character) => text.push(character),
                None => text.push(match &*reference {
                    "lt" => '<',
                    "gt" => '>',
                    "amp" => '&',
                    name => panic!("{name:?}"),
                }),
            },
            Event::End(end) => {
                if is_leaf && !end.ends_with("rec") {
                    values.push(text.clone());
                }
                is_leaf = false;
            }
            Event::Eof => return values,
            other => panic!("{other:?}"),
        }
        buffer.clear();
    }
}

/// Leaves of a message in JSON, as serde_json sees them, and the same message with other blanks and escapes.
fn judged_json(message: &str, leaves: &mut Vec<String>, again: &mut String) {
    match message.trim_start().as_bytes()[0] {
        b'{' => {
            let Members(members) = serde_json::from_str(message).expect("an object");
            *again += "{ ";
            for (at, (name, value)) in members.iter().enumerate() {
                *again += if at > 0 { "\n , " } else { "" };
                *again += &format!("{} : ", serde_json::to_string(name).expect("a string"));
                judged_json(value.get(), leaves, again);
            }
            *again += "}\t";
        }
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(message).expect("an array");
            *again += "[";
            for (at, value) in items.iter().enumerate() {
                *again += if at > 0 { " ," } else { "\r\n" };
                judged_json(value.get(), leaves, again);
            }
            *again += " ]";
        }
        b'"' => {
            let text: String = serde_json::from_str(message).expect("a string");
            *again += &serde_json::to_string(&text).expect("a string").replace('a', "\\u0061");
            leaves.push(text);
        }
        _ => {
            *again += message;
            leaves.push(message.to_owned());
        }
    }
}

/// The members of an object in their order; the values as they were written, so that no digit is lost.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Members {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> serde::de::Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// The judge trims COBOL's padding; so does this.
fn expected(text: &str, record: &[u8]) -> Vec<String> {
    let layout = common::layout(text);
    let leaves = copybook::leaves(&layout, &Choices::new(), used(&layout, record)).expect("leaves");
    let by_path: BTreeMap<_, _> = values(text, record).into_iter().collect();
    let named = leaves.iter().filter(|leaf| leaf.is_named() && !leaf.path().starts_with("C-"));
    named
        .map(|leaf| match leaf.usage {
            copybook::Usage::Text => {
                let bytes = &record[leaf.offset..leaf.offset + leaf.length];
                let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
                text.trim_end_matches(' ').to_owned()
            }
            _ => by_path[&names::element(&leaf.path())].clone(),
        })
        .collect()
}

fn both(mapping: &Mapping, message: &[u8]) -> Result<Vec<u8>, mapping::MappingFault> {
    let complete = xml::read(mapping, message, None, Way::Complete);
    assert_eq!(
        xml::read(mapping, message, None, Way::Quick),
        complete,
        "{}",
        String::from_utf8_lossy(message)
    );
    complete
}

#[test]
fn a_round_trip_never_changes_a_value() {
    let mut random = common::random(2_017);
    for round in 0..common::rounds(1_500) {
        let text = description(&mut random);
        let options = Options {
            namespace: if random.bool() { "urn:a&b".to_owned() } else { String::new() },
            qualified: random.bool(),
            ..Options::default()
        };
        let mapping = common::mapping(&text, "rec", &options);
        let record = record(&mut random, &text, round % 3 == 0);
        let wanted = expected(&text, &record);

        let mut message = Vec::new();
        xml::write(&mapping, &record, &mut message).expect("a message");
        assert_eq!(judged_xml(&message), wanted, "{text}\n{}", String::from_utf8_lossy(&message));
        assert_eq!(both(&mapping, &message).expect("a record"), record, "{text}");

        let mut message = Vec::new();
        json::write(&mapping, &record, true, &mut message).expect("a message");
        let (mut seen, mut again) = (Vec::new(), String::new());
        judged_json(std::str::from_utf8(&message).expect("text"), &mut seen, &mut again);
        assert_eq!(seen, wanted, "{text}\n{}", String::from_utf8_lossy(&message));
        assert_eq!(json::read(&mapping, &message, true).expect("a record"), record, "{text}");
        assert_eq!(json::read(&mapping, again.as_bytes(), true).expect("a record"), record, "{again}");
    }
}

/// The same message as another writer would write it.
fn disguised(random: &mut Rng, message: &str) -> String {
    let mut text = String::new();
    for piece in message.split_inclusive('>') {
        let (value, tag) = piece.split_at(piece.rfind('<').unwrap_or(piece.len()));
        let opens = !tag.starts_with("</");
        if opens && random.u8(..6) == 0 {
            text += ["\n", " \t", "<!-- > -->", "\r\n"][random.usize(..4)];
        }
        if !opens && !value.is_empty() && random.u8(..4) == 0 && !value.contains('&') {
            let middle = value.char_indices().nth(value.chars().count() / 2).map_or(0, |(at, _)| at);
            text += &match random.u8(..3) {
                0 => format!("{}<!-- x -->{}", &value[..middle], &value[middle..]),
                1 if !value.contains(']') => format!("<![CDATA[{value}]]>"),
                _ => value.chars().map(|character| format!("&#x{:x};", u32::from(character))).collect(),
            };
        } else {
            text += value;
        }
        match random.u8(..8) {
            0 => text += &tag.replace('>', " >"),
            _ => text += tag,
        }
    }
    text
}

#[test]
fn both_readers_read_what_others_write() {
    let mut random = common::random(99);
    for _ in 0..common::rounds(2_000) {
        let text = description(&mut random);
        let options = Options { namespace: "urn:n".to_owned(), ..Options::default() };
        let mapping = common::mapping(&text, "rec", &options);
        let record = record(&mut random, &text, false);
        let mut message = Vec::new();
        xml::write(&mapping, &record, &mut message).expect("a message");
        let message = String::from_utf8(message).expect("text");
        let disguised = disguised(&mut random, &message);
        assert_eq!(both(&mapping, disguised.as_bytes()).as_ref(), Ok(&record), "{disguised}");
    }
}

#[test]
fn torn_messages_are_faults_and_nothing_else() {
    let mut random = common::random(4_711);
    for _ in 0..common::rounds(600) {
        let text = description(&mut random);
        let mapping = common::mapping(&text, "rec", &Options::default());
        let record = record(&mut random, &text, false);
        let (mut xml_message, mut json_message) = (Vec::new(), Vec::new());
        xml::write(&mapping, &record, &mut xml_message).expect("a message");
        json::write(&mapping, &record, false, &mut json_message).expect("a message");
        for _ in 0..20 {
            let torn = torn(&mut random, &xml_message);
            let _ = both(&mapping, &torn);
            let torn = self::torn(&mut random, &json_message);
            // The judge takes all messages that we take; it passes over members that are there twice, and takes more.
            if json::read(&mapping, &torn, false).is_ok() {
                assert!(serde_json::from_slice::<Value>(&torn).is_ok(), "{}", String::from_utf8_lossy(&torn));
            }
        }
        let mut odd = record.clone();
        for _ in 0..4 {
            let at = random.usize(..odd.len());
            odd[at] = random.u8(..);
        }
        let _ = xml::write(&mapping, &odd, &mut Vec::new());
        let _ = json::write(&mapping, &odd, false, &mut Vec::new());
    }
}

fn torn(random: &mut Rng, message: &[u8]) -> Vec<u8> {
    const ODD: &[u8] = b"<>&;/!-[]?\"'= \r\n\0\x7f\xC3\xA9{}:,0.eE+-\\u";
    let mut torn = message.to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..torn.len().max(1)).min(torn.len().saturating_sub(1));
        match random.u8(..4) {
            0 => torn[at] = ODD[random.usize(..ODD.len())],
            1 => torn.insert(at, ODD[random.usize(..ODD.len())]),
            2 if torn.len() > 2 => {
                torn.remove(at);
            }
            _ if torn.len() > 2 => torn.truncate(at.max(1)),
            _ => {}
        }
    }
    torn
}
