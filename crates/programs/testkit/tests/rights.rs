//! Each command that is built, each class of resource that it touches, each way to use it: users with all rights, with none,
//! and with some. What must come of it is worked out from the records of the published interface alone.

mod common;

use std::sync::Arc;

use common::Site;
use kernel::exec::{Call, Content, Parcel, Waiting, Watcher, Watchers};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::security::{StartsAs, User, undecided};
use kernel::task::Task;
use security::{Class, Level};
use spec::{AccessLevel, Command, OptionId, Resource, Status, cond, opt};
use testkit::commands::answered_as;

/// A user, and what profiles say: of commands of the system, and of all other resources.
const USERS: [(&str, Level, Level); 7] = [
    ("NOBODY", Level::None, Level::None),
    ("READER", Level::Read, Level::Read),
    ("WRITER", Level::Update, Level::Update),
    ("OWNER", Level::Alter, Level::Alter),
    // Commands without resources, resources without commands, and each with less of the other.
    ("OPERATOR", Level::Alter, Level::None),
    ("TELLER", Level::None, Level::Alter),
    ("LOOKER", Level::Read, Level::Alter),
];

/// RESP2 of what was let through: it must not be done, for some of it would end the region.
const LET_THROUGH: i32 = 4_711;

/// Stands behind the check and before every handler.
struct Stop;

impl Watcher for Stop {
    fn before<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>) -> Waiting<'a> {
        Box::pin(async { Err(cond::INVREQ.raise(LET_THROUGH)) })
    }

    fn after<'a>(&'a self, _: &'a mut Task, _: &'a Call<'_>, outcome: Outcome) -> Waiting<'a> {
        Box::pin(async move { outcome })
    }
}

fn application() -> String {
    let users = |of: fn(&(&str, Level, Level)) -> Level| {
        let lines = USERS.iter().map(|user| format!("{} = \"{}\"", user.0, of(user)));
        lines.collect::<Vec<_>>().join(", ")
    };
    let profile = |(class, of): (&str, Class)| {
        let users = if of == Class::Cmd { users(|user| user.1) } else { users(|user| user.2) };
        format!("[[profile]]\nclass = \"{class}\"\nname = \"*\"\nusers = {{ {users} }}\n\n")
    };
    let profiles: String = Class::ALL.map(profile).concat();
    format!(
        "\n```toml\n[sit]\nSEC = \"YES\"\nRESSEC = \"ALWAYS\"\nCMDSEC = \"ALWAYS\"\n```\n\n\
         ```file security.toml\n{profiles}[[profile]]\nclass = \"XTRAN\"\nname = \"TEST\"\nuacc = \"READ\"\n```\n"
    )
}

fn user(name: &str) -> Arc<User> {
    Arc::new(User {
        id: name.into(),
        name: String::new(),
        run: true,
        inquire: true,
        operate: true,
        starts_as: StartsAs::Anybody,
        is_default: false,
        groups: Vec::new(),
        unchecked: false,
        decisions: undecided(),
        within: None,
    })
}

/// The ways to use a command that are different accesses: bare, with each option that makes it another one, in a browse.
fn ways(command: &'static Command) -> Vec<Parcel> {
    let resources = || {
        command.access.iter().filter_map(|access| match access.resource {
            Resource::Of(option) | Resource::Numbered(option) => Some(option),
            Resource::Named(_) => None,
        })
    };
    let browse =
        (!command.api && command.options.iter().any(|option| option.id == opt::START)).then_some(opt::START);
    let with = command.access.iter().filter_map(|access| access.with).chain(browse);
    let way = |option: Option<OptionId>| {
        let mut parcel = Parcel::new(command.id);
        resources().for_each(|option| give(&mut parcel, option));
        option.into_iter().for_each(|option| give(&mut parcel, option));
        parcel
    };
    [None].into_iter().chain(with.map(Some)).map(way).collect()
}

fn give(parcel: &mut Parcel, option: OptionId) {
    if parcel.has(option) || parcel.keyword(option).is_ok() {
        return;
    }
    let is_number =
        parcel.command().access.iter().any(|access| access.resource == Resource::Numbered(option));
    let name = if is_number { Content::Number(1) } else { Content::Bytes(b"ABCD".as_slice().into()) };
    let given = parcel.give(option, name).or_else(|_| parcel.give(option, Content::Number(1)));
    given.unwrap_or_else(|why| panic!("{} of {}: {why:?}", option.name(), parcel.command().name));
}

/// Returns the expected outcome of a command: NOTAUTH and its RESP2, or that it is let through.
fn expected(
    command: &Command,
    parcel: &Parcel,
    (_, commands, others): (&str, Level, Level),
) -> (spec::Condition, i32) {
    let refused = command.accesses(|option| parcel.has(option)).find_map(|access| {
        let class = Class::of_parameter(access.class)?;
        let has = if class == Class::Cmd { commands } else { others };
        let wants = match access.level {
            AccessLevel::Read => Level::Read,
            AccessLevel::Update => Level::Update,
            AccessLevel::Control => Level::Control,
            AccessLevel::Alter => Level::Alter,
        };
        let resp2 = match class {
            Class::Cmd => 100,
            Class::Pct if command.api => 7,
            _ => 101,
        };
        (has < wants).then_some(resp2)
    });
    refused.map_or((cond::INVREQ, LET_THROUGH), |resp2| (cond::NOTAUTH, resp2))
}

/// Commands that are no access, each with the reason.
const UNCHECKED: &[(&str, &[&str])] = &[
    (
        "they touch what is the task's own",
        &[
            "ABEND",
            "ADDRESS",
            "ADDRESS SET",
            "ASKTIME",
            "ASKTIME ABSTIME",
            "ASSIGN",
            "BIF DEEDIT",
            "BIF DIGEST",
            "CHANGE TASK",
            "CONVERTTIME",
            "DELAY",
            "FETCH ANY",
            "FETCH CHILD",
            "FORMATTIME",
            "FREE CHILD",
            "FREEMAIN",
            "FREEMAIN64",
            "GETMAIN",
            "GETMAIN64",
            "HANDLE AID",
            "HANDLE CONDITION",
            "IGNORE CONDITION",
            "POP HANDLE",
            "POST",
            "PUSH HANDLE",
            "RETRIEVE",
            "SUSPEND",
            "SYNCPOINT",
            "SYNCPOINT ROLLBACK",
            "WAIT EVENT",
            "WAIT EXTERNAL",
            "WAITCICS",
        ],
    ),
    ("the next transaction is checked when it is attached", &["RETURN"]),
    (
        "channels and containers are the task's own",
        &[
            "DELETE CHANNEL",
            "DELETE CONTAINER",
            "ENDBROWSE CONTAINER",
            "GET CONTAINER",
            "GET64 CONTAINER",
            "GETNEXT CONTAINER",
            "MOVE CONTAINER",
            "PUT CONTAINER",
            "PUT64 CONTAINER",
            "QUERY CHANNEL",
            "STARTBROWSE CONTAINER",
        ],
    ),
    (
        "documents are the task's own; templates are checked where a document takes them",
        &["DOCUMENT DELETE", "DOCUMENT RETRIEVE", "DOCUMENT SET"],
    ),
    (
        "the terminal is the task's own, and its maps are no programs that somebody could run",
        &[
            "CONVERSE",
            "ISSUE DISCONNECT",
            "ISSUE ERASEAUP",
            "ISSUE PRINT",
            "ISSUE RESET",
            "RECEIVE",
            "RECEIVE MAP",
            "SEND",
            "SEND CONTROL",
            "SEND MAP",
            "SEND TEXT",
            "WAIT TERMINAL",
        ],
    ),
    (
        "the published interface has no class for the screen of another terminal; what is dark there is not copied",
        &["ISSUE COPY"],
    ),
    (
        "the request, the session and its answer are the task's own",
        &[
            "EXTRACT CERTIFICATE",
            "EXTRACT TCPIP",
            "EXTRACT WEB",
            "WEB CLOSE",
            "WEB CONVERSE",
            "WEB ENDBROWSE FORMFIELD",
            "WEB ENDBROWSE HTTPHEADER",
            "WEB ENDBROWSE QUERYPARM",
            "WEB EXTRACT",
            "WEB OPEN",
            "WEB PARSE",
            "WEB READ FORMFIELD",
            "WEB READ HTTPHEADER",
            "WEB READ QUERYPARM",
            "WEB READNEXT FORMFIELD",
            "WEB READNEXT HTTPHEADER",
            "WEB READNEXT QUERYPARM",
            "WEB RECEIVE",
            "WEB RETRIEVE",
            "WEB SEND",
            "WEB STARTBROWSE FORMFIELD",
            "WEB STARTBROWSE HTTPHEADER",
            "WEB STARTBROWSE QUERYPARM",
            "WEB WRITE HTTPHEADER",
        ],
    ),
    (
        "the published interface has no class for named counters",
        &[
            "DEFINE COUNTER",
            "DEFINE DCOUNTER",
            "DELETE COUNTER",
            "DELETE DCOUNTER",
            "GET COUNTER",
            "GET DCOUNTER",
            "QUERY COUNTER",
            "QUERY DCOUNTER",
            "REWIND COUNTER",
            "REWIND DCOUNTER",
            "UPDATE COUNTER",
            "UPDATE DCOUNTER",
        ],
    ),
    ("the published interface has no class for names that tasks agree upon", &["DEQ", "ENQ"]),
    (
        "they tell something, and change nothing",
        &[
            "DUMP",
            "DUMP TRANSACTION",
            "ENTER TRACEID",
            "ENTER TRACENUM",
            "MONITOR",
            "SIGNAL EVENT",
            "WRITE OPERATOR",
        ],
    ),
    (
        "programs and transactions behind a service are checked when they begin; a transformation is the task's own",
        &[
            "INVOKE SERVICE",
            "INVOKE WEBSERVICE",
            "SOAPFAULT ADD",
            "SOAPFAULT CREATE",
            "SOAPFAULT DELETE",
            "TRANSFORM DATATOJSON",
            "TRANSFORM DATATOXML",
            "TRANSFORM JSONTODATA",
            "TRANSFORM XMLTODATA",
            "WSACONTEXT BUILD",
            "WSACONTEXT DELETE",
            "WSACONTEXT GET",
            "WSAEPR CREATE",
        ],
    ),
    (
        "they are how somebody becomes a user, or asks what a user may do",
        &[
            "CHANGE PASSWORD",
            "CHANGE PHRASE",
            "QUERY SECURITY",
            "REQUEST PASSTICKET",
            "SIGNON TOKEN",
            "VERIFY TOKEN",
            "SIGNOFF",
            "SIGNON",
            "VERIFY PASSWORD",
            "VERIFY PHRASE",
        ],
    ),
];

#[test]
fn whatever_is_no_access_has_a_reason() {
    let built = spec::commands().iter().filter(|command| command.status != Status::NotYet);
    let mut unchecked: Vec<_> =
        built.filter(|command| command.access.is_empty()).map(|command| command.name).collect();
    let mut named: Vec<_> = UNCHECKED.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
    unchecked.sort_unstable();
    named.sort_unstable();
    assert_eq!(unchecked, named);
}

#[test]
fn every_command_is_let_through_or_refused_as_its_record_says() {
    Site::new("rights", &application()).run(async |run| {
        let region = &run.house.running.region;
        Watchers::add(region, Arc::new(Stop));
        let built = spec::commands().iter().filter(|command| command.status != Status::NotYet);
        let checked: Vec<_> = built.filter(|command| !command.access.is_empty()).collect();
        let (mut refused, mut let_through) = (0, 0);
        for who in USERS {
            let parcels: Vec<_> = checked.iter().flat_map(|command| ways(command)).collect();
            let wanted: Vec<_> = parcels
                .iter()
                .map(|parcel| (parcel.command().name, expected(parcel.command(), parcel, who)))
                .collect();
            let answers = answered_as(region, user(who.0), parcels).await.expect("answers");
            for (answer, (name, wanted)) in answers.iter().zip(wanted) {
                let options: Vec<_> = answer.parcel().contents().map(|(option, _)| option.name()).collect();
                assert_eq!(answer.response(), wanted, "{name} with {options:?} by {}", who.0);
                *if wanted.0 == cond::NOTAUTH { &mut refused } else { &mut let_through } += 1;
            }
        }
        assert!(refused > 300 && let_through > 300, "{refused} were refused, {let_through} let through");
        true
    });
}
