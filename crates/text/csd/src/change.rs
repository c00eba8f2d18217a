//! Changes to texts: a command becomes the smallest change to one text that has its effect.
//!
//! The effect comes first: the command is applied to what the texts hold, and the difference says what is to be written. It
//! is written where the definition stands; where that does not have the effect (a later ALTER, a token, several texts) it
//! is written as further commands behind all others. A text is taken only if, read again, it has the effect.

mod difference;
mod places;

use diagnostics::{Diagnostic, Source};
use jcl::Tokens;

use crate::command::Command;
use crate::store::Csd;
use difference::Difference;
use places::{Edit, Writable, applied};

/// A text of definitions, in the order of their reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its name in messages.
    pub name: String,
    /// Its content.
    pub text: String,
    /// False for one that is not changed: it has bytes that are not characters.
    pub writable: bool,
}

/// A changed text.
#[derive(Clone, Debug)]
pub struct Edited {
    /// Its place among the texts.
    pub index: usize,
    /// Its new content.
    pub text: String,
    /// The content of all texts after the change.
    pub csd: Csd,
}

/// The content of texts; commands that cannot be applied are left out.
pub fn read(texts: &[Text], tokens: &Tokens) -> Csd {
    let mut csd = Csd::default();
    for text in texts {
        csd.apply(&crate::parse(&Source::new(&*text.name, &*text.text), tokens).commands);
    }
    csd
}

/// The text that a user's command changes; `None` if the command has no effect.
///
/// # Errors
/// The message about a command that is refused.
pub fn change(
    texts: &[Text],
    tokens: &Tokens,
    command: &Command,
    by: &str,
) -> Result<Option<Edited>, Box<Diagnostic>> {
    single_names(command)?;
    let before = read(texts, tokens);
    let after = effect(&before, command, by)?;
    let difference = Difference::between(&before, &after);
    may(&before, &difference, command, by)?;
    if difference.is_empty() {
        return Ok(None);
    }
    let writables: Vec<Writable> = texts.iter().map(Writable::of).collect();
    let has_effect = |(index, edits): (usize, Vec<Edit>)| {
        let text = applied(&texts[index].text, edits);
        let mut changed = texts.to_vec();
        changed[index].text.clone_from(&text);
        let csd = read(&changed, tokens);
        Difference::between(&csd, &after).is_empty().then_some(Edited { index, text, csd })
    };
    let in_place = difference.in_place(&writables, command);
    let behind = || (0..texts.len()).rev().filter_map(|index| difference.behind(&writables, index));
    match in_place.and_then(has_effect).or_else(|| behind().find_map(has_effect)) {
        Some(edited) => Ok(Some(edited)),
        None => Err(refused(command, "SPCS030", "no text of definitions takes this change".to_owned())
            .help("a value may be too long for a line of 72 columns, or all texts are jobs without a DFHCSDUP step")
            .into()),
    }
}

/// The content after a command. A lock may be of a group or list that is not there: it is the user's then.
fn effect(before: &Csd, command: &Command, by: &str) -> Result<Csd, Box<Diagnostic>> {
    let mut after = before.clone();
    match command {
        Command::Lock { name, list, place, .. } => {
            before.is_free(name, *list, place)?;
            after.locks.entry(name.clone()).or_insert_with(|| by.to_owned());
        }
        command => after.apply_one(command)?,
    }
    Ok(after)
}

/// Checks the names that a command gives to something: with `*` or `+` one would mean other definitions, too, when it is deleted.
fn single_names(command: &Command) -> Result<(), Box<Diagnostic>> {
    let given: [&str; 2] = match command {
        Command::Define(made) | Command::Userdefine(made) => [&made.name, &made.group],
        Command::Copy { to, named, .. } | Command::Move { to, named, .. } => {
            [to, named.as_deref().unwrap_or_default()]
        }
        Command::Rename { named, .. } => [named, ""],
        Command::Append { to, .. } => [to, ""],
        Command::Add { group, list, .. } => [group, list],
        _ => return Ok(()),
    };
    let generic = |name: &&&str| name.contains(['*', '+']);
    match given.iter().find(generic) {
        None => Ok(()),
        Some(name) => {
            let message =
                refused(command, "SPCS010", format!("{name} is a generic name, which nothing can have"));
            Err(message.help("name one, without * and +").into())
        }
    }
}

/// Checks that no other user has locked what changes.
fn may(
    before: &Csd,
    difference: &Difference<'_>,
    command: &Command,
    by: &str,
) -> Result<(), Box<Diagnostic>> {
    let locked = |name: &&str| before.lock(name).is_some_and(|holder| holder != by);
    let own = match command {
        Command::Lock { name, .. } => Some(name.as_str()),
        _ => None,
    };
    match difference.names().chain(own).find(locked) {
        None => Ok(()),
        Some(name) => {
            let holder = before.lock(name).unwrap_or_default();
            let message = refused(command, "SPCS029", format!("{name} is locked by {holder}"));
            Err(message.help(format!("{holder} may UNLOCK it")).into())
        }
    }
}

fn refused(command: &Command, code: &'static str, text: String) -> Diagnostic {
    Diagnostic::error(code, text).at(command.place().clone())
}
