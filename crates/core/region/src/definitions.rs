//! CSD texts become definitions of the kernel.

use std::path::Path;
use std::sync::Arc;

use config::{Located, RegionConfig, at};
use csd::{Csd, Definition};
use diagnostics::{Diagnostic, Source, any_error, nearest};
use jcl::Tokens;
use kernel::name::TransactionName;
use kernel::region::Region;
use kernel::registry::Manager;
use kernel::security::User;
use kernel::transactions::Transactions;
use repository::Repository;
use toolchain::Member;

use crate::{codes, effects, nowhere, texts};

/// The texts of an application, to be changed.
pub fn repository(root: &Path, config: &RegionConfig) -> Repository {
    let patterns = config.definitions.csd.iter().map(|pattern| pattern.value.clone()).collect();
    Repository::new(root, patterns, tokens(config))
}

/// The definitions that a start would install now, and warnings.
///
/// # Errors
/// The mistakes in the texts.
pub(crate) fn read(
    root: &Path,
    config: &RegionConfig,
) -> Result<(Vec<Definition>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (csd, mut messages) = texts_of(root, config)?;
    let names = match &config.definitions.grplist {
        Some(names) => wanted(names, &csd, &mut messages),
        None => csd.groups().filter(|group| *group != csd::USER_DEFAULTS).map(str::to_owned).collect(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (definitions, doubts) = csd.installed(&names);
    let definitions: Vec<Definition> = definitions.into_iter().cloned().collect();
    messages.extend(doubts);
    if any_error(&messages) {
        return Err(messages);
    }
    Ok((definitions, messages))
}

/// All definitions of the texts, installed or not; nothing if something is wrong with them.
pub(crate) fn everywhere(root: &Path, config: &RegionConfig) -> Vec<Definition> {
    let Ok((csd, _)) = texts_of(root, config) else { return Vec::new() };
    let groups: Vec<&str> = csd.groups().filter(|group| *group != csd::USER_DEFAULTS).collect();
    groups.into_iter().flat_map(|group| csd.definitions(group)).cloned().collect()
}

/// Reads the texts, with what is wrong or doubtful in them.
fn texts_of(root: &Path, config: &RegionConfig) -> Result<(Csd, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut messages = Vec::new();
    let mut csd = Csd::default();
    let tokens = tokens(config);
    for pattern in &config.definitions.csd {
        let files = toolchain::files(root, pattern).map_err(|message| vec![message])?;
        for path in files.into_iter().filter(|path| !repository::is_beside(path)) {
            let source = texts::source(root, &path)?;
            messages.extend(no_step(pattern, &source));
            let mut commands = csd::parse(&source, &tokens);
            commands.forgive(effects::matters);
            messages.extend(commands.messages);
            messages.extend(csd.apply(&commands.commands));
        }
    }
    Ok((csd, messages))
}

/// Doubts about definitions: they lead nowhere, or ask for work that a region does not do.
pub(crate) fn doubts(
    definitions: &[Definition],
    members: &[Member],
    config: &RegionConfig,
) -> Vec<Diagnostic> {
    let mut messages = nowhere::definitions(definitions, members, config);
    messages.extend(unsound(definitions));
    messages.extend(effects::without_effect(definitions, &config.sysid));
    messages
}

/// That a job which was named holds no definitions; a pattern may well find jobs for other things.
fn no_step(pattern: &Located<String>, source: &Arc<Source>) -> Option<Diagnostic> {
    let named = !pattern.value.contains(['*', '?', '[']);
    let holds_none = jcl::is_job(&source.text) && jcl::inputs(source, "DFHCSDUP", &Tokens::new()).is_empty();
    let message = Diagnostic::warning(codes::NO_STEP, format!("{} holds no definitions", pattern.value));
    let help = "definitions stand in a job as //SYSIN DD * of a step with EXEC PGM=DFHCSDUP";
    (named && holds_none).then(|| at(message, pattern).label("no step of this job runs DFHCSDUP").help(help))
}

/// The tokens of a configuration: what is replaced in every text.
pub fn tokens(config: &RegionConfig) -> Tokens {
    config.definitions.tokens.iter().cloned().collect()
}

/// The lists and groups that the configuration names; one that the texts do not have gets a message.
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

/// Installs the definitions, by the kernel's registry of types. One that cannot be installed gets a message.
pub(crate) fn install(region: &Arc<Region>, definitions: &[Definition]) -> Vec<Diagnostic> {
    // What is wrong with a definition by itself has had its message before: by `doubts`.
    let sound = |d: &&Definition| {
        operation::definitions::of(d.resource).is_none_or(|defined| defined.sound(d).is_ok())
    };
    let refused = |d: &Definition| Some(not_installed(d, operation::definitions::install(region, d).err()?));
    definitions.iter().filter(sound).filter_map(refused).collect()
}

fn not_installed(definition: &Definition, why: String) -> Diagnostic {
    Diagnostic::warning(codes::NOT_INSTALLED, why).at(definition.place.clone()).label("not installed")
}

/// Definitions that lack what their type needs, or that no region could install.
fn unsound(definitions: &[Definition]) -> Vec<Diagnostic> {
    let fault = |d: &Definition| {
        let defined = operation::definitions::of(d.resource)?;
        let (why, help) = match defined.complete(d) {
            Err(why) => (why, "add what is missing to the definition, or delete it"),
            Ok(()) => ((defined.refuses)(d).err()?, "correct the definition, or delete it"),
        };
        Some(not_installed(d, why).help(help))
    };
    nowhere::limited(definitions.iter().filter_map(fault).collect(), "definitions that are not installed")
}

/// Parameters of `[sit]` that name a transaction which is not installed.
pub(crate) fn without_transaction(region: &Region, config: &RegionConfig) -> Vec<Diagnostic> {
    let parameters = [
        ("GMTRAN", Some(config.sit.gmtran.as_str()), "new terminals see an empty screen; CSGM greets them"),
        ("DTRTRAN", config.sit.dtrtran.as_deref(), "unknown transactions are refused, as with NO"),
    ];
    let undefined =
        |name: &str| !name.is_empty() && Transactions::of(region).get(TransactionName::from(name)).is_none();
    let named = parameters.into_iter().filter_map(|(parameter, name, help)| Some((parameter, name?, help)));
    named
        .filter(|(_, name, _)| undefined(name))
        .map(|(parameter, name, help)| {
            let text = format!("{parameter} in [sit] names transaction {name}, which is not defined");
            Diagnostic::warning(codes::NO_TRANSACTION, text).help(help)
        })
        .collect()
}

/// The definitions as they were at the last look, for a region that takes saved texts.
pub struct Saved(Vec<Definition>);

impl Saved {
    /// Those of the texts now; nothing if something is wrong with them.
    pub fn now(root: &Path, config: &RegionConfig) -> Self {
        Self(read(root, config).map_or_else(|_| Vec::new(), |(definitions, _)| definitions))
    }

    /// Installs what has changed in the texts since the last look, and returns what is not installed. Where something is wrong
    /// with the texts, nothing is.
    pub async fn take(
        &mut self,
        region: &Arc<Region>,
        root: &Path,
        config: &RegionConfig,
    ) -> Vec<Diagnostic> {
        let (definitions, mut messages) = match read(root, config) {
            Ok(read) => read,
            Err(messages) => return messages,
        };
        let is_same =
            |one: &Definition, other: &Definition| one.resource == other.resource && one.name == other.name;
        let by = Manager::new(region, &User::region());
        let mut seen = Vec::new();
        for definition in &definitions {
            let before = self.0.iter().find(|before| is_same(before, definition));
            if before.is_some_and(|before| before.complete_text() == definition.complete_text()) {
                seen.push(definition.clone());
                continue;
            }
            match operation::definitions::install_one(&by, definition).await {
                Ok(()) => seen.push(definition.clone()),
                // The next look tries it again.
                Err(not_made) => {
                    messages.push(not_installed(definition, not_made.why));
                    seen.extend(before.cloned());
                }
            }
        }
        for gone in self.0.iter().filter(|gone| !definitions.iter().any(|d| is_same(gone, d))) {
            let text = format!("{} {} is in no text any more", gone.resource, gone.name);
            let help = "the region has it until its next start; CEMT DISCARD takes it away now";
            messages.push(Diagnostic::warning(codes::NOT_INSTALLED, text).help(help));
        }
        self.0 = seen;
        messages
    }
}
