//! CSD texts become definitions of the kernel.

use std::collections::HashSet;
use std::path::Path;

use config::{Located, RegionConfig, at};
use csd::{Csd, Definition, ResourceType};
use diagnostics::{Diagnostic, Source, any_error, nearest};
use jcl::Tokens;
use kernel::name::{Name8, TransactionName};
use kernel::programs::{Concurrency, Program};
use kernel::region::Region;
use kernel::transactions::Transaction;
use records::Decision;
use toolchain::Member;

use crate::{codes, sockets};

/// The installed definitions, and warnings.
///
/// # Errors
/// What is wrong with the texts.
pub(crate) fn read(
    root: &Path,
    config: &RegionConfig,
) -> Result<(Vec<Definition>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut messages = Vec::new();
    let mut csd = Csd::default();
    let tokens = tokens(config);
    for pattern in &config.definitions.csd {
        for path in toolchain::files(root, pattern).map_err(|message| vec![message])? {
            let source = source(root, &path)?;
            let commands = csd::parse(&source, &tokens);
            messages.extend(commands.messages);
            messages.extend(csd.apply(&commands.commands));
        }
    }
    let names = match &config.definitions.grplist {
        Some(names) => wanted(names, &csd, &mut messages),
        None => csd.groups().map(str::to_owned).collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (definitions, doubts) = csd.installed(&names);
    let definitions: Vec<Definition> = definitions.into_iter().cloned().collect();
    messages.extend(doubts);
    if any_error(&messages) {
        return Err(messages);
    }
    if !config.sit.autoinstall_programs {
        messages.extend(without_program(&definitions));
    }
    Ok((definitions, messages))
}

/// The tokens of a configuration: what is replaced in every text.
pub fn tokens(config: &RegionConfig) -> Tokens {
    config.definitions.tokens.iter().cloned().collect()
}

/// A text under the name by which its owner knows it.
pub(crate) fn source(root: &Path, path: &Path) -> Result<std::sync::Arc<Source>, Vec<Diagnostic>> {
    let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => Ok(Source::new(shown, String::from_utf8_lossy(&bytes))),
        Err(error) => {
            Err(vec![Diagnostic::error(codes::UNREADABLE, format!("{shown} cannot be read: {error}"))])
        }
    }
}

/// The lists and groups that the configuration names; one that the texts do not have is told.
fn wanted(names: &[Located<String>], csd: &Csd, messages: &mut Vec<Diagnostic>) -> Vec<String> {
    for name in names {
        let known = || csd.lists().chain(csd.groups());
        if known().any(|known| known.eq_ignore_ascii_case(&name.value)) {
            continue;
        }
        let message =
            Diagnostic::error(codes::NO_LIST, format!("the CSD texts have no list or group {}", name.value));
        let near = nearest(&name.value, known()).map(|near| format!("did you mean {near}?"));
        let message =
            message.help(near.unwrap_or_else(|| "leave grplist out to install every group".to_owned()));
        messages.push(at(message, name));
    }
    names.iter().map(|name| name.value.to_ascii_uppercase()).collect()
}

/// What is wrong or doubtful with an application's definitions and data, for whoever starts nothing.
pub fn check_definitions(root: &Path, config: &RegionConfig, members: &[Member]) -> Vec<Diagnostic> {
    let (definitions, mut messages) = match read(root, config) {
        Ok((definitions, messages)) => (definitions, messages),
        Err(messages) => (Vec::new(), messages),
    };
    messages.extend(without_source(&definitions, members));
    messages.extend(data_set_commands(root, config));
    messages
        .extend(sockets::listeners(root, config).map_or_else(|messages| messages, |(_, messages)| messages));
    let files = config.loads.iter().flat_map(|load| [Some(&load.file), load.copybook.as_ref()]);
    messages.extend(files.flatten().filter_map(|file| toolchain::files(root, file).err()));
    messages
}

/// The definitions of one kind.
fn of(kind: ResourceType, definitions: &[Definition]) -> impl Iterator<Item = &Definition> {
    definitions.iter().filter(move |definition| definition.resource == kind)
}

/// The names of the programs that are defined.
fn programs(definitions: &[Definition]) -> HashSet<&str> {
    of(ResourceType::Program, definitions).map(|program| program.name.as_str()).collect()
}

/// What the names of programs begin with that come with a region, not with its definitions.
const SUPPLIED: [&str; 2] = ["DFH", "EZA"];

/// Transactions whose program no definition installs.
fn without_program(definitions: &[Definition]) -> Vec<Diagnostic> {
    let defined = programs(definitions);
    let mut messages = Vec::new();
    for transaction in of(ResourceType::Transaction, definitions).filter(|t| t.get("REMOTESYSTEM").is_none())
    {
        let program = transaction.get("PROGRAM").unwrap_or_default();
        if defined.contains(program) || SUPPLIED.iter().any(|supplied| program.starts_with(supplied)) {
            continue;
        }
        let name = &transaction.name;
        let (text, help) = if program.is_empty() {
            (
                format!("transaction {name} names no program"),
                format!("add PROGRAM(name) to TRANSACTION({name})"),
            )
        } else {
            let help = format!(
                "add DEFINE PROGRAM({program}) to a group that is installed; with PGAIPGM = \"ACTIVE\" in [sit] programs \
                 need no definition"
            );
            (format!("transaction {name} starts {program}, which is not defined"), help)
        };
        let message = Diagnostic::warning(codes::NO_PROGRAM, text).at(transaction.place.clone());
        messages.push(message.label("ends with abend APCT when somebody starts it").help(help));
    }
    messages
}

/// Transactions whose program is defined, but has no source.
fn without_source(definitions: &[Definition], members: &[Member]) -> Vec<Diagnostic> {
    let defined = programs(definitions);
    let mut messages = Vec::new();
    for transaction in of(ResourceType::Transaction, definitions) {
        let program = transaction.get("PROGRAM").unwrap_or_default();
        if defined.contains(program) && !members.contains(&Member::Program(program.to_owned())) {
            let text = format!("transaction {} starts {program}, which has no source", transaction.name);
            messages.push(
                Diagnostic::warning(codes::NO_SOURCE, text)
                    .at(transaction.place.clone())
                    .help("the transaction will end with an abend when somebody starts it"),
            );
        }
    }
    messages
}

/// What is wrong with the IDCAMS inputs.
fn data_set_commands(root: &Path, config: &RegionConfig) -> Vec<Diagnostic> {
    let mut messages = Vec::new();
    for pattern in &config.definitions.idcams {
        let paths = toolchain::files(root, pattern).unwrap_or_else(|message| {
            messages.push(message);
            Vec::new()
        });
        for path in paths {
            match source(root, &path) {
                Ok(text) => messages.extend(idcams::parse(&text, &tokens(config)).messages),
                Err(unreadable) => messages.extend(unreadable),
            }
        }
    }
    messages
}

/// Installs what the kernel knows: transactions, programs, classes.
pub(crate) fn install(region: &Region, config: &RegionConfig, definitions: &[Definition]) {
    for definition in definitions {
        match definition.resource {
            ResourceType::Transaction => region.transactions.install(transaction(definition, definitions)),
            ResourceType::Program => region.programs.install(program(definition, config.sit.force_qr)),
            ResourceType::Tranclass => {
                let max = definition.number("MAXACTIVE").unwrap_or(1) as usize;
                region.dispatcher().set_class_max(Name8::from(definition.name.as_str()), max);
            }
            _ => {}
        }
    }
}

/// Parameters of `[sit]` that name a transaction which is not installed.
pub(crate) fn without_transaction(region: &Region, config: &RegionConfig) -> Vec<Diagnostic> {
    let parameters = [
        ("GMTRAN", Some(config.sit.gmtran.as_str()), "new terminals see an empty screen; CSGM greets them"),
        ("DTRTRAN", config.sit.dtrtran.as_deref(), "unknown transactions are refused, as with NO"),
    ];
    let undefined =
        |name: &str| !name.is_empty() && region.transactions.get(TransactionName::from(name)).is_none();
    let named = parameters.into_iter().filter_map(|(parameter, name, help)| Some((parameter, name?, help)));
    named
        .filter(|(_, name, _)| undefined(name))
        .map(|(parameter, name, help)| {
            let text = format!("{parameter} in [sit] names transaction {name}, which is not defined");
            Diagnostic::warning(codes::NO_TRANSACTION, text).help(help)
        })
        .collect()
}

fn transaction(definition: &Definition, all: &[Definition]) -> Transaction {
    let name = TransactionName::from(definition.name.as_str());
    let program = Name8::from(definition.get("PROGRAM").unwrap_or_default());
    let profile = definition.get("PROFILE").unwrap_or_default();
    let profile = all.iter().find(|d| d.resource == ResourceType::Profile && d.name == profile);
    Transaction {
        twa_length: definition.number("TWASIZE").unwrap_or(0) as usize,
        class: definition
            .get("TRANCLASS")
            .filter(|class| *class != "DFHTCL00")
            .map_or(Name8::BLANK, Name8::from),
        priority: definition.number("PRIORITY").unwrap_or(1).min(255) as u8,
        runaway_ms: definition.number("RUNAWAY"),
        deadlock_timeout_s: definition
            .number("DTIMOUT")
            .map_or(0, |mmss| (mmss / 100 * 60 + mmss % 100) as u32),
        indoubt: if definition.is("ACTION", "COMMIT") { Decision::Commit } else { Decision::Backout },
        purgeable: definition.flag("SPURGE"),
        upper_case: profile.is_some_and(|profile| profile.flag("UCTRAN")),
        alternate_screen: profile.is_some_and(|profile| profile.is("SCRNSIZE", "ALTERNATE")),
        dump: definition.flag("DUMP"),
        restart: definition.flag("RESTART"),
        enabled: (!definition.is("STATUS", "DISABLED")).into(),
        ..Transaction::new(name, program)
    }
}

fn program(definition: &Definition, force_qr: bool) -> Program {
    let concurrency = match definition.get("CONCURRENCY") {
        Some("REQUIRED") => Concurrency::Required,
        Some("THREADSAFE") if !force_qr => Concurrency::Threadsafe,
        _ => Concurrency::Quasirent,
    };
    let mut program = Program::new(Name8::from(definition.name.as_str()), concurrency);
    program.enabled = (!definition.is("STATUS", "DISABLED")).into();
    program
}
