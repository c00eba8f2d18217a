//! The two scenarios of the paper about a low-overhead transaction server, run on both paths by the sample `contacts`:
//! a query only; a contact created, read, changed twice, read and deleted. In a table and in a KSDS.

pub(crate) mod tables;

use crate::Options;
use crate::client::Message;
use crate::clock::in_turns;
use crate::direct::{Ask, CLIENTS, ROUNDS, address, per_message};
use crate::inputs::CONTACTS;
use crate::processes;
use crate::promise::Measured;
use crate::site::{Site, Workshop};
use crate::sql;

/// The sample's files, but for the contacts themselves.
const FILES: &[(&str, &str)] = &[
    ("cobol/CONTSQL.cbl", include_str!("../../../../../samples/contacts/cobol/CONTSQL.cbl")),
    ("cobol/CONTVSM.cbl", include_str!("../../../../../samples/contacts/cobol/CONTVSM.cbl")),
    ("cobol/CONTWEB.cbl", include_str!("../../../../../samples/contacts/cobol/CONTWEB.cbl")),
    ("copy/CONTACT.cpy", include_str!("../../../../../samples/contacts/copy/CONTACT.cpy")),
    ("contacts.idcams", include_str!("../../../../../samples/contacts/contacts.idcams")),
];
const CONFIG: &str = include_str!("../../../../../samples/contacts/region.toml");

/// The programs as services: on the normal path by their names, on the direct one each by a program of its own.
const SERVICES: &str = "
[services]
CONTSQL = \"copy/CONTACT.cpy\"
CONTVSM = \"copy/CONTACT.cpy\"

[[direct.scenario]]
path = \"/services/contsql\"
service = \"CONTSQL\"
program = \"CONTSQS\"
convert = \"cobol/CONTSQL.cbl\"
commarea = 80
instances = 8

[[direct.scenario]]
path = \"/services/contvsm\"
service = \"CONTVSM\"
program = \"CONTVSS\"
convert = \"cobol/CONTVSM.cbl\"
commarea = 80
instances = 16
";
const SERVICE_PROGRAMS: &str = "
DEFINE PROGRAM(CONTSQS) GROUP(CONTACTS) CONCURRENCY(THREADSAFE)
DEFINE PROGRAM(CONTVSS) GROUP(CONTACTS) CONCURRENCY(THREADSAFE)
";

/// The direct path beside the normal one, region and PostgreSQL.
pub(crate) fn scenario(options: &Options, id: &str, message: Message) -> Result<Measured, String> {
    both_paths(options, id, message, ["/sql", "/vsam"])
}

/// The same as services, in JSON.
pub(crate) fn service(options: &Options, id: &str, message: Message) -> Result<Measured, String> {
    both_paths(options, id, message, ["/services/contsql", "/services/contvsm"])
}

fn both_paths(
    options: &Options,
    id: &str,
    message: Message,
    [table_path, records_path]: [&str; 2],
) -> Result<Measured, String> {
    let workshop = workshop()?;
    let Stage { site, direct, normal, servers } = Stage::new(&workshop)?;
    let rounds = options.size(ROUNDS, 1);
    let at = |path| {
        let run = |port| per_message(options, &Ask { message, port, path, clients: CLIENTS }, &servers);
        in_turns(id, rounds, || run(direct), || run(normal))
    };
    let (table, table_normal) = at(table_path);
    let (records, records_normal) = at(records_path);
    site.end();
    let ratio = records / records_normal;
    Ok(Measured::new(table, table_normal).note(format!(
        "a KSDS instead of a table: {records:.2} us beside {records_normal:.2} us, {ratio:.2} x"
    )))
}

/// A region with the sample on both paths.
struct Stage {
    site: Site,
    /// The ports of both paths.
    direct: u16,
    normal: u16,
    /// The processes of its PostgreSQL.
    servers: Vec<u32>,
}

impl Stage {
    fn new(workshop: &Workshop) -> Result<Self, String> {
        let ports = [":3270\"", ":8080\"", ":8090\""];
        let config = ports.iter().fold(CONFIG.to_owned() + SERVICES, |text, port| text.replace(port, ":0\""));
        let site = workshop.region_of(&config, 1)?;
        let (direct, normal) = (address(&site, "direct")?.port(), address(&site, "web")?.port());
        let answers = || crate::client::requests(Message::Query, direct, "/sql", 0, 1);
        sql::answering(answers)?;
        let servers = processes::descendants(std::process::id());
        Ok(Self { site, direct, normal, servers })
    }
}

fn workshop() -> Result<Workshop, String> {
    let workshop = Workshop::empty()?;
    workshop.scratch("cobol")?;
    workshop.scratch("copy")?;
    for (name, text) in FILES {
        workshop.write(name, text)?;
    }
    workshop.write(
        "contacts.csd",
        &(include_str!("../../../../../samples/contacts/contacts.csd").to_owned() + SERVICE_PROGRAMS),
    )?;
    let contact = |id: usize| (format!("{id:08}"), format!("CONTACT {id:08}"), format!("555-{id:04}"));
    let rows = (0..CONTACTS).map(contact);
    let inserts: String = rows
        .clone()
        .map(|(id, name, phone)| {
            format!("INSERT INTO CONTACT VALUES ('{id}', '{name}', '{phone}', 'SOME');\n")
        })
        .collect();
    let script = include_str!("../../../../../samples/contacts/contacts.sql");
    let table = script.split_inclusive(';').next().unwrap_or_default();
    workshop.write("contacts.sql", &format!("{table}\n{inserts}"))?;
    let records: String =
        rows.map(|(id, name, phone)| format!("{id}{name:30}{phone:20}{:10}\n", "SOME")).collect();
    workshop.write("contacts.txt", &records)?;
    Ok(workshop)
}
