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

/// RESP2 of what was let through: nobody must do it, for some of it would end the region.
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
    })
}

/// The ways to use a command that are different accesses: bare, with each option that makes it another one, in a browse.
fn ways(command: &'static Command) -> Vec<Parcel> {
    let resources = || {
        command.access.iter().filter_map(|access| match access.resource {
            Resource::Of(option) => Some(option),
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
    let name = Content::Bytes(b"ABCD".as_slice().into());
    let given = parcel.give(option, name).or_else(|_| parcel.give(option, Content::Number(1)));
    given.unwrap_or_else(|why| panic!("{} of {}: {why:?}", option.name(), parcel.command().name));
}

/// What must come of a command: NOTAUTH and its RESP2, or that it is let through.
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
