//! `[direct]` and `[[direct.scenario]]`: messages that go to programs which were started before.

use std::net::SocketAddr;
use std::ops::RangeInclusive;

use diagnostics::Diagnostic;

use crate::address::OpenListener;
use crate::names::{LONG_NAME, SHORT_NAME, resource_name};
use crate::reader::Table;
use crate::sockets::Framing;
use crate::{Located, address, at, codes};

/// `[direct]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectConfig {
    /// The address of HTTP, for the scenarios that have a path.
    pub listen: Option<Located<SocketAddr>>,
    /// True if all ports begin with a TLS handshake, with the certificate of `[listen]`.
    pub tls: bool,
    /// On whose behalf the programs run; `None`: the region's default user.
    pub user: Option<Located<String>>,
    /// Clients at a time.
    pub connections: u32,
    /// The greatest number of them from one address; `None`: all.
    pub connections_per_address: Option<u32>,
    /// Seconds of silence between messages after which a client is let go; 0: never.
    pub idle_s: u32,
    /// Seconds for a message that has begun.
    pub receive_s: u32,
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
}

/// `[[direct.scenario]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    /// Which messages are its own.
    pub reached: Reached,
    /// The program.
    pub program: Located<String>,
    /// The source of the program with a COMMAREA from which it is made; `None`: it has a source of its own.
    pub convert: Option<Located<String>>,
    /// Bytes of that COMMAREA; `None`: as many as a message has.
    pub commarea: Option<u32>,
    /// The WEBSERVICE whose requests its messages are; `None`: the program gets them as they are.
    pub service: Option<Located<String>>,
    /// The way in which a client says who it is; `None`: no client is asked.
    pub authenticate: Option<Located<Identity>>,
    /// True if the program runs on behalf of the client who has said so.
    pub as_client: bool,
    /// The transaction of its instances.
    pub transaction: String,
    /// Instances on each TCB.
    pub instances: u32,
    /// Messages that wait for one, on each TCB.
    pub queue: u32,
    /// Bytes of the longest message.
    pub message: u32,
    /// Bytes of the longest answer.
    pub answer: u32,
    /// Seconds from a message to its answer.
    pub time_s: u32,
    /// Content-Type of answers.
    pub media: String,
}

/// The way in which a client says who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// By user and password, in the header Authorization.
    Basic,
    /// By the certificate of its TLS connection.
    Certificate,
}

/// Which messages are a scenario's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reached {
    /// HTTP requests for a path.
    Path(String),
    /// All that come to a port of its own.
    Port(Located<SocketAddr>, Framing),
}

const CONNECTIONS: RangeInclusive<u32> = 1..=32_000;
const DEFAULT_CONNECTIONS: u32 = 1_000;
const IDLE_S: RangeInclusive<u32> = 0..=86_400;
const DEFAULT_IDLE_S: u32 = 60;
const RECEIVE_S: RangeInclusive<u32> = 1..=600;
const DEFAULT_RECEIVE_S: u32 = 10;
const INSTANCES: RangeInclusive<u32> = 1..=1_000;
const DEFAULT_INSTANCES: u32 = 4;
const QUEUE: RangeInclusive<u32> = 0..=10_000;
const DEFAULT_QUEUE: u32 = 100;
/// Bytes of a message or an answer.
const BYTES: RangeInclusive<u32> = 1..=16_777_216;
const DEFAULT_BYTES: u32 = 32_763;
const COMMAREA: RangeInclusive<u32> = 1..=32_763;
const TIME_S: RangeInclusive<u32> = 1..=3_600;
const DEFAULT_TIME_S: u32 = 30;
const DEFAULT_TRANSACTION: &str = "CSVD";
const DEFAULT_MEDIA: &str = "text/plain";

impl Default for DirectConfig {
    fn default() -> Self {
        Self {
            listen: None,
            tls: false,
            user: None,
            connections: DEFAULT_CONNECTIONS,
            connections_per_address: None,
            idle_s: DEFAULT_IDLE_S,
            receive_s: DEFAULT_RECEIVE_S,
            scenarios: Vec::new(),
        }
    }
}

impl DirectConfig {
    pub(crate) fn read(table: Table<'_>) -> Self {
        let listen = table.string("listen").and_then(|text| listener(&table, text));
        let tls = table.boolean("tls").unwrap_or(false);
        let config = Self {
            tls,
            user: table.string("user"),
            connections: table.number("connections", CONNECTIONS).unwrap_or(DEFAULT_CONNECTIONS),
            connections_per_address: table.number("connections-per-address", CONNECTIONS),
            idle_s: table.number("idle", IDLE_S).unwrap_or(DEFAULT_IDLE_S),
            receive_s: table.number("receive", RECEIVE_S).unwrap_or(DEFAULT_RECEIVE_S),
            scenarios: scenarios(&table, listen.is_some(), tls),
            listen,
        };
        table.finish();
        config
    }
}

fn listener(table: &Table<'_>, text: Located<String>) -> Option<Located<SocketAddr>> {
    address::listener(table, text, OpenListener::Messages)
}

/// The scenarios, no two of one path.
fn scenarios(table: &Table<'_>, has_http: bool, tls: bool) -> Vec<Scenario> {
    let mut scenarios: Vec<Scenario> = Vec::new();
    for one in table.tables("scenario") {
        let Some((scenario, path)) = Scenario::read(one) else { continue };
        if let Some(path) = path {
            if scenarios.iter().any(|other| other.reached == scenario.reached) {
                let message =
                    Diagnostic::error(codes::VALUE, format!("two scenarios have the path {}", path.value));
                table.report(at(message.label("the second one"), &path).help("a path leads to one program"));
            }
            if !has_http {
                let message =
                    Diagnostic::error(codes::MISSING, "a scenario with a path needs `listen` in [direct]");
                table.report(at(message, &path).help("add a line such as: listen = \"127.0.0.1:8090\""));
            }
        }
        scenario.check_identity(table, tls);
        scenarios.push(scenario);
    }
    scenarios
}

impl Scenario {
    /// Reads a scenario, and the place of its path.
    fn read(table: Table<'_>) -> Option<(Self, Option<Located<String>>)> {
        let program = table.required_string("program", "CUSTQD").map(|program| {
            let name = resource_name(&table, "a program", &program, LONG_NAME);
            program.map(|_| name)
        });
        let transaction = table.string("transaction");
        let transaction = transaction.map(|name| resource_name(&table, "a transaction", &name, SHORT_NAME));
        let number = |key, bounds, usual| table.number(key, bounds).unwrap_or(usual);
        let path = table.string("path").filter(|path| is_path(&table, path));
        let own = table.string("listen").and_then(|text| listener(&table, text));
        let reached = match (&path, own) {
            (Some(path), None) => Some(Reached::Path(path.value.clone())),
            (None, Some(own)) => Some(Reached::Port(own, framing(&table))),
            _ => {
                let text = "a scenario has a path, or a port of its own";
                let help = "path = \"/customer\" for HTTP; listen = \"127.0.0.1:8091\" and framing = \"length-4\" for messages";
                table.report(Diagnostic::error(codes::MISSING, text).at(table.place()).help(help));
                None
            }
        };
        let (convert, commarea) = (table.string("convert"), table.number("commarea", COMMAREA));
        let service = table.string("service");
        // The COMMAREA is both the message and the answer, unless they are made of it.
        let bytes = commarea.filter(|_| convert.is_some() && service.is_none()).unwrap_or(DEFAULT_BYTES);
        let scenario = Self {
            program: program.unwrap_or_else(|| Located::default_value(String::new())),
            convert,
            commarea,
            service,
            authenticate: identity(&table),
            as_client: matches!(table.choice("run-as", &RUN_AS), Some(true)),
            transaction: transaction.unwrap_or_else(|| DEFAULT_TRANSACTION.to_owned()),
            instances: number("instances", INSTANCES, DEFAULT_INSTANCES),
            queue: number("queue", QUEUE, DEFAULT_QUEUE),
            message: number("message", BYTES, bytes),
            answer: number("answer", BYTES, bytes),
            time_s: number("time", TIME_S, DEFAULT_TIME_S),
            media: table.string("content-type").map_or_else(|| DEFAULT_MEDIA.to_owned(), |media| media.value),
            reached: reached.clone().unwrap_or_else(|| Reached::Path(String::new())),
        };
        table.finish();
        reached.map(|_| (scenario, path))
    }

    /// Complains of what cannot be asked at the scenario's port.
    fn check_identity(&self, table: &Table<'_>, tls: bool) {
        let is_http = matches!(self.reached, Reached::Path(_));
        if let Some(service) = self.service.as_ref().filter(|_| !is_http) {
            let message = Diagnostic::error(codes::VALUE, "a service is asked for by HTTP, at a path");
            table
                .report(at(message, service).help("write: path = \"/orders\" and no listen in the scenario"));
        }
        match &self.authenticate {
            Some(how) if how.value == Identity::Basic && !is_http => {
                let message = Diagnostic::error(codes::VALUE, "user and password come by HTTP, at a path");
                table.report(at(message, how).help("messages without HTTP: authenticate = \"certificate\""));
            }
            Some(how) if how.value == Identity::Certificate && !tls => {
                let message = Diagnostic::error(codes::VALUE, "certificates of clients come by TLS");
                table.report(
                    at(message, how).help("add tls = true to [direct], and client-authorities to [listen]"),
                );
            }
            Some(_) => {}
            None if self.as_client => {
                let message = Diagnostic::error(codes::MISSING, "clients are not asked who they are");
                let help = "run-as = \"client\" needs authenticate = \"basic\" or \"certificate\"";
                table.report(at(message, &self.program).help(help));
            }
            None => {}
        }
    }
}

/// On whose behalf a program runs: the client's or not.
const RUN_AS: [(&str, bool); 2] = [("client", true), ("scenario", false)];

fn identity(table: &Table<'_>) -> Option<Located<Identity>> {
    let words = [("basic", Identity::Basic), ("certificate", Identity::Certificate)];
    let word = table.string("authenticate")?;
    let how = table.choice_of("authenticate", &word, &words)?;
    Some(word.map(|_| how))
}

fn is_path(table: &Table<'_>, path: &Located<String>) -> bool {
    let is_one = path.value.starts_with('/') && path.value.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_one {
        let message = Diagnostic::error(codes::VALUE, "a path begins with / and has no blanks");
        table.report(at(message.label("this is none"), path).help("write: path = \"/customer\""));
    }
    is_one
}

fn framing(table: &Table<'_>) -> Framing {
    let words =
        [("length-2", Framing::Length(2)), ("length-4", Framing::Length(4)), ("fixed", Framing::Fixed(0))];
    match table.choice("framing", &words).unwrap_or(Framing::Length(2)) {
        Framing::Fixed(_) => match table.number("length", BYTES) {
            Some(length) => Framing::Fixed(length),
            None => {
                let message = Diagnostic::error(codes::MISSING, "messages of a fixed length need `length`");
                table.report(message.at(table.place()).help("add a line such as: length = 100"));
                Framing::Fixed(1)
            }
        },
        framing => framing,
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;

    use super::*;

    fn read(text: &str) -> (DirectConfig, Vec<Diagnostic>) {
        let (config, messages) = crate::region(&Source::new("region.toml", text));
        (config.direct, messages)
    }

    #[test]
    fn a_scenario_has_a_path_or_a_port() {
        let (config, messages) = read(
            "[direct]\nlisten = \"8090\"\n[[direct.scenario]]\npath = \"/one\"\nprogram = \"ONE\"\n\
             [[direct.scenario]]\nlisten = \"8091\"\nframing = \"fixed\"\nlength = 8\nprogram = \"TWO\"\nqueue = 0\n",
        );
        assert!(messages.is_empty(), "{messages:?}");
        let [one, two] = config.scenarios.as_slice() else { panic!("two scenarios") };
        assert_eq!((&one.reached, one.instances), (&Reached::Path(String::from("/one")), 4));
        assert!(matches!(&two.reached, Reached::Port(at, Framing::Fixed(8)) if at.value.port() == 8091));
        assert_eq!((two.queue, two.transaction.as_str()), (0, "CSVD"));
    }

    #[test]
    fn a_converted_program_has_messages_as_long_as_its_commarea() {
        let text = |keys: &str| {
            format!(
                "[direct]\nlisten = \"1\"\n[[direct.scenario]]\npath = \"/a\"\nprogram = \"ONE\"\n{keys}\n"
            )
        };
        let table = [
            ("", (32_763, 32_763)),
            ("convert = \"A.cbl\"", (32_763, 32_763)),
            ("convert = \"A.cbl\"\ncommarea = 80", (80, 80)),
            ("convert = \"A.cbl\"\ncommarea = 80\nmessage = 100", (100, 80)),
        ];
        for (keys, expected) in table {
            let (config, messages) = read(&text(keys));
            let one = &config.scenarios[0];
            assert_eq!(((one.message, one.answer), messages.len()), (expected, 0), "{keys}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let table = [
            ("[[direct.scenario]]\nprogram = \"ONE\"\n", "a path, or a port"),
            ("[[direct.scenario]]\nprogram = \"ONE\"\npath = \"/a\"\n", "needs `listen`"),
            (
                "[direct]\nlisten = \"1\"\n[[direct.scenario]]\nprogram = \"ONE\"\npath = \"a\"\n",
                "begins with /",
            ),
            ("[[direct.scenario]]\nprogram = \"ONE\"\nlisten = \"1\"\nservice = \"A\"\n", "at a path"),
            (
                "[[direct.scenario]]\nprogram = \"ONE\"\nlisten = \"1\"\nauthenticate = \"basic\"\n",
                "at a path",
            ),
            (
                "[[direct.scenario]]\nprogram = \"ONE\"\nlisten = \"1\"\nauthenticate = \"certificate\"\n",
                "by TLS",
            ),
            (
                "[[direct.scenario]]\nprogram = \"ONE\"\nlisten = \"1\"\nrun-as = \"client\"\n",
                "clients are not asked",
            ),
            (
                "[direct]\nlisten = \"1\"\n[[direct.scenario]]\nprogram = \"ONE\"\npath = \"/a\"\n\
                 [[direct.scenario]]\nprogram = \"ONE\"\npath = \"/a\"\n",
                "two scenarios",
            ),
        ];
        for (text, expected) in table {
            let said: Vec<String> = read(text).1.iter().map(|message| message.message.clone()).collect();
            assert!(said.iter().any(|message| message.contains(expected)), "{text}: {said:?}");
        }
    }
}
