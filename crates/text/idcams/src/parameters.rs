//! The parameters of one command, taken one by one; the rest gets a message.

use diagnostics::{Diagnostic, TextPlace};
use jcl::Step;

use crate::attributes::{Attributes, Keys, Log, RecordSize};
use crate::command::{Cluster, EntryKind, FileRef, Key, Name};
use crate::keywords::{is_without_meaning, whole};
use crate::nodes::{Node, Quoted};

/// Greatest length of a data set name, and of each qualifier.
const NAME_LENGTH: usize = 44;
const QUALIFIER_LENGTH: usize = 8;
/// Greatest length of a key.
const KEY_LENGTH: u32 = 255;
/// Greatest length of a record that a program can take.
const RECORD_MAX: u32 = 32_767;
/// Greatest number of generations in a group.
const GENERATIONS_MAX: u32 = 999;
const PERCENT_MAX: u32 = 100;

/// The words of a command or of a list in it.
pub(crate) struct Parameters<'a, 'm> {
    /// Owner of the words, for messages.
    what: &'a str,
    nodes: &'a [Node],
    taken: Vec<bool>,
    /// Place of the command.
    place: TextPlace,
    step: Option<&'a Step>,
    messages: &'m mut Vec<Diagnostic>,
}

impl<'a, 'm> Parameters<'a, 'm> {
    pub fn new(
        what: &'a str,
        nodes: &'a [Node],
        place: TextPlace,
        step: Option<&'a Step>,
        messages: &'m mut Vec<Diagnostic>,
    ) -> Self {
        Self { what, nodes, taken: vec![false; nodes.len()], place, step, messages }
    }

    /// Place of the command.
    pub fn place(&self) -> TextPlace {
        self.place.clone()
    }

    /// The parameters in the list of a keyword, as parameters of their own.
    pub fn within<'s>(&'s mut self, node: &'a Node) -> Parameters<'a, 's> {
        let nodes = node.list.as_deref().unwrap_or_default();
        Parameters::new(self.what, nodes, node.place.clone(), self.step, self.messages)
    }

    /// Takes a keyword.
    pub fn take(&mut self, keyword: &str) -> Option<&'a Node> {
        let at =
            self.nodes.iter().zip(&self.taken).position(|(node, taken)| {
                !taken && node.quoted == Quoted::No && whole(&node.text) == keyword
            })?;
        self.taken[at] = true;
        Some(&self.nodes[at])
    }

    /// Takes a keyword without a value; says whether it was there.
    pub fn flag(&mut self, keyword: &str) -> bool {
        self.take(keyword).is_some()
    }

    /// Takes one of two keywords that are each other's contrary.
    pub fn either(&mut self, yes: &str, no: &str) -> Option<bool> {
        let (yes, no) = (self.flag(yes), self.flag(no));
        (yes || no).then_some(yes)
    }

    /// Takes the words at the start: `DELETE name` or `DELETE (name name)`.
    pub fn leading_names(&mut self) -> Vec<Name> {
        let Some(first) = self.nodes.first().filter(|_| !self.taken[0]) else { return Vec::new() };
        self.taken[0] = true;
        match &first.list {
            Some(list) if first.text.is_empty() => list.iter().map(|node| self.name_of(node)).collect(),
            _ => vec![self.name_of(first)],
        }
    }

    /// Takes a keyword whose value is a name.
    pub fn name(&mut self, keyword: &str) -> Option<Name> {
        self.names(keyword).into_iter().next()
    }

    /// Takes a keyword whose value is a list of names.
    pub fn names(&mut self, keyword: &str) -> Vec<Name> {
        let nodes = self.take(keyword).and_then(|node| node.list.as_deref()).unwrap_or_default();
        nodes.iter().map(|node| self.name_of(node)).collect()
    }

    /// Takes OBJECTS: names, each with the NEWNAME in its list.
    pub fn renamed(&mut self) -> Vec<(Name, Name)> {
        let objects = self.take("OBJECTS").and_then(|node| node.list.as_deref()).unwrap_or_default();
        let mut renamed = Vec::new();
        for object in objects {
            let words = object.list.as_deref().unwrap_or_default();
            // Either (NAME NEWNAME(OTHER)) or NAME(NEWNAME(OTHER)).
            let (name, rest) = match (object.text.is_empty(), words.split_first()) {
                (true, Some((name, rest))) => (name, rest),
                _ => (object, words),
            };
            let mut inner = Parameters::new(self.what, rest, object.place.clone(), self.step, self.messages);
            let new = inner.name("NEWNAME");
            inner.finish();
            let own = self.name_of(&Node { list: None, ..name.clone() });
            renamed.extend(new.map(|new| (own, new)));
        }
        renamed
    }

    /// The name that must be there; a message if it is not.
    pub fn needed_name(&mut self, keyword: &str) -> Option<Name> {
        let name = self.name(keyword);
        if name.is_none() {
            self.missing(keyword);
        }
        name
    }

    pub fn missing(&mut self, what: &str) {
        let message = format!("{} needs {what}", self.what);
        let message = Diagnostic::error("SPID005", message).at(self.place.clone());
        self.messages.push(message.help("the command is left out"));
    }

    /// A name with what belongs to it: a generation or a member in parentheses. A password after `/` is dropped.
    fn name_of(&mut self, node: &Node) -> Name {
        let inner = node.list.as_deref().and_then(<[Node]>::first);
        let bare = node.text.split('/').next().unwrap_or_default().to_uppercase();
        let problem = if bare.is_empty() || bare.chars().count() > NAME_LENGTH {
            Some(format!("a name has 1 to {NAME_LENGTH} characters"))
        } else if bare.split('.').any(|part| part.is_empty() || part.chars().count() > QUALIFIER_LENGTH) {
            Some(format!("each qualifier of a name has 1 to {QUALIFIER_LENGTH} characters"))
        } else {
            None
        };
        if let Some(help) = problem {
            let message = format!("{bare} is not the name of a data set");
            self.messages.push(Diagnostic::error("SPID006", message).at(node.place.clone()).help(help));
        }
        let text = inner.map_or(bare.clone(), |inner| format!("{bare}({})", inner.text));
        Name { text, place: node.place.clone() }
    }

    /// Takes a keyword with one number.
    pub fn number(&mut self, keyword: &str) -> Option<u64> {
        let node = self.take(keyword)?;
        self.numbers_of(node, 1).and_then(|numbers| numbers.first().copied())
    }

    /// Takes a keyword with two numbers, of which the second may be left out.
    pub fn pair(&mut self, keyword: &str, second: Option<u32>) -> Option<(u32, u32)> {
        let node = self.take(keyword)?;
        let numbers: Vec<u32> =
            self.numbers_of(node, 2)?.into_iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX)).collect();
        match (numbers[..].first(), numbers.get(1).copied().or(second)) {
            (Some(&first), Some(second)) => Some((first, second)),
            _ => {
                self.not_numbers(node, 2);
                None
            }
        }
    }

    fn numbers_of(&mut self, node: &Node, most: usize) -> Option<Vec<u64>> {
        let list = node.list.as_deref().unwrap_or_default();
        let numbers: Option<Vec<u64>> = list.iter().map(|node| number(&node.text, node.quoted)).collect();
        match numbers {
            Some(numbers) if !numbers.is_empty() && numbers.len() <= most => Some(numbers),
            _ => {
                self.not_numbers(node, most);
                None
            }
        }
    }

    fn not_numbers(&mut self, node: &Node, most: usize) {
        let what = if most == 1 { "a number" } else { "two numbers" };
        self.messages.push(
            Diagnostic::error("SPID007", format!("{} takes {what}", whole(&node.text)))
                .at(node.place.clone())
                .help(if most == 1 { "as in COUNT(10)" } else { "as in KEYS(16 0)" }),
        );
    }

    /// Takes a key.
    pub fn key(&mut self, keyword: &str) -> Option<Key> {
        let node = self.take(keyword)?;
        let Some(value) = node.list.as_deref().and_then(<[Node]>::first) else {
            self.missing(&format!("a key in {keyword}"));
            return None;
        };
        if value.quoted != Quoted::Hexadecimal {
            return Some(Key::Characters(value.text.clone()));
        }
        let bytes = hexadecimal(&value.text);
        if bytes.is_none() {
            let message = Diagnostic::error("SPID008", format!("X'{}' is not hexadecimal", value.text));
            self.messages.push(message.at(value.place.clone()).help("two digits a byte: X'C1F0'"));
        }
        bytes.map(Key::Bytes)
    }

    /// Takes a data set that is given by ddname or by name, whichever keyword is there.
    pub fn file(&mut self, by_ddname: &str, by_name: &str) -> Option<FileRef> {
        self.files(by_ddname, by_name).into_iter().next()
    }

    /// As [`Parameters::file`], for several.
    pub fn files(&mut self, by_ddname: &str, by_name: &str) -> Vec<FileRef> {
        let names = self.names(by_name);
        if !names.is_empty() {
            return names
                .into_iter()
                .map(|name| FileRef { data_set: Some(name.text), ..FileRef::default() })
                .collect();
        }
        let nodes = self.take(by_ddname).and_then(|node| node.list.as_deref()).unwrap_or_default();
        nodes.iter().map(|node| self.resolved(node)).collect()
    }

    /// A ddname with what the step says of it.
    fn resolved(&mut self, node: &Node) -> FileRef {
        let dd = self.step.and_then(|step| step.dd(&node.text));
        if dd.is_none() && self.step.is_some() {
            let message =
                Diagnostic::warning("SPID009", format!("the step has no DD statement {}", node.text));
            self.messages
                .push(message.at(node.place.clone()).help("a procedure or the caller must give one"));
        }
        FileRef {
            ddname: Some(node.text.clone()),
            data_set: dd.and_then(|dd| dd.data_set.clone()),
            in_stream: dd.and_then(|dd| dd.in_stream.clone()),
        }
    }

    /// Takes the kind of entry that a command is about, if it says one.
    pub fn kind(&mut self) -> Option<EntryKind> {
        ENTRY_KINDS.iter().find(|(keyword, _)| self.flag(keyword)).map(|(_, kind)| *kind)
    }

    /// Takes all the attributes that are there.
    pub fn attributes(&mut self) -> Attributes {
        let one = |number: Option<u64>| number.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Attributes {
            keys: self.keys(),
            record_size: self.record_size(),
            share_options: self.pair("SHAREOPTIONS", Some(3)),
            reuse: self.either("REUSE", "NOREUSE"),
            erase: self.either("ERASE", "NOERASE"),
            spanned: self.either("SPANNED", "NONSPANNED"),
            log: self.log(),
            log_stream: self.name("LOGSTREAMID").map(|name| name.text),
            free_space: self.free_space(),
            control_interval: one(self.number("CONTROLINTERVALSIZE")),
            unique_key: self.either("UNIQUEKEY", "NONUNIQUEKEY"),
            upgrade: self.either("UPGRADE", "NOUPGRADE"),
            update: self.either("UPDATE", "NOUPDATE"),
            limit: self.limit(),
            empty: self.either("EMPTY", "NOEMPTY"),
            scratch: self.either("SCRATCH", "NOSCRATCH"),
        }
    }

    fn keys(&mut self) -> Option<Keys> {
        let place = self.where_is("KEYS");
        let (length, offset) = self.pair("KEYS", None)?;
        if !(1..=KEY_LENGTH).contains(&length) {
            let message = format!("a key cannot have {length} bytes");
            let message = Diagnostic::error("SPID010", message).at(place);
            self.messages.push(message.help(format!("a key has 1 to {KEY_LENGTH} bytes")));
            return None;
        }
        Some(Keys { length, offset })
    }

    /// Tells of a key that does not lie within the longest record.
    pub fn check_key(&mut self, keys: Keys, longest: u32, name: &Name) {
        if keys.offset.saturating_add(keys.length) > longest {
            let message = format!("the key of {} goes beyond its records of {longest} bytes", name.text);
            let message = Diagnostic::error("SPID018", message).at(name.place.clone());
            self.messages.push(message.help("KEYS gives the length first, then the offset"));
        }
    }

    fn record_size(&mut self) -> Option<RecordSize> {
        let place = self.where_is("RECORDSIZE");
        let (average, maximum) = self.pair("RECORDSIZE", None)?;
        if average == 0 || average > maximum {
            let message = format!("records cannot have {average} bytes on average and {maximum} at most");
            let message = Diagnostic::error("SPID011", message).at(place);
            self.messages.push(message.help("RECORDSIZE gives the average first, then the maximum"));
            return None;
        }
        Some(RecordSize { average, maximum })
    }

    fn free_space(&mut self) -> Option<(u32, u32)> {
        let place = self.where_is("FREESPACE");
        let shares = self.pair("FREESPACE", Some(0))?;
        if shares.0.max(shares.1) > PERCENT_MAX {
            self.out_of_bounds(place, "FREESPACE takes percentages of 0 to 100", "as in FREESPACE(20 10)");
            return None;
        }
        Some(shares)
    }

    fn limit(&mut self) -> Option<u32> {
        let place = self.where_is("LIMIT");
        let limit = u32::try_from(self.number("LIMIT")?).unwrap_or(u32::MAX);
        if !(1..=GENERATIONS_MAX).contains(&limit) {
            let help = format!("it is how many generations a group keeps: 1 to {GENERATIONS_MAX}");
            self.out_of_bounds(place, &format!("LIMIT cannot be {limit}"), &help);
            return None;
        }
        Some(limit)
    }

    /// Tells of records that are longer than a program can take of them, where nothing says that this is meant.
    pub fn check_spanned(&mut self, cluster: &Cluster) {
        let longest = cluster.record_size().maximum;
        if longest > RECORD_MAX && cluster.attributes.spanned != Some(true) {
            let message = format!("records of {longest} bytes are longer than {RECORD_MAX}");
            self.out_of_bounds(cluster.name.place.clone(), &message, "longer records must be SPANNED");
        }
    }

    fn out_of_bounds(&mut self, place: TextPlace, message: &str, help: &str) {
        self.messages.push(Diagnostic::error("SPID019", message).at(place).help(help));
    }

    fn log(&mut self) -> Option<Log> {
        let node = self.take("LOG")?;
        let value = node.list.as_deref().and_then(<[Node]>::first).map(|value| value.text.as_str());
        let log = match value {
            Some("NONE") => Some(Log::None),
            Some("UNDO") => Some(Log::Undo),
            Some("ALL") => Some(Log::All),
            _ => None,
        };
        if log.is_none() {
            let message = Diagnostic::error("SPID012", "LOG takes NONE, UNDO or ALL");
            self.messages.push(message.at(node.place.clone()).help("as in LOG(UNDO)"));
        }
        log
    }

    fn where_is(&self, keyword: &str) -> TextPlace {
        let node = self.nodes.iter().find(|node| whole(&node.text) == keyword);
        node.map_or_else(|| self.place.clone(), |node| node.place.clone())
    }

    /// Ends the parameters: an operand that was not taken, and is not known to mean nothing, gets a message.
    pub fn finish(mut self) {
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            if !self.taken[at] && !is_without_meaning(whole(&node.text)) {
                let name = if node.text.is_empty() { "a list" } else { &node.text };
                self.messages.push(
                    Diagnostic::warning("SPID013", format!("{} does not take {name}", self.what))
                        .at(node.place.clone())
                        .help("check the spelling; a step of a job is not carried out, and the start of a region passes it over"),
                );
            }
            self.taken[at] = true;
        }
    }
}

/// Keywords that say what kind an entry is.
const ENTRY_KINDS: [(&str, EntryKind); 9] = [
    ("CLUSTER", EntryKind::Cluster),
    ("ALTERNATEINDEX", EntryKind::AlternateIndex),
    ("PATH", EntryKind::Path),
    ("GENERATIONDATAGROUP", EntryKind::Gdg),
    ("NONVSAM", EntryKind::Nonvsam),
    ("DATA", EntryKind::Data),
    ("INDEX", EntryKind::Index),
    ("ALIAS", EntryKind::Alias),
    ("USERCATALOG", EntryKind::UserCatalog),
];

/// A number: decimal, or X'…' in hexadecimal.
fn number(text: &str, quoted: Quoted) -> Option<u64> {
    match quoted {
        Quoted::Hexadecimal => u64::from_str_radix(text, 16).ok(),
        _ => text.parse().ok(),
    }
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(2) || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}
