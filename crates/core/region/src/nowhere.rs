//! Definitions that lead nowhere: each names something that is not there.
//!
//! A region starts with them, as CICS does: a task that comes there later gets an abend or a condition. So they are warnings, at
//! the place of the definition, with what will happen and what to do.

use std::collections::{BTreeMap, HashSet};

use config::{RegionConfig, at};
use csd::{Definition, ResourceType};
use diagnostics::Diagnostic;
use toolchain::Member;
use vsam::{Name, Vsam};

use crate::codes;
use crate::effects::named_with;

/// Beginnings of the names of programs that come with a region, not with its definitions.
const SUPPLIED: [&str; 2] = ["DFH", "EZA"];
/// Warnings of one kind that are shown one by one: a CSD of a whole shop has hundreds of programs that live elsewhere.
const TOLD_MAX: usize = 10;

/// All that can be said without the data sets.
pub(crate) fn definitions(
    definitions: &[Definition],
    members: &[Member],
    config: &RegionConfig,
) -> Vec<Diagnostic> {
    let mut messages = Vec::new();
    if !config.sit.autoinstall_programs {
        messages.extend(without_program(definitions));
    }
    messages.extend(programs_without_source(definitions, members, config));
    messages.extend(programs_of_doors(definitions, members, config));
    messages.extend(services_of_scenarios(definitions, config));
    messages.extend(mapsets_without_source(definitions, members));
    messages.extend(transactions_without_profile_or_class(definitions));
    messages.extend(queues(definitions));
    messages
}

/// The definitions of one kind that are not of another system.
fn of(kind: ResourceType, definitions: &[Definition]) -> impl Iterator<Item = &Definition> + Clone {
    definitions.iter().filter(move |d| d.resource == kind && d.get("REMOTESYSTEM").is_none())
}

fn names_of(kind: ResourceType, definitions: &[Definition]) -> HashSet<&str> {
    definitions.iter().filter(|d| d.resource == kind).map(|d| d.name.as_str()).collect()
}

fn is_supplied(program: &str) -> bool {
    SUPPLIED.iter().any(|supplied| program.starts_with(supplied))
}

/// Programs to which the configuration sends messages: those that are not defined, or have no source.
fn programs_of_doors(
    definitions: &[Definition],
    members: &[Member],
    config: &RegionConfig,
) -> Vec<Diagnostic> {
    let defined = names_of(ResourceType::Program, definitions);
    let sources: HashSet<&str> = members.iter().filter_map(program_name).collect();
    let scenarios = config.direct.scenarios.iter().map(|scenario| {
        let made = scenario.convert.is_some();
        (
            "a scenario of [direct]",
            &scenario.program,
            made,
            "its instances end with abend APCT: it is out of service",
        )
    });
    let conversations = config.sockets.conversations.iter().map(|conversation| {
        ("a conversation", &conversation.program, false, "each of its messages ends with abend APCT")
    });
    let mut messages = Vec::new();
    for (whose, program, is_made, meaning) in scenarios.chain(conversations) {
        let name = program.value.as_str();
        let is_defined = defined.contains(name) || config.sit.autoinstall_programs;
        let has_source = sources.contains(name) || is_made;
        let (text, help) = match (is_defined, has_source) {
            (true, true) => continue,
            _ if name.is_empty() || is_supplied(name) => continue,
            (false, _) => (
                format!("{whose} has its messages taken by {name}, which is not defined"),
                format!("add DEFINE PROGRAM({name}) to a group that is installed"),
            ),
            // The definition has a message of its own.
            (true, false) if defined.contains(name) => continue,
            (true, false) => (
                format!("{whose} has its messages taken by {name}, which has no source"),
                format!("put {name}.cbl into a folder of `programs` in region.toml"),
            ),
        };
        let message = at(Diagnostic::warning(codes::NO_PROGRAM, text), program);
        messages.push(message.label(meaning).help(help));
    }
    limited(messages, "programs that take messages and are not there")
}

/// WEBSERVICEs of scenarios that nothing installs. Those that a PIPELINE picks up are known when it runs.
fn services_of_scenarios(definitions: &[Definition], config: &RegionConfig) -> Vec<Diagnostic> {
    let picks_up = |pipeline: &Definition| pipeline.get("WSDIR").is_some_and(|folder| !folder.is_empty());
    if of(ResourceType::Pipeline, definitions).any(picks_up) {
        return Vec::new();
    }
    let defined = names_of(ResourceType::Webservice, definitions);
    let is_there = |name: &str| {
        defined.contains(name) || config.services.iter().any(|(own, _)| own.value.eq_ignore_ascii_case(name))
    };
    let services = config.direct.scenarios.iter().filter_map(|scenario| scenario.service.as_ref());
    let messages = services.filter(|service| !is_there(&service.value)).map(|service| {
        let text = format!("a scenario of [direct] serves {}, which is no WEBSERVICE", service.value);
        let help = "name it in [services], or add DEFINE WEBSERVICE to a group that is installed";
        at(Diagnostic::warning(codes::NO_DEFINITION, text), service)
            .label("the region does not start")
            .help(help)
    });
    messages.collect()
}

/// Transactions whose program no definition installs.
fn without_program(definitions: &[Definition]) -> Vec<Diagnostic> {
    let defined = names_of(ResourceType::Program, definitions);
    let mut messages = Vec::new();
    for transaction in of(ResourceType::Transaction, definitions) {
        let program = transaction.get("PROGRAM").unwrap_or_default();
        // One that names no program is not installed.
        if program.is_empty() || defined.contains(program) || is_supplied(program) {
            continue;
        }
        let help = format!(
            "add DEFINE PROGRAM({program}) to a group that is installed; with PGAIPGM = \"ACTIVE\" in [sit] programs \
             need no definition"
        );
        let text = format!("transaction {} starts {program}, which is not defined", transaction.name);
        let message = Diagnostic::warning(codes::NO_PROGRAM, text).at(transaction.place.clone());
        messages.push(message.label("ends with abend APCT when a user starts it").help(help));
    }
    limited(messages, "transactions without a program")
}

/// Programs that are defined, or that a transaction starts where they need no definition, and have no source.
fn programs_without_source(
    definitions: &[Definition],
    members: &[Member],
    config: &RegionConfig,
) -> Vec<Diagnostic> {
    let sources: HashSet<&str> = members.iter().filter_map(program_name).collect();
    let mut starters: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for transaction in of(ResourceType::Transaction, definitions) {
        starters.entry(transaction.get("PROGRAM").unwrap_or_default()).or_default().push(&transaction.name);
    }
    let defined = names_of(ResourceType::Program, definitions);
    let programs =
        of(ResourceType::Program, definitions).filter(|d| !d.flag("JVM")).map(|d| (d.name.as_str(), d));
    // A transaction's program without a definition gets one when it is first used.
    let transactions = of(ResourceType::Transaction, definitions).filter(|_| config.sit.autoinstall_programs);
    let undefined = transactions.filter_map(|d| Some((d.get("PROGRAM")?, d)));
    let undefined = undefined.filter(|(program, _)| !defined.contains(program));
    let mut messages = Vec::new();
    for (program, definition) in programs.chain(undefined) {
        // z/OS finds a mapset by a definition of a program, too.
        let is_mapset = members.contains(&Member::Mapset(program.to_owned()));
        if sources.contains(program) || is_supplied(program) || is_mapset && !starters.contains_key(program) {
            continue;
        }
        let started =
            starters.get(program).map(|names| format!(": {} it", named_with(names, "starts", "start")));
        let text = format!("program {program} has no source{}", started.unwrap_or_default());
        let message = Diagnostic::warning(codes::NO_SOURCE, text).at(definition.place.clone());
        messages.push(message.label("LINK to it raises PGMIDERR, a transaction ends with abend APCT").help(
            format!("put {program}.cbl into a folder of `programs` in region.toml, or delete the definition"),
        ));
    }
    limited(messages, "programs without a source")
}

fn program_name(member: &Member) -> Option<&str> {
    match member {
        Member::Program(name) => Some(name),
        Member::Mapset(_) => None,
    }
}

fn mapsets_without_source(definitions: &[Definition], members: &[Member]) -> Vec<Diagnostic> {
    let is_there = |name: &str| members.contains(&Member::Mapset(name.to_owned()));
    let mapsets = of(ResourceType::Mapset, definitions).filter(|mapset| !is_there(&mapset.name));
    let messages = mapsets.filter(|mapset| !is_supplied(&mapset.name)).map(|mapset| {
        let name = &mapset.name;
        Diagnostic::warning(codes::NO_SOURCE, format!("mapset {name} has no source"))
            .at(mapset.place.clone())
            .label("a program that sends one of its maps ends with abend ABM0")
            .help(format!("put {name}.bms into a folder of `maps` in region.toml, or delete the definition"))
    });
    limited(messages.collect(), "mapsets without a source")
}

/// Profiles and classes come with a region where their names begin with DFH.
fn transactions_without_profile_or_class(definitions: &[Definition]) -> Vec<Diagnostic> {
    let kinds = [
        ("PROFILE", ResourceType::Profile, "the defaults of a profile hold"),
        (
            "TRANCLASS",
            ResourceType::Tranclass,
            "the transaction belongs to no class, and nothing limits its tasks",
        ),
    ];
    let mut messages = Vec::new();
    for (attribute, kind, meaning) in kinds {
        let defined = names_of(kind, definitions);
        for transaction in of(ResourceType::Transaction, definitions) {
            let Some(given) = transaction.given(attribute) else { continue };
            if given.value.is_empty() || is_supplied(&given.value) || defined.contains(given.value.as_str()) {
                continue;
            }
            let text =
                format!("{attribute} {} of transaction {} is not defined", given.value, transaction.name);
            let message = Diagnostic::warning(codes::NO_DEFINITION, text).at(given.place.clone());
            let help = format!("add DEFINE {kind}({}) to a group that is installed", given.value);
            messages.push(message.label(meaning).help(help));
        }
    }
    limited(messages, "profiles or classes that are not defined")
}

/// Transient data queues that lead to a queue or start a transaction that is not there.
fn queues(definitions: &[Definition]) -> Vec<Diagnostic> {
    let queues = names_of(ResourceType::Tdqueue, definitions);
    let transactions = names_of(ResourceType::Transaction, definitions);
    let mut messages = Vec::new();
    for queue in of(ResourceType::Tdqueue, definitions) {
        let checks = [
            ("INDIRECTNAME", "TDQUEUE", &queues, "WRITEQ TD raises QIDERR"),
            ("TRANSID", "TRANSACTION", &transactions, "nothing is started when the trigger level is reached"),
        ];
        for (attribute, kind, defined, meaning) in checks {
            let Some(given) = queue.given(attribute) else { continue };
            // The names of supplied queues and transactions begin with C.
            if given.value.is_empty()
                || given.value.starts_with('C')
                || defined.contains(given.value.as_str())
            {
                continue;
            }
            let text = format!("{attribute} {} of queue {} is not defined", given.value, queue.name);
            let message = Diagnostic::warning(codes::NO_DEFINITION, text).at(given.place.clone());
            messages.push(
                message
                    .label(meaning)
                    .help(format!("add DEFINE {kind}({}) to a group that is installed", given.value)),
            );
        }
    }
    limited(messages, "queues that lead nowhere")
}

/// FILEs whose data set is not in the catalogue.
pub(crate) fn files(definitions: &[Definition], vsam: &Vsam) -> Vec<Diagnostic> {
    let mut messages = Vec::new();
    for file in of(ResourceType::File, definitions) {
        let name = &file.name;
        let message = match file.given("DSNAME").filter(|given| !given.value.is_empty()) {
            // A coupling-facility table has no data set unless it is loaded from one.
            None if file.is("TABLE", "CF") => continue,
            None => Diagnostic::warning(codes::NO_DATA_SET, format!("file {name} names no data set"))
                .at(file.place.clone())
                .label("a request raises NOTOPEN until SET FILE names one")
                .help(format!("add DSNAME(name) to FILE({name})")),
            Some(given) => {
                let known = given.value.parse::<Name>().is_ok_and(|dataset| vsam.entry(&dataset).is_ok());
                if known {
                    continue;
                }
                let text = format!("file {name} is of {}, which is not in the catalogue", given.value);
                Diagnostic::warning(codes::NO_DATA_SET, text)
                    .at(given.place.clone())
                    .label("a request raises NOTOPEN")
                    .help(
                        "define it in an IDCAMS input (`idcams` in region.toml): DEFINE CLUSTER (NAME(…) …)",
                    )
            }
        };
        messages.push(message);
    }
    limited(messages, "files without a data set")
}

/// The first messages, and how many more there are of their kind.
pub(crate) fn limited(mut messages: Vec<Diagnostic>, what: &str) -> Vec<Diagnostic> {
    let more = messages.len().saturating_sub(TOLD_MAX);
    if more > 0 {
        messages.truncate(TOLD_MAX);
        let text = format!("{more} more {what}");
        let help = "install only the groups that this application needs: `grplist` in region.toml";
        messages.push(Diagnostic::warning(codes::MORE, text).help(help));
    }
    messages
}
