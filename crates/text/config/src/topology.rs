//! `topology.toml`: the regions that `syncpoint up` runs together, and their record server.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use diagnostics::{Diagnostic, Source};

use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::{Reader, Table};
use crate::records::{FarRecords, RecordDatabase, RecordPort, record_database};
use crate::{Located, at, codes};

/// The name of the file that makes a folder a topology.
pub const TOPOLOGY_FILE: &str = "topology.toml";

const LINKS: &str = "links";
const STATE: &str = "state";
const SECONDS: RangeInclusive<u32> = 1..=3_600;
const START_DEFAULT_S: u32 = 120;
const END_DEFAULT_S: u32 = 60;
const RESTARTS: RangeInclusive<u32> = 0..=1_000;
const RESTARTS_DEFAULT: u32 = 10;
const CLONES: RangeInclusive<u32> = 1..=64;

/// A topology. All paths are as written: relative to the folder of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The folder in which its regions find each other: `folder` of their `[links]`.
    pub links: String,
    /// The folder in which each region has a folder for its state.
    pub state: String,
    /// Seconds that a process may take until it is ready.
    pub start_s: u32,
    /// Seconds that a process may take to end in order.
    pub end_s: u32,
    /// Times in a row that a process which has died is started again.
    pub restarts: u32,
    /// The record server of its regions, but for those that have their records themselves.
    pub records: Option<RecordServer>,
    /// The record server of another machine instead: this region does not start it.
    pub far_records: Option<FarRecords>,
    /// The regions, in the order of the file; of clones, each one.
    pub regions: Vec<TopologyRegion>,
}

/// `[records]`: the record server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordServer {
    /// The folder of its records.
    pub folder: Located<String>,
    /// The file with the key of its records.
    pub key: Option<Located<String>>,
    /// The database that has its records instead of the folder.
    pub database: Option<RecordDatabase>,
    /// Its port for regions of other machines.
    pub port: Option<RecordPort>,
}

/// `[[region]]`: a region, or one of several clones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyRegion {
    /// Its APPLID.
    pub name: String,
    /// The name of its `[[region]]`: of a clone, that of all its clones.
    pub group: String,
    /// Its SYSID, if the file says so.
    pub sysid: Option<String>,
    /// The folder of its application.
    pub folder: Located<String>,
    /// Its part, which decides when it starts and ends.
    pub part: Part,
    /// Settings of region.toml, as `--set` takes them.
    pub settings: Vec<Located<String>>,
    /// Its records are at the record server, if there is one; else they are its own.
    pub shares_records: bool,
}

/// The part of a region: those of an earlier part start before those of a later one, and end after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// It owns files that others ask for.
    Owner,
    /// It runs programs.
    Application,
    /// It takes clients and routes their work.
    Router,
}

impl Part {
    /// Its word in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Application => "application",
            Self::Router => "router",
        }
    }
}

const PARTS: [(&str, Part); 3] =
    [("owner", Part::Owner), ("application", Part::Application), ("router", Part::Router)];

impl Topology {
    fn read(root: Table<'_>) -> Self {
        let text =
            |key, default: &str| root.string(key).map_or_else(|| default.to_owned(), |text| text.value);
        let (records, far_records) = root.table("records").map(records).unwrap_or_default();
        let topology = Self {
            links: text("links", LINKS),
            state: text("state", STATE),
            start_s: root.number("start-limit", SECONDS).unwrap_or(START_DEFAULT_S),
            end_s: root.number("end-limit", SECONDS).unwrap_or(END_DEFAULT_S),
            restarts: root.number("restarts", RESTARTS).unwrap_or(RESTARTS_DEFAULT),
            records,
            far_records,
            regions: regions(&root),
        };
        root.finish();
        topology
    }
}

fn records(table: Table<'_>) -> (Option<RecordServer>, Option<FarRecords>) {
    if table.place_of("server").is_some() {
        // Keys of a server that is started here are refused, as any that are not known.
        let far = crate::records::far(&table);
        table.finish();
        return (None, far);
    }
    let folder = table.required_string("folder", "records");
    let key = table.string("key");
    let (database, port) = (record_database(&table), crate::records::port(&table));
    table.finish();
    (folder.map(|folder| RecordServer { folder, key, database, port }), None)
}

fn regions(root: &Table<'_>) -> Vec<TopologyRegion> {
    let tables = root.tables("region");
    if tables.is_empty() {
        let message = Diagnostic::error(codes::MISSING, format!("{TOPOLOGY_FILE} names no region"));
        root.report(message.help("add a line [[region]] and below it: name = \"CLONE\""));
    }
    let mut regions = Vec::new();
    let mut names = HashSet::new();
    for table in tables {
        let Some(name) = table.required_string("name", "CLONE") else { continue };
        if let (Some(place), None) = (table.place_of("records"), root.place_of("records")) {
            let message = "`records` of a region goes with [records], and there is no record server";
            root.report(Diagnostic::error(codes::MISSING, message).at(place).help("take it out"));
        }
        for region in clones(table, &name) {
            if !names.insert(region.name.clone()) {
                let text = format!("two regions have the name {}", region.name);
                root.report(at(Diagnostic::error(codes::NAME, text), &name));
            }
            regions.push(region);
        }
    }
    regions
}

/// The regions of one `[[region]]`.
fn clones(table: Table<'_>, name: &Located<String>) -> Vec<TopologyRegion> {
    let count = table.number("clones", CLONES);
    // A clone has its number behind the name.
    let digits = count.map_or(0, |count| count.to_string().len());
    let group =
        resource_name(&table, "an APPLID with the number of a clone behind it", name, LONG_NAME - digits);
    let sysid = table.string("sysid").map(|sysid| {
        resource_name(&table, "a SYSID with the number of a clone behind it", &sysid, SHORT_NAME - digits)
    });
    let here = || Located { value: String::from("."), place: Some(table.place()) };
    let folder = table.string("folder").unwrap_or_else(here);
    let part = table.choice("part", &PARTS).unwrap_or(Part::Application);
    let mut settings = table.strings("set").unwrap_or_default();
    if count.is_some_and(|count| count > 1) {
        // A setting of the file itself counts before it.
        settings.insert(0, Located { value: String::from("ports.shared=true"), place: None });
    }
    let shares_records = table.boolean("records").unwrap_or(true);
    table.finish();
    let numbers: Vec<String> = match count {
        None => vec![String::new()],
        Some(count) => (1..=count).map(|number| number.to_string()).collect(),
    };
    let region = |number: &String| TopologyRegion {
        name: format!("{group}{number}"),
        group: group.clone(),
        sysid: sysid.as_ref().map(|sysid| format!("{sysid}{number}")),
        folder: folder.clone(),
        part,
        settings: settings.clone(),
        shares_records,
    };
    numbers.iter().map(region).collect()
}

/// Reads a `topology.toml`: the topology as far as it could be read, and everything that is wrong with it.
pub fn topology(source: &Arc<Source>) -> (Topology, Vec<Diagnostic>) {
    let reader = Reader::new(source);
    let root = reader.parse();
    let topology = Topology::read(Table::root(&reader, &root));
    (topology, crate::told(reader.into_messages()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Topology, Vec<String>) {
        let (topology, messages) = topology(&Source::new(TOPOLOGY_FILE, text));
        (topology, messages.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn clones_are_regions_with_numbers() {
        let text = "restarts = 3\n[records]\nfolder = \"r\"\n[[region]]\nname = \"tor\"\npart = \"router\"\n\
                    [[region]]\nname = \"clone\"\nsysid = \"CL\"\nclones = 2\nfolder = \"app\"\nset = [\"sit.MXT=5\"]\n";
        let (topology, messages) = read(text);
        assert!(messages.is_empty(), "{messages:?}");
        let names: Vec<_> = topology.regions.iter().map(|region| region.name.as_str()).collect();
        assert_eq!(names, ["TOR", "CLONE1", "CLONE2"]);
        let last = &topology.regions[2];
        assert_eq!((last.group.as_str(), last.sysid.as_deref()), ("CLONE", Some("CL2")));
        let settings: Vec<_> = last.settings.iter().map(|setting| setting.value.as_str()).collect();
        assert_eq!(settings, ["ports.shared=true", "sit.MXT=5"]);
        assert_eq!((topology.regions[0].part, last.part), (Part::Router, Part::Application));
        assert!(topology.regions[0].settings.is_empty());
        assert_eq!(
            (topology.restarts, topology.records.map(|records| records.folder.value)),
            (3, Some("r".into()))
        );
    }

    #[test]
    fn a_region_may_have_its_records_itself() {
        let regions = "[[region]]\nname = \"A\"\n[[region]]\nname = \"B\"\nrecords = false\n";
        let (topology, messages) = read(&format!("[records]\nfolder = \"r\"\n{regions}"));
        assert!(messages.is_empty(), "{messages:?}");
        let share: Vec<_> = topology.regions.iter().map(|region| region.shares_records).collect();
        assert_eq!(share, [true, false]);
        let (_, messages) = read(regions);
        assert!(messages.concat().contains("`records` of a region goes with [records]"), "{messages:?}");
    }

    #[test]
    fn the_records_of_a_server_may_lie_in_a_database() {
        let regions = "[[region]]\nname = \"A\"\n";
        let keys =
            "database = \"postgresql://keeper@db/bank\"\npassword-file = \"p\"\nschema = \"s\"\nlease = 5\n";
        let (topology, messages) = read(&format!("[records]\nfolder = \"r\"\n{keys}{regions}"));
        assert!(messages.is_empty(), "{messages:?}");
        let database = topology.records.and_then(|records| records.database).expect("a database");
        assert_eq!(database.url.value, "postgresql://keeper@db/bank");
        let texts = [database.password_file, database.schema].map(|text| text.map(|text| text.value));
        assert_eq!((texts, database.lease_s), ([Some("p".into()), Some("s".into())], Some(5)));
        let (topology, messages) = read(&format!("[records]\nfolder = \"r\"\n{regions}"));
        assert!(messages.is_empty() && topology.records.is_some_and(|records| records.database.is_none()));
    }

    #[test]
    fn a_record_server_has_a_port_or_is_on_another_machine() {
        let regions = "[[region]]\nname = \"A\"\n";
        let files = "certificate = \"a.pem\"\ncertificate-key = \"a.key\"\nauthorities = \"b.pem\"\n";
        let listens = "folder = \"r\"\nlisten = \"127.0.0.1:4700\"\nallowed = \"regions.allowed\"\n";
        let (topology, messages) = read(&format!("[records]\n{listens}{files}{regions}"));
        assert!(messages.is_empty(), "{messages:?}");
        let port = topology.records.and_then(|records| records.port).expect("a port");
        assert_eq!((port.listen.value.port(), port.allowed.value.as_str()), (4_700, "regions.allowed"));
        let (topology, messages) = read(&format!("[records]\nserver = \"b:4700\"\n{files}{regions}"));
        assert!(messages.is_empty() && topology.records.is_none(), "{messages:?}");
        assert_eq!(topology.far_records.map(|far| far.servers.len()), Some(1));
        for (text, message) in [
            (format!("folder = \"r\"\nserver = \"b:4700\"\n{files}"), "`folder` is not a key"),
            (format!("folder = \"r\"\n{files}"), "`certificate` of [records] goes with `listen`"),
            (format!("{listens}certificate = \"a\"\n"), "`listen` of [records] needs `certificate-key`"),
        ] {
            let (_, messages) = read(&format!("[records]\n{text}{regions}"));
            assert!(messages.iter().any(|said| said.contains(message)), "{text}: {messages:?}");
        }
    }

    #[test]
    fn mistakes_have_their_lines() {
        for (text, message, line) in [
            ("", "names no region", 0),
            ("[[region]]\nname = \"A\"\nfodler = \"x\"\n", "`fodler` is not a key in [[region]]", 3),
            ("limits = 3\n[[region]]\nname = \"A\"\n", "`limits` is not a key", 1),
            ("[[region]]\nfolder = \"x\"\n", "[[region]] needs `name`", 1),
            ("[[region]]\nname = \"A\"\n[[region]]\nname = \"a\"\n", "two regions have the name A", 4),
            ("[[region]]\nname = \"LONGNAME\"\nclones = 2\n", "an APPLID with the number", 2),
            (
                "[[region]]\nname = \"A\"\npart = \"tor\"\n",
                "`part` takes one of owner, application, router",
                3,
            ),
            ("[records]\n[[region]]\nname = \"A\"\n", "[records] needs `folder`", 1),
            (
                "[records]\nfolder = \"r\"\nlease = 5\n[[region]]\nname = \"A\"\n",
                "`lease` of [records] goes with `database`",
                3,
            ),
        ] {
            let (_, messages) = read(text);
            assert_eq!(messages.len(), 1, "{text}: {messages:?}");
            assert!(messages[0].contains(message), "{}", messages[0]);
            assert!(line == 0 || messages[0].contains(&format!("topology.toml:{line}:")), "{}", messages[0]);
        }
    }
}
