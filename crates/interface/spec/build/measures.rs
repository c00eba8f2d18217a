//! Turns the records of monitoring (`monitoring/`) and statistics (`statistics/`) into static Rust tables.
//!
//! A line of both reads `field NAME … <- SOURCE`. A field of statistics without a source is known, and not kept yet; one of
//! monitoring has the reason: `<? REASON` if it is not kept yet, `<! REASON` if it cannot exist here. A line `later REASON` or
//! `never REASON` before the fields is the reason of all of them; a kind of statistics of which nothing is kept has one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

/// A field of a record of either kind.
struct Field {
    name: String,
    /// The words between its name and its meaning.
    words: Vec<String>,
    meaning: String,
    source: Option<String>,
    /// The reason why there is no source: not yet, or never.
    reason: Option<(Absence, String)>,
}

/// The kind of reason why a field has no source.
#[derive(Clone, Copy)]
enum Absence {
    NotYet,
    Never,
}

/// The content of one file.
struct Sheet {
    /// The lines that are not fields, by their first word.
    head: BTreeMap<String, String>,
    fields: Vec<Field>,
}

/// Writes `measures.rs`. `commands` are the names of all commands by number.
pub fn write(commands: &[String]) {
    let monitoring = sheets("monitoring", 2);
    let statistics = sheets("statistics", 1);
    let mut out = String::new();
    let sources = monitoring.iter().chain(&statistics).flat_map(|sheet| &sheet.fields);
    let slots = Slots::new(commands, sources);
    slots.write(&mut out);
    write_monitoring(&monitoring, &slots, &mut out);
    write_statistics(&statistics, &slots, commands, &mut out);
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("measures.rs");
    fs::write(target, out).expect("OUT_DIR is writable");
}

fn sheets(folder: &str, words: usize) -> Vec<Sheet> {
    println!("cargo::rerun-if-changed={folder}");
    super::spec_files(Path::new(folder)).iter().map(|path| sheet(path, words)).collect()
}

fn sheet(path: &Path, words: usize) -> Sheet {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut sheet = Sheet { head: BTreeMap::new(), fields: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        if key != "field" {
            sheet.head.insert(key.to_owned(), rest.trim().to_owned());
            continue;
        }
        let field = field(rest, words);
        sheet.fields.push(field.unwrap_or_else(|| panic!("{}:{}: a field", path.display(), index + 1)));
    }
    sheet
}

fn field(text: &str, words: usize) -> Option<Field> {
    let behind = |mark: &str| text.split_once(mark).map(|(_, rest)| rest.trim().to_owned());
    let source = behind("<-");
    let later = behind("<?").map(|reason| (Absence::NotYet, reason));
    let reason = later.or(behind("<!").map(|reason| (Absence::Never, reason)));
    let text =
        ["<-", "<?", "<!"].iter().find_map(|mark| text.split_once(mark)).map_or(text, |(text, _)| text);
    let mut rest = text.split_whitespace();
    let name = rest.next()?.to_owned();
    let words: Vec<_> = rest.by_ref().take(words).map(str::to_owned).collect();
    Some(Field { name, words, meaning: rest.collect::<Vec<_>>().join(" "), source, reason })
}

/// Requests that are not EXEC CICS commands; each has a constant of its own.
const OTHERS: [(&str, &str); 1] = [("EXEC SQL", "EXEC_SQL")];

/// Commands that have a counter of their own, whatever fields count them: rules of policies tell them apart.
const APART: [&str; 6] =
    ["READNEXT", "READPREV", "STARTBR", "START CHANNEL", "SYNCPOINT", "SYNCPOINT ROLLBACK"];

/// The counters of requests: commands that are counted by the same fields share one, so that a command adds to one
/// counter only, however many fields count it.
struct Slots {
    /// Of all commands by number, and of the others.
    of_command: Vec<usize>,
    of_field: BTreeMap<String, BTreeSet<usize>>,
    count: usize,
}

impl Slots {
    fn new<'a>(commands: &[String], fields: impl Iterator<Item = &'a Field>) -> Self {
        let names = commands.iter().map(String::as_str).chain(OTHERS.iter().map(|(name, _)| *name));
        let mut counted_by: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); commands.len() + OTHERS.len()];
        for field in fields {
            let Some(requests) = field.source.as_deref().and_then(|source| source.strip_prefix("requests "))
            else {
                continue;
            };
            for name in requests.split(',').map(str::trim) {
                let places: Vec<usize> = match name {
                    "*" => (0..commands.len()).collect(),
                    name => vec![
                        names
                            .clone()
                            .position(|known| known == name)
                            .unwrap_or_else(|| panic!("{}: '{name}' is no command", field.name)),
                    ],
                };
                for place in places {
                    counted_by[place].insert(&field.name);
                }
            }
        }
        for (place, name) in names.enumerate() {
            if let Some(apart) = APART.iter().find(|apart| **apart == name) {
                counted_by[place].insert(apart);
            }
        }
        let kinds: BTreeSet<&BTreeSet<&str>> = counted_by.iter().collect();
        let kinds: Vec<_> = kinds.into_iter().collect();
        let of_command = counted_by
            .iter()
            .map(|set| kinds.binary_search(&set).expect("every set is in the list"))
            .collect();
        let mut of_field: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (slot, kind) in kinds.iter().enumerate() {
            for name in *kind {
                of_field.entry((*name).to_owned()).or_default().insert(slot);
            }
        }
        Self { of_command, of_field, count: kinds.len() }
    }

    fn write(&self, out: &mut String) {
        assert!(self.count <= 256, "a counter's number is a byte");
        writeln!(
            out,
            "/// Counters of requests: commands that are counted by the same fields share one.\n\
             pub const REQUEST_SLOTS: usize = {};\n\
             pub(crate) static SLOT_OF_COMMAND: &[u8] = &{:?};",
            self.count, self.of_command
        )
        .expect("string");
        let commands = self.of_command.len() - OTHERS.len();
        for ((name, constant), slot) in OTHERS.iter().zip(&self.of_command[commands..]) {
            writeln!(out, "/// The counter of {name}.\npub const {constant}: usize = {slot};")
                .expect("string");
        }
    }

    fn of(&self, field: &str) -> Vec<usize> {
        self.of_field.get(field).into_iter().flatten().copied().collect()
    }
}

fn write_monitoring(sheets: &[Sheet], slots: &Slots, out: &mut String) {
    out.push_str("pub(crate) static MONITORING_FIELDS: &[MonitoringField] = &[\n");
    for sheet in sheets {
        let group = sheet.head.get("group").map_or("-", String::as_str);
        let record = sheet.head.get("record").map_or("performance", String::as_str);
        for field in &sheet.fields {
            let [id, form] = &field.words[..] else { panic!("{}: number and form", field.name) };
            writeln!(
                out,
                "    MonitoringField {{ name: {:?}, group: {group:?}, record: {record:?}, id: {}, form: {}, \
                 meaning: {:?}, source: {} }},",
                field.name,
                if id == "-" { "None".to_owned() } else { format!("Some({id:?})") },
                form_of(form, &field.name),
                field.meaning,
                monitoring_source(field, &sheet.head, slots)
            )
            .expect("string");
        }
    }
    out.push_str("];\n");
}

fn form_of(word: &str, field: &str) -> String {
    let (word, length) = match word.split_once('(') {
        Some((word, length)) => (word, length.trim_end_matches(')')),
        None => (word, "0"),
    };
    match word {
        "clock" => "Form::Clock".to_owned(),
        "count" => "Form::Count".to_owned(),
        "value" | "packed" | "number" => "Form::Value".to_owned(),
        "time" => "Form::Time".to_owned(),
        "timestamp" => "Form::Stamp".to_owned(),
        "named" => "Form::Named".to_owned(),
        "string" | "text" => format!("Form::Text({length})"),
        other => panic!("{field}: '{other}' is no form"),
    }
}

fn monitoring_source(field: &Field, head: &BTreeMap<String, String>, slots: &Slots) -> String {
    let Some(source) = &field.source else { return absence(field, head) };
    assert!(field.reason.is_none(), "{}: a field with a source is not absent", field.name);
    match source.split_once(' ') {
        Some(("requests", _)) => format!("Source::Requests(&{:?})", slots.of(&field.name)),
        Some(("waits", causes)) => {
            let causes: Vec<_> = causes.split(',').map(str::trim).collect();
            format!("Source::Waits(&{causes:?})")
        }
        Some(("measured", what)) => format!("Source::Measured({what:?})"),
        _ => panic!("{}: '{source}' is no source", field.name),
    }
}

/// The reason why a field of monitoring is not kept: its own, else that of its file.
fn absence(field: &Field, head: &BTreeMap<String, String>) -> String {
    let of_file = || {
        let later = head.get("later").map(|reason| (Absence::NotYet, reason.clone()));
        later.or_else(|| head.get("never").map(|reason| (Absence::Never, reason.clone())))
    };
    match field.reason.clone().or_else(of_file) {
        Some((Absence::NotYet, reason)) => format!("Source::NotYet({reason:?})"),
        Some((Absence::Never, reason)) => format!("Source::Never({reason:?})"),
        None => panic!("{}: a source, or the reason why there is none", field.name),
    }
}

fn write_statistics(sheets: &[Sheet], slots: &Slots, commands: &[String], out: &mut String) {
    let mut ids = String::new();
    out.push_str("pub(crate) static STATISTICS_KINDS: &[StatisticsKind] = &[\n");
    for (kind, sheet) in sheets.iter().enumerate() {
        let name = sheet.head.get("statistics").expect("a file of statistics names its kind");
        let dsect = sheet.head.get("dsect").map_or("-", String::as_str);
        let is_kept = sheet.fields.iter().any(|field| field.source.is_some());
        let absence = match (sheet.head.get("later"), sheet.head.get("never")) {
            (None, None) if is_kept => "None".to_owned(),
            (Some(reason), None) if !is_kept => format!("Some(Source::NotYet({reason:?}))"),
            (None, Some(reason)) if !is_kept => format!("Some(Source::Never({reason:?}))"),
            _ => panic!("{name}: fields that are kept, or one reason why there are none"),
        };
        writeln!(
            out,
            "    StatisticsKind {{ name: {name:?}, dsect: {dsect:?}, absence: {absence}, fields: &["
        )
        .expect("string");
        for (place, field) in sheet.fields.iter().enumerate() {
            let [form] = &field.words[..] else { panic!("{}: a form", field.name) };
            writeln!(
                out,
                "        StatisticsField {{ name: {:?}, form: {}, meaning: {:?}, from: {} }},",
                field.name,
                form_of(form, &field.name),
                field.meaning,
                statistics_source(field, slots, commands)
            )
            .expect("string");
            if field.source.is_some() {
                writeln!(
                    ids,
                    "    #[doc = \"{} of {name}: {}.\"] pub const {}: StatisticId = StatisticId {{ kind: {kind}, field: {place} }};",
                    field.name, field.meaning, field.name
                )
                .expect("string");
            }
        }
        out.push_str("    ] },\n");
    }
    writeln!(
        out,
        "];\n/// A constant for every statistic that is kept.\npub mod stat {{\n    use super::StatisticId;\n{ids}}}"
    )
    .expect("string");
}

fn statistics_source(field: &Field, slots: &Slots, commands: &[String]) -> String {
    let Some(source) = &field.source else { return "From::NotYet".to_owned() };
    match source.as_str() {
        "counter" => "From::Counter".to_owned(),
        "peak" => "From::Peak".to_owned(),
        "current" => "From::Current".to_owned(),
        requests => {
            let names =
                requests.strip_prefix("requests ").unwrap_or_else(|| panic!("{}: source", field.name));
            let ids: Vec<_> = names
                .split(',')
                .filter_map(|name| commands.iter().position(|command| command == name.trim()))
                .map(|id| format!("CommandId({id})"))
                .collect();
            format!(
                "From::Requests {{ slots: &{:?}, commands: &[{}] }}",
                slots.of(&field.name),
                ids.join(", ")
            )
        }
    }
}
