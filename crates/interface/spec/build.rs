//! Turns the records under `commands/` and the tables under `tables/` into static Rust tables; `measures` does the
//! same for those under `monitoring/` and `statistics/`.
//!
//! A record that cannot be read stops the build with its file and line: the records are source code.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

#[path = "build/measures.rs"]
mod measures;

#[derive(Default)]
struct Record {
    name: String,
    group: String,
    eibfn: Option<u16>,
    forms: Vec<String>,
    threadsafe: String,
    suspends: bool,
    status: String,
    conditions: Vec<String>,
    conditions_documented: bool,
    never: Vec<(String, String)>,
    untested: Vec<String>,
    remote: bool,
    not_remote: Vec<(String, String)>,
    options: Vec<OptionLine>,
    required: Vec<Vec<String>>,
    exclusive: Vec<Vec<String>>,
    access: Vec<AccessLine>,
    api: bool,
}

/// `access CLASS NAME LEVEL [as PREFIX] [numbered PREFIX] [with OPTION]`: NAME is an option, or of class XCMD the name itself.
struct AccessLine {
    class: String,
    name: String,
    level: String,
    prefix: String,
    is_numbered: bool,
    with: Option<String>,
}

struct OptionLine {
    name: String,
    kind: String,
    value_optional: bool,
    direction: String,
    not_yet: bool,
    external: bool,
}

fn main() {
    println!("cargo::rerun-if-changed=commands");
    println!("cargo::rerun-if-changed=tables");
    let mut records = Vec::new();
    for part in ["api", "spi"] {
        for path in spec_files(&Path::new("commands").join(part)) {
            read_records(&path, part == "api", &mut records);
        }
    }
    records.sort_by(|a, b| a.name.cmp(&b.name));
    for pair in records.windows(2) {
        assert!(pair[0].name != pair[1].name, "two records for {}", pair[0].name);
    }
    let mut out = String::new();
    let options = write_option_ids(&records, &mut out);
    write_commands(&records, &options, &mut out);
    write_conditions(&mut out);
    write_values("cvda_values.tsv", "CVDAS", "CVDA name and its DFHVALUE number, by name.", &mut out);
    write_fingerprint(&out.clone(), &mut out);
    let target = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("tables.rs");
    fs::write(target, out).expect("OUT_DIR is writable");
    measures::write(&records.iter().map(|record| record.name.clone()).collect::<Vec<_>>());
}

fn spec_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries
        .map(|e| e.expect("readable folder").path())
        .filter(|p| p.extension().is_some_and(|e| e == "spec"))
        .collect();
    files.sort();
    files
}

fn read_records(path: &Path, api: bool, records: &mut Vec<Record>) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for (index, line) in text.lines().enumerate() {
        let at = || format!("{}:{}", path.display(), index + 1);
        let line = line.split('#').next().unwrap_or("").trim();
        let Some((key, rest)) =
            line.split_once(' ').or(if line.is_empty() { None } else { Some((line, "")) })
        else {
            continue;
        };
        let rest = rest.trim();
        if key == "command" {
            records.push(Record { name: rest.to_string(), api, ..Record::default() });
            continue;
        }
        let record = records.last_mut().unwrap_or_else(|| panic!("{}: no command before this line", at()));
        match key {
            "group" => record.group = rest.to_string(),
            "eibfn" => {
                record.eibfn =
                    Some(u16::from_str_radix(rest, 16).unwrap_or_else(|_| panic!("{}: eibfn", at())))
            }
            "form" => record.forms.push(rest.to_string()),
            "threadsafe" => record.threadsafe = rest.to_string(),
            "suspends" => record.suspends = true,
            "status" => record.status = rest.to_string(),
            "conditions" => {
                let (source, names) = rest.split_once(':').unwrap_or_else(|| panic!("{}: source:", at()));
                record.conditions_documented = source == "documented";
                record.conditions = names.split_whitespace().map(str::to_string).collect();
            }
            "never" => record.never.extend(reasons(rest, &record.conditions, &at())),
            "remote" => record.remote = true,
            "not-remote" => record.not_remote.extend(reasons(rest, &record.conditions, &at())),
            "untested" => {
                record.untested = rest.split_whitespace().map(str::to_string).collect();
                let is_known = |name: &String| record.conditions.contains(name);
                assert!(record.untested.iter().all(is_known), "{}: no such condition", at());
            }
            "option" => record.options.push(option_line(rest, &at())),
            "access" => record.access.push(access_line(rest, &at())),
            "required" => record.required.push(alternatives(rest)),
            "exclusive" => record.exclusive.push(alternatives(rest)),
            other => panic!("{}: '{other}' is not a line of a record", at()),
        }
    }
}

/// `CONDITION CONDITION: reason`: each of the conditions with the reason.
fn reasons(text: &str, conditions: &[String], at: &str) -> Vec<(String, String)> {
    let (names, reason) = text.split_once(':').unwrap_or_else(|| panic!("{at}: reason"));
    let known = |name: &&str| conditions.iter().any(|condition| condition == name);
    let reason = |name: &str| {
        assert!(known(&name), "{at}: no condition {name}");
        (name.to_string(), reason.trim().to_string())
    };
    names.split_whitespace().map(reason).collect()
}

fn alternatives(text: &str) -> Vec<String> {
    text.split('|').map(|name| name.trim().to_string()).collect()
}

fn option_line(text: &str, at: &str) -> OptionLine {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_else(|| panic!("{at}: option name")).to_string();
    let kind = words.next().unwrap_or_else(|| panic!("{at}: option kind"));
    let mut option = OptionLine {
        name,
        kind: kind.trim_end_matches('?').to_string(),
        value_optional: kind.ends_with('?'),
        direction: "in".into(),
        not_yet: false,
        external: false,
    };
    for word in words {
        match word {
            "in" | "out" | "inout" => option.direction = word.into(),
            "not-yet" => option.not_yet = true,
            "external" => option.external = true,
            other => panic!("{at}: '{other}' after an option"),
        }
    }
    option
}

fn access_line(text: &str, at: &str) -> AccessLine {
    let mut words = text.split_whitespace();
    let mut word = |what: &str| words.next().unwrap_or_else(|| panic!("{at}: {what}")).to_string();
    let (class, name, level) = (word("class"), word("name"), word("level"));
    let mut line = AccessLine { class, name, level, prefix: String::new(), is_numbered: false, with: None };
    while let Some(key) = words.next() {
        let value = words.next().unwrap_or_else(|| panic!("{at}: what stands behind '{key}'")).to_string();
        match key {
            "as" => line.prefix = format!("{value}."),
            "numbered" => (line.prefix, line.is_numbered) = (value, true),
            "with" => line.with = Some(value),
            other => panic!("{at}: '{other}' after an access"),
        }
    }
    line
}

/// Options are numbered once for all commands, so that one handler can serve several of them.
fn write_option_ids(records: &[Record], out: &mut String) -> BTreeMap<String, usize> {
    let names: BTreeSet<&str> =
        records.iter().flat_map(|r| &r.options).map(|o| o.name.as_str()).chain(COMMON).collect();
    let ids: BTreeMap<String, usize> = names.iter().enumerate().map(|(i, n)| (n.to_string(), i)).collect();
    out.push_str(
        "/// A constant for every option of any command.\npub mod opt {\n    use super::OptionId;\n",
    );
    for (name, id) in &ids {
        writeln!(out, "    #[doc = \"Option {name}.\"] pub const {name}: OptionId = OptionId({id});")
            .expect("string");
    }
    out.push_str("}\n");
    let list: Vec<_> = names.iter().map(|n| format!("{n:?}")).collect();
    writeln!(out, "/// How many options there are.\npub const OPTIONS: usize = {};", list.len())
        .expect("string");
    writeln!(out, "pub(crate) static OPTION_NAMES: &[&str] = &[{}];", list.join(", ")).expect("string");
    ids
}

/// Options that every command takes.
const COMMON: [&str; 4] = ["RESP", "RESP2", "NOHANDLE", "SYSEIB"];

fn write_commands(records: &[Record], options: &BTreeMap<String, usize>, out: &mut String) {
    out.push_str("/// A constant for every command.\npub mod cmd {\n    use super::CommandId;\n");
    for (id, record) in records.iter().enumerate() {
        let constant = record.name.replace([' ', '-'], "_");
        writeln!(
            out,
            "    #[doc = \"EXEC CICS {}.\"] pub const {constant}: CommandId = CommandId({id});",
            record.name
        )
        .expect("string");
    }
    let count = records.len();
    writeln!(out, "}}\n/// How many commands there are.\npub const COMMANDS: usize = {count};")
        .expect("string");
    writeln!(out, "pub(crate) static COMMAND_RECORDS: [Command; COMMANDS] = [").expect("string");
    for (id, r) in records.iter().enumerate() {
        let option_id = |name: &String| {
            *options.get(name).unwrap_or_else(|| panic!("{}: '{name}' is no option of any command", r.name))
        };
        let lists = |sets: &Vec<Vec<String>>| {
            sets.iter()
                .map(|set| {
                    let ids: Vec<_> = set.iter().map(|n| format!("OptionId({})", option_id(n))).collect();
                    format!("&[{}]", ids.join(","))
                })
                .collect::<Vec<_>>()
                .join(",")
        };
        let access: Vec<_> = r
            .access
            .iter()
            .map(|a| {
                let level = match a.level.as_str() {
                    "READ" => "Read",
                    "UPDATE" => "Update",
                    "CONTROL" => "Control",
                    "ALTER" => "Alter",
                    other => panic!("{}: level '{other}'", r.name),
                };
                let resource = match a.class.as_str() {
                    "XCMD" => format!("Resource::Named({:?})", a.name),
                    _ if a.is_numbered => format!("Resource::Numbered(OptionId({}))", option_id(&a.name)),
                    _ => format!("Resource::Of(OptionId({}))", option_id(&a.name)),
                };
                let with = a.with.as_ref().map(|name| format!("OptionId({})", option_id(name)));
                let with = with.map_or("None".to_string(), |id| format!("Some({id})"));
                format!(
                    "Access {{ class: {:?}, resource: {resource}, prefix: {:?}, level: AccessLevel::{level}, with: {with} }}",
                    a.class, a.prefix
                )
            })
            .collect();
        let status = match r.status.as_str() {
            "not-yet" => "NotYet",
            "partial" => "Partial",
            "complete" => "Complete",
            other => panic!("{}: status '{other}'", r.name),
        };
        let threadsafe = match r.threadsafe.as_str() {
            "yes" => "Yes",
            "no" => "No",
            "conditional" => "Conditional",
            "unknown" => "Unknown",
            other => panic!("{}: threadsafe '{other}'", r.name),
        };
        let opts: Vec<_> = r
            .options
            .iter()
            .map(|o| {
                let kind = match o.kind.as_str() {
                    "keyword" => "Keyword",
                    "name" => "Name",
                    "value" => "Value",
                    "area" => "Area",
                    "pointer" => "Pointer",
                    "cvda" => "Cvda",
                    "hhmmss" => "Hhmmss",
                    "label" => "Label",
                    other => panic!("{}: option {}: kind '{other}'", r.name, o.name),
                };
                let direction = match o.direction.as_str() {
                    "in" => "In",
                    "out" => "Out",
                    _ => "InOut",
                };
                format!(
                    "OptionSpec {{ id: OptionId({}), name: {:?}, kind: Kind::{kind}, value_optional: {}, direction: Direction::{direction}, not_yet: {}, external: {} }}",
                    option_id(&o.name), o.name, o.value_optional, o.not_yet, o.external
                )
            })
            .collect();
        writeln!(
            out,
            "Command {{ id: CommandId({id}), name: {:?}, group: {:?}, api: {}, eibfn: {:?}, forms: &{:?}, threadsafe: Threadsafe::{threadsafe}, suspends: {}, status: Status::{status}, conditions: &{:?}, conditions_documented: {}, never: &{:?}, untested: &{:?}, remote: {}, not_remote: &{:?}, options: &[{}], required: &[{}], exclusive: &[{}], access: &[{}] }},",
            r.name, r.group, r.api, r.eibfn, r.forms, r.suspends, r.conditions, r.conditions_documented, r.never,
            r.untested, r.remote, r.not_remote,
            opts.join(", "), lists(&r.required), lists(&r.exclusive), access.join(", ")
        )
        .expect("string");
    }
    out.push_str("];\n");
}

fn table(file: &str) -> Vec<Vec<String>> {
    let path = Path::new("tables").join(file);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().skip(1).map(|l| l.split('\t').map(str::to_string).collect()).collect()
}

fn write_conditions(out: &mut String) {
    let mut names = BTreeSet::new();
    let mut list = String::new();
    out.push_str(
        "/// A constant for every condition: its RESP number.\npub mod cond {\n    use super::Condition;\n",
    );
    for row in table("resp_codes.tsv") {
        let (name, resp, abend) = (&row[0], &row[1], &row[2]);
        let Ok(resp) = resp.parse::<u32>() else { continue };
        if !names.insert(name.clone()) {
            continue;
        }
        writeln!(
            out,
            "    #[doc = \"Condition {name}, RESP {resp}.\"] pub const {name}: Condition = Condition({resp});"
        )
        .expect("string");
        let abend = abend.split_whitespace().next().unwrap_or("-");
        let code = if abend.len() == 4 && abend.starts_with('A') {
            format!("Some({abend:?})")
        } else {
            "None".into()
        };
        writeln!(
            list,
            "    ConditionRecord {{ name: {name:?}, condition: Condition({resp}), default_abend: {code} }},"
        )
        .expect("string");
    }
    writeln!(out, "}}\npub(crate) static CONDITION_RECORDS: &[ConditionRecord] = &[\n{list}];")
        .expect("string");
}

fn write_values(file: &str, constant: &str, doc: &str, out: &mut String) {
    let mut rows: BTreeMap<String, i32> = BTreeMap::new();
    for row in table(file) {
        if let Ok(value) = row[1].parse() {
            rows.entry(row[0].clone()).or_insert(value);
        }
    }
    let list: Vec<_> = rows.iter().map(|(name, value)| format!("({name:?}, {value})")).collect();
    writeln!(out, "/// {doc}\npub static {constant}: &[(&str, i32)] = &[{}];", list.join(", "))
        .expect("string");
}

/// FNV-1a over everything generated: programs translated against other records must not be run with these.
fn write_fingerprint(tables: &str, out: &mut String) {
    let hash = tables
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    writeln!(out, "/// Changes whenever a record changes: part of the key under which translated programs are cached.\npub const FINGERPRINT: u64 = {hash:#x};").expect("string");
}
