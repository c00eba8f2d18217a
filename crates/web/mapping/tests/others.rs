//! Messages that quick-xml and serde_json have written, of random descriptions with all that a description can have: their
//! values are in what we write again, whichever way they have come. `MAPPING_SEEDS=7` or `MAPPING_SEEDS=1..500` are the
//! seeds, `MAPPING_ROUNDS` how many descriptions each has.

mod common;

use std::collections::BTreeMap;
use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use mapping::xml::Way;
use mapping::{CharVarying, Chosen, Form, Hint, Holds, Mapping, Options, json, xml};
use quick_xml::events::attributes::Attr;
use quick_xml::events::{BytesCData, BytesEnd, BytesStart, BytesText, Event};
use serde_json::Value;

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("MAPPING_SEEDS") else { return 1..5 };
    match text.split_once("..") {
        Some((from, to)) => from.parse().expect("a seed")..to.parse().expect("a seed"),
        None => {
            let seed = text.parse().expect("a seed");
            seed..seed + 1
        }
    }
}

/// An element of a message, as its author means it.
#[derive(Clone, Debug, PartialEq)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    content: Content,
    /// It may have attributes: in JSON it is an object then.
    is_object: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Nil,
    /// A value, and whether JSON has it without quotes.
    Leaf(String, bool),
    Parts(Vec<Element>),
}

/// A description that grows, and a message of it.
struct Made<'a> {
    random: &'a mut Rng,
    varying: CharVarying,
    text: String,
    hints: BTreeMap<String, Hint>,
    redefinitions: Vec<String>,
    number: usize,
}

impl Made<'_> {
    fn line(&mut self, depth: usize, name: &str, clauses: &str) {
        self.text += &format!("           {:02}  {name} {clauses}.\n", depth * 5);
    }

    fn next(&mut self) -> usize {
        self.number += 1;
        self.number
    }

    fn mark(&mut self, depth: usize) -> String {
        let name = format!("M-{}", self.next());
        self.line(depth, &name, "PIC X");
        self.hints.insert(name.clone(), Hint { holds: Holds::Mark, ..Hint::default() });
        name
    }

    /// A picture, and a maker of values for it.
    fn leaf(&mut self) -> (String, Leaf) {
        let (whole, places) = (self.random.usize(1..10), self.random.usize(0..5));
        let signed = self.random.bool();
        let sign = if signed { "S" } else { "" };
        let fraction = if places > 0 { format!("V9({places})") } else { String::new() };
        let number = Leaf::Number { digits: whole + places, places, signed };
        match self.random.u8(..6) {
            0 => (format!("PIC {sign}9({whole}){fraction}"), number),
            1 => (format!("PIC {sign}9({whole}){fraction} COMP-3"), number),
            2 => (format!("PIC {sign}9({whole}) COMP"), Leaf::Number { digits: whole, places: 0, signed }),
            _ => {
                let length = self.random.usize(1..40);
                (format!("PIC X({length})"), Leaf::Text(length))
            }
        }
    }

    fn value(&mut self, leaf: &Leaf) -> Content {
        match leaf {
            Leaf::Number { digits, places, signed } => {
                let number = self.random.i128(0..10i128.pow(*digits as u32));
                let text = format!("{number:0>width$}", width = places + 1);
                let (whole, fraction) = text.split_at(text.len() - places);
                let minus = if *signed && number > 0 && self.random.bool() { "-" } else { "" };
                let point = if *places > 0 { "." } else { "" };
                Content::Leaf(format!("{minus}{whole}{point}{fraction}"), true)
            }
            Leaf::Text(length) => {
                let odd = ['<', '>', '&', '\'', '"', ']', ' ', 'é', 'ß', '\n', '\t', '{', '\\', '/'];
                let most = match self.varying {
                    CharVarying::No | CharVarying::Binary => *length,
                    _ => self.random.usize(..=*length),
                };
                let mut text: String = (0..most)
                    .map(|_| match self.random.u8(..5) {
                        0 => odd[self.random.usize(..odd.len())],
                        _ => char::from(self.random.u8(b'a'..=b'z')),
                    })
                    .collect();
                match self.varying {
                    CharVarying::Binary => {
                        let bytes: Vec<u8> = (0..most).map(|_| self.random.u8(..)).collect();
                        text = STANDARD.encode(bytes);
                    }
                    CharVarying::Collapse => text = text.trim_end_matches(' ').to_owned(),
                    _ => {}
                }
                Content::Leaf(text, false)
            }
        }
    }

    fn group(&mut self, depth: usize) -> Vec<Element> {
        let mut parts = Vec::new();
        for _ in 0..self.random.usize(1..5) {
            match self.random.u8(..8) {
                0 if depth < 4 => self.nested(depth, &mut parts),
                1 => self.table(depth, &mut parts),
                2 => self.choice(depth, &mut parts),
                3 => self.redefined(depth, &mut parts),
                _ => self.single(depth, &mut parts),
            }
        }
        parts
    }

    fn hint(&mut self, number: usize) -> (String, Hint) {
        (format!("F-{number}"), Hint { name: Some(format!("e{number}")), ..Hint::default() })
    }

    fn element(&self, number: usize, content: Content) -> Element {
        Element { name: format!("e{number}"), attributes: Vec::new(), content, is_object: false }
    }

    /// A value that is there, or nil, or missing.
    fn single(&mut self, depth: usize, parts: &mut Vec<Element>) {
        let number = self.next();
        let (name, mut hint) = self.hint(number);
        let (picture, leaf) = self.leaf();
        let value = self.value(&leaf);
        match self.random.u8(..3) {
            0 => {
                hint.nil = Some(self.mark(depth));
                let content = if self.random.bool() { Content::Nil } else { value };
                parts.push(self.element(number, content));
            }
            1 => {
                let counter = format!("C-{number}");
                self.line(depth, &counter, "PIC S9(9) COMP-5");
                hint.counter = Some(counter);
                if self.random.bool() {
                    parts.push(self.element(number, value));
                }
            }
            _ => parts.push(self.element(number, value)),
        }
        self.line(depth, &name, &picture);
        self.hints.insert(name, hint);
    }

    /// A group, or a value, with attributes.
    fn nested(&mut self, depth: usize, parts: &mut Vec<Element>) {
        let number = self.next();
        let (name, hint) = self.hint(number);
        self.line(depth, &name, "");
        self.hints.insert(name, hint);
        let (mut attributes, mut is_object) = (Vec::new(), false);
        for _ in 0..self.random.usize(..3) {
            is_object = true;
            let own = self.next();
            let (picture, leaf) = self.leaf();
            let Content::Leaf(value, _) = self.value(&leaf) else { continue };
            let mut hint = Hint { name: Some(format!("a{own}")), form: Form::Attribute, ..Hint::default() };
            let is_there = self.random.bool();
            if self.random.bool() {
                hint.exists = Some(self.mark(depth + 1));
            }
            if hint.exists.is_none() || is_there {
                attributes.push((format!("a{own}"), value));
            }
            let name = format!("A-{own}");
            self.line(depth + 1, &name, &picture);
            self.hints.insert(name, hint);
        }
        let content = if self.random.bool() {
            Content::Parts(self.group(depth + 1))
        } else {
            let (picture, leaf) = self.leaf();
            let name = format!("V-{}", self.next());
            self.line(depth + 1, &name, &picture);
            self.hints
                .insert(name, Hint { name: Some("$".to_owned()), form: Form::Content, ..Hint::default() });
            self.value(&leaf)
        };
        parts.push(Element { name: format!("e{number}"), attributes, content, is_object });
    }

    /// Occurrences, as many as a counter says.
    fn table(&mut self, depth: usize, parts: &mut Vec<Element>) {
        let number = self.next();
        let (name, mut hint) = self.hint(number);
        let (picture, leaf) = self.leaf();
        let counter = format!("C-{number}");
        self.line(depth, &counter, "PIC S9(9) COMP-5");
        self.line(depth, &name, &format!("{picture} OCCURS 4"));
        (hint.counter, hint.is_array) = (Some(counter), true);
        self.hints.insert(name, hint);
        for _ in 0..self.random.usize(..=4) {
            let value = self.value(&leaf);
            parts.push(self.element(number, value));
        }
    }

    /// One of several.
    fn choice(&mut self, depth: usize, parts: &mut Vec<Element>) {
        let mark = self.mark(depth);
        let (count, is_required) = (self.random.u8(1..4), self.random.bool());
        let chosen = if is_required { self.random.u8(1..=count) } else { self.random.u8(..=count) };
        for value in 1..=count {
            let number = self.next();
            let (name, mut hint) = self.hint(number);
            let (picture, leaf) = self.leaf();
            let is_last = value == count;
            hint.choice = Some(Chosen { field: mark.clone(), value, is_required, is_last });
            self.line(depth, &name, &picture);
            self.hints.insert(name, hint);
            if value == chosen {
                let value = self.value(&leaf);
                parts.push(self.element(number, value));
            }
        }
    }

    /// An area with two descriptions, of which the second holds.
    fn redefined(&mut self, depth: usize, parts: &mut Vec<Element>) {
        let number = self.next();
        let (name, hint) = self.hint(number);
        self.line(depth, &format!("R-{number}"), "PIC X(9)");
        self.line(depth, &name, &format!("REDEFINES R-{number} PIC 9(9)"));
        self.hints.insert(name.clone(), hint);
        self.redefinitions.push(name);
        let value = self.value(&Leaf::Number { digits: 9, places: 0, signed: false });
        parts.push(self.element(number, value));
    }
}

enum Leaf {
    Text(usize),
    Number { digits: usize, places: usize, signed: bool },
}

/// A mapping, and the root of a message of it.
fn made(random: &mut Rng) -> (Mapping, Element, String) {
    let varyings = [CharVarying::Collapse, CharVarying::No, CharVarying::Null, CharVarying::Binary];
    let varying = varyings[random.usize(..varyings.len())];
    let (qualified, has_namespace) = (random.bool(), random.bool());
    let mut made = Made {
        random,
        varying,
        text: "       01  REC.\n".to_owned(),
        hints: BTreeMap::new(),
        redefinitions: Vec::new(),
        number: 0,
    };
    let parts = made.group(1);
    let options = Options {
        varying,
        namespace: if has_namespace { "urn:a&b".to_owned() } else { String::new() },
        qualified,
        hints: made.hints,
        redefinitions: made.redefinitions,
        ..Options::default()
    };
    let mapping = common::mapping(&made.text, "rec", &options);
    let content = Content::Parts(parts);
    let root = Element { name: "rec".to_owned(), attributes: Vec::new(), content, is_object: true };
    (mapping, root, made.text)
}

/// The message as quick-xml writes it, with the freedom that a writer has.
fn as_xml(random: &mut Rng, mapping: &Mapping, root: &Element) -> String {
    let mut writer = match random.bool() {
        true => quick_xml::Writer::new_with_indent(Vec::new(), b' ', 2),
        false => quick_xml::Writer::new(Vec::new()),
    };
    let has_namespace = !mapping.namespace().is_empty();
    let prefix = if has_namespace && (random.bool() || !mapping.is_qualified()) { "q:" } else { "" };
    write_xml(random, mapping, root, (prefix, true), &mut writer);
    String::from_utf8(writer.into_inner()).expect("text")
}

fn write_xml(
    random: &mut Rng,
    mapping: &Mapping,
    element: &Element,
    (prefix, is_root): (&str, bool),
    writer: &mut quick_xml::Writer<Vec<u8>>,
) {
    let own = if is_root || mapping.is_qualified() { prefix } else { "" };
    let name = format!("{own}{}", element.name);
    let mut start = BytesStart::new(name.clone());
    if is_root && !mapping.namespace().is_empty() {
        let declared = if prefix.is_empty() { "xmlns" } else { "xmlns:q" };
        start.push_attribute((declared, mapping.namespace()));
    }
    if is_root {
        start.push_attribute(("xmlns:i", INSTANCE));
    }
    let mut attributes = element.attributes.clone();
    random.shuffle(&mut attributes);
    for (name, value) in &attributes {
        // Line ends in an attribute are blanks unless they are references.
        let mut escaped = quick_xml::escape::escape(value.as_str()).into_owned();
        escaped = escaped.replace('\n', "&#10;").replace('\t', "&#x9;");
        start.push_attribute(Attr::DoubleQ(name.as_str(), escaped.as_str()));
    }
    let mut put = |event: Event<'_>| writer.write_event(event).expect("written");
    match &element.content {
        Content::Nil => {
            start.push_attribute(("i:nil", ["true", "1"][random.usize(..2)]));
            put(Event::Empty(start));
        }
        Content::Leaf(text, _) if text.is_empty() => put(Event::Empty(start)),
        Content::Leaf(text, _) => {
            put(Event::Start(start));
            let middle = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            match random.u8(..4) {
                0 if !text.contains("]]>") => put(Event::CData(BytesCData::new(text.as_str()))),
                1 if !text.contains("]]>") => {
                    put(Event::Text(BytesText::new(&text[..middle])));
                    put(Event::Comment(BytesText::new(" < & > ")));
                    put(Event::CData(BytesCData::new(&text[middle..])));
                }
                _ => put(Event::Text(BytesText::new(text))),
            }
            put(Event::End(BytesEnd::new(name)));
        }
        Content::Parts(parts) => {
            put(Event::Start(start));
            for part in parts {
                write_xml(random, mapping, part, (prefix, false), writer);
            }
            writer.write_event(Event::End(BytesEnd::new(name))).expect("written");
        }
    }
}

/// A message as quick-xml sees it.
fn judged(message: &str) -> Element {
    let mut reader = quick_xml::Reader::from_str(message);
    let mut open: Vec<(Element, String)> = Vec::new();
    loop {
        let event = reader.read_event().expect("an event");
        let is_empty = matches!(event, Event::Empty(_));
        let mut ends = is_empty;
        match event {
            Event::Start(start) | Event::Empty(start) => {
                let name = start.local_name().as_ref().to_owned();
                let (mut attributes, mut content) = (Vec::new(), Content::Parts(Vec::new()));
                for attribute in start.attributes() {
                    let attribute = attribute.expect("an attribute");
                    let key = attribute.key.as_ref().to_owned();
                    let raw = attribute.value.into_owned();
                    let value = quick_xml::escape::unescape(&raw).expect("a value").into_owned();
                    match key.as_str() {
                        key if key.starts_with("xmlns") => {}
                        key if key.ends_with(":nil") => content = Content::Nil,
                        _ => attributes.push((key, value)),
                    }
                }
                open.push((Element { name, attributes, content, is_object: false }, String::new()));
            }
            Event::Text(text) => {
                if let Some((_, own)) = open.last_mut() {
                    own.push_str(&text);
                }
            }
            Event::GeneralRef(reference) => {
                let character = match reference.resolve_char_ref().expect("a reference") {
                    Some(character) => character,
                    None => match &*reference {
                        "lt" => '<',
                        "gt" => '>',
                        "amp" => '&',
                        "apos" => '\'',
                        "quot" => '"',
                        name => panic!("{name:?}"),
                    },
                };
                if let Some((_, own)) = open.last_mut() {
                    own.push(character);
                }
            }
            Event::End(_) => ends = true,
            Event::Eof => panic!("no end"),
            _ => {}
        }
        if ends {
            let (mut element, text) = open.pop().expect("an element");
            if matches!(&element.content, Content::Parts(parts) if parts.is_empty()) {
                element.content = Content::Leaf(text, false);
            }
            match open.last_mut() {
                None => return element,
                Some((Element { content: Content::Parts(parts), .. }, _)) => parts.push(element),
                Some(_) => panic!("elements in what is nil"),
            }
        }
    }
}

/// The same elements without the form of a value in JSON and the order of attributes, which do not matter.
fn plain(element: &Element) -> Element {
    let content = match &element.content {
        Content::Nil => Content::Nil,
        Content::Leaf(text, _) => Content::Leaf(text.clone(), false),
        Content::Parts(parts) if parts.is_empty() => Content::Leaf(String::new(), false),
        Content::Parts(parts) => Content::Parts(parts.iter().map(plain).collect()),
    };
    let mut attributes = element.attributes.clone();
    attributes.sort();
    Element { name: element.name.clone(), attributes, content, is_object: false }
}

/// The message in JSON, as serde_json writes its texts; members in any order.
fn as_json(
    random: &mut Rng,
    tables: &dyn Fn(&str) -> bool,
    element: &Element,
    is_number: &dyn Fn(&str) -> bool,
) -> String {
    let quoted = |text: &str| serde_json::to_string(text).expect("a string");
    let leaf = |text: &str, bare: bool| if bare { text.to_owned() } else { quoted(text) };
    match &element.content {
        Content::Nil => "null".to_owned(),
        Content::Leaf(text, bare) if !element.is_object => leaf(text, *bare),
        content => {
            let mut members = Vec::new();
            for (name, value) in &element.attributes {
                members.push(format!("{}: {}", quoted(&format!("@{name}")), leaf(value, is_number(name))));
            }
            match content {
                Content::Leaf(text, bare) => members.push(format!("\"$\" :{}", leaf(text, *bare))),
                Content::Parts(parts) => {
                    let mut at = 0;
                    while let Some(part) = parts.get(at) {
                        let same = parts[at..].iter().take_while(|other| other.name == part.name).count();
                        let values: Vec<_> = parts[at..at + same]
                            .iter()
                            .map(|part| as_json(random, tables, part, is_number))
                            .collect();
                        let value = match tables(&part.name) {
                            true => format!("[{}]", values.join(" , ")),
                            false => values.concat(),
                        };
                        members.push(format!("{}\n:{value}", quoted(&part.name)));
                        at += same;
                    }
                }
                Content::Nil => {}
            }
            random.shuffle(&mut members);
            format!("{{{}}}", members.join(",\t"))
        }
    }
}

#[test]
fn what_others_write_is_read_to_the_same_values() {
    for seed in seeds() {
        let mut random = Rng::with_seed(seed);
        for round in 0..common::rounds(150) {
            let (mapping, root, text) = made(&mut random);
            let message = as_xml(&mut random, &mapping, &root);
            let told = || format!("MAPPING_SEEDS={seed}, round {round}\n{text}\n{message}");
            let record = xml::read(&mapping, message.as_bytes(), None, Way::Quick)
                .unwrap_or_else(|fault| panic!("{fault}\n{}", told()));
            assert_eq!(xml::read(&mapping, message.as_bytes(), None, Way::Complete).as_ref(), Ok(&record));
            let mut written = Vec::new();
            xml::write(&mapping, &record, &mut written).unwrap_or_else(|fault| panic!("{fault}\n{}", told()));
            let written = String::from_utf8(written).expect("text");
            assert_eq!(plain(&judged(&written)), plain(&root), "{}", told());
            assert_eq!(xml::read(&mapping, written.as_bytes(), None, Way::Quick).as_ref(), Ok(&record));

            let is_table = |name: &str| {
                text.contains(&format!("F-{} PIC", &name[1..])) && {
                    let line = text.lines().find(|line| line.contains(&format!("F-{} ", &name[1..])));
                    line.is_some_and(|line| line.contains("OCCURS"))
                }
            };
            let is_number = |name: &str| {
                let line = text.lines().find(|line| line.contains(&format!("A-{} ", &name[1..])));
                line.is_some_and(|line| line.contains('9') && !line.contains("PIC X"))
            };
            let message = as_json(&mut random, &is_table, &root, &is_number);
            assert!(serde_json::from_str::<Value>(&message).is_ok(), "{message}");
            let from_json = json::read(&mapping, message.as_bytes(), false)
                .unwrap_or_else(|fault| panic!("{fault}\n{}\n{message}", told()));
            assert_eq!(from_json, record, "{}\n{message}", told());
            let mut written = Vec::new();
            json::write(&mapping, &record, false, &mut written).expect("a message");
            assert_eq!(json::read(&mapping, &written, false).as_ref(), Ok(&record), "{}", told());
            let ours: Value = serde_json::from_slice(&written).expect("JSON");
            let theirs: Value = serde_json::from_str(&message).expect("JSON");
            assert_eq!(without_empty(ours), without_empty(theirs), "{}", told());
        }
    }
}

/// A table without occurrences may be there or not.
fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, value)| value.as_array().is_none_or(|items| !items.is_empty()))
                .map(|(name, value)| (name, without_empty(value)))
                .collect(),
        ),
        other => other,
    }
}

#[test]
fn what_is_torn_and_taken_is_taken_by_quick_xml_too() {
    const ODD: &[u8] = b"<>&;/!-[]?\"'= \r\n\0\x7f\xC3\xA9{}:,0.eE+-\\u";
    for seed in seeds() {
        let mut random = Rng::with_seed(seed);
        for _ in 0..common::rounds(150) {
            let (mapping, root, _) = made(&mut random);
            let message = as_xml(&mut random, &mapping, &root).into_bytes();
            for _ in 0..20 {
                let mut torn = message.clone();
                let at = random.usize(..torn.len());
                match random.u8(..3) {
                    0 => torn[at] = ODD[random.usize(..ODD.len())],
                    1 => torn.insert(at, ODD[random.usize(..ODD.len())]),
                    _ => {
                        torn.remove(at);
                    }
                }
                let complete = xml::read(&mapping, &torn, None, Way::Complete);
                assert_eq!(xml::read(&mapping, &torn, None, Way::Quick), complete);
                if complete.is_ok() {
                    let text = std::str::from_utf8(&torn).expect("what was read is UTF-8");
                    assert_eq!(judged(text.trim_start_matches('\u{FEFF}')).name, "rec");
                }
            }
        }
    }
}
