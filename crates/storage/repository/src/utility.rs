//! DFHCSDUP: a deck of commands carried out, with its listing and its condition code.

use std::fmt::Write;
use std::sync::Arc;

use csd::{Csd, Definition, Request, Verb, deck, generic};
use diagnostics::{Diagnostic, Severity, Source};

use crate::Repository;

/// Condition codes: a warning, an error.
const WARNING: u32 = 4;
const ERROR: u32 = 8;

/// The end of a deck.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Its listing.
    pub listing: String,
    /// Mistakes, with their places.
    pub messages: Vec<Diagnostic>,
    /// The condition code.
    pub code: u32,
}

/// Carries the commands of a deck out for a user. Behind an error the others are only read, but for those that list.
pub fn run(repository: &Repository, source: &Arc<Source>, by: &str) -> Ended {
    let mut ended = Ended::default();
    for request in deck(source, repository.tokens()) {
        match request {
            Err(messages) => messages.into_iter().for_each(|message| ended.refused(message)),
            Ok(request) if ended.code >= ERROR && request.verb != Verb::List => {
                let line = request.place.line;
                ended.say(&format!(
                    "DFH5104 W LINE {line}: {} NOT EXECUTED BECAUSE OF ERRORS ABOVE",
                    request.verb.name()
                ));
            }
            Ok(request) => ended.carry_out(repository, &request, by),
        }
    }
    ended
}

impl Ended {
    fn say(&mut self, line: &str) {
        self.listing.push_str(line);
        self.listing.push('\n');
    }

    fn refused(&mut self, message: Diagnostic) {
        let code = if message.severity == Severity::Error { ERROR } else { WARNING };
        self.code = self.code.max(code);
        let letter = if code == ERROR { 'E' } else { 'W' };
        let line = message.place.as_ref().map_or(1, |place| place.line);
        self.say(&format!("{} {letter} LINE {line}: {}", message.code, message.message));
        self.messages.push(message);
    }

    fn carry_out(&mut self, repository: &Repository, request: &Request, by: &str) {
        let error = |code, text: String| Diagnostic::error(code, text).at(request.place.clone());
        let name = request.verb.name();
        match request.command() {
            Some(Err(missing)) => {
                self.refused(
                    error("SPCS004", format!("{name} needs {missing}")).help("the command is left out"),
                );
            }
            Some(Ok(command)) => match repository.change(&command, by) {
                Err(refused) => self.refused(refused.message()),
                Ok(changed) => {
                    let text = changed
                        .text
                        .map_or_else(|| "NOTHING TO CHANGE".to_owned(), |text| format!("IN {text}"));
                    self.say(&format!("DFH5101 I {name} COMMAND EXECUTED SUCCESSFULLY {text}"));
                }
            },
            None if looks(request.verb) => match repository.read() {
                Err(refused) => self.refused(refused.message()),
                Ok(csd) => self.look(&csd, request),
            },
            None => {
                let message = error("SPCS035", format!("{name} is not carried out here"));
                self.refused(message.help(match request.verb {
                    Verb::Install => {
                        "a region installs: CEDA INSTALL, or `syncpoint csd DIR 'INSTALL …'` while it runs"
                    }
                    _ => "it maintains a CSD data set, and definitions are texts here: leave it out",
                }));
            }
        }
    }

    fn look(&mut self, csd: &Csd, request: &Request) {
        let rows = match request.verb {
            Verb::Check => csd::check(&chosen(csd, request)),
            Verb::View => chosen(csd, request).into_iter().map(whole).collect(),
            Verb::Extract => chosen(csd, request).into_iter().map(ToString::to_string).collect(),
            _ => listed(csd, request),
        };
        if rows.is_empty() && request.verb != Verb::Check {
            let message = Diagnostic::warning("SPCS036", "nothing has this name").at(request.place.clone());
            return self.refused(message.help("EXPAND lists all groups"));
        }
        rows.iter().for_each(|row| self.say(row));
        if request.verb == Verb::Check {
            self.code = self.code.max(if rows.is_empty() { 0 } else { WARNING });
        }
    }
}

fn looks(verb: Verb) -> bool {
    matches!(verb, Verb::Check | Verb::Display | Verb::Expand | Verb::Extract | Verb::List | Verb::View)
}

/// A definition with its defaults, an attribute on each line.
fn whole(definition: &Definition) -> String {
    let mut text = definition.to_string();
    for spec in csd::attributes_of(definition.resource).iter().filter(|spec| !spec.obsolete) {
        if let (None, Some(default)) = (definition.given(spec.name), spec.default) {
            // Writing to a String does not fail.
            let _ = write!(text, "\n*      {}({default})", spec.name);
        }
    }
    text
}

/// The definitions that a request means.
fn chosen<'c>(csd: &'c Csd, request: &Request) -> Vec<&'c Definition> {
    let groups: Vec<&str> = match (&request.list, &request.group) {
        (Some(list), _) => csd.list(list).iter().map(String::as_str).collect(),
        (None, Some(group)) => csd.groups().filter(|name| generic(group, name)).collect(),
        (None, None) => csd.groups().collect(),
    };
    let fits = |d: &&Definition| {
        request.resource.is_none_or(|of| d.resource == of && generic(&request.name, &d.name))
    };
    groups.into_iter().flat_map(|group| csd.group(group)).filter(fits).collect()
}

/// The lines of LIST, DISPLAY and EXPAND.
fn listed(csd: &Csd, request: &Request) -> Vec<String> {
    let locked = |name: &str| csd.lock(name).map_or(String::new(), |by| format!("  LOCKED BY {by}"));
    let mut lines = Vec::new();
    let wanted = |name: &&str| request.list.as_deref().is_some_and(|list| generic(list, name));
    let no_groups = request.list.is_some() && request.group.is_none();
    for list in csd.lists().filter(|name| wanted(name) || (request.group.is_none() && request.list.is_none()))
    {
        lines.push(format!("LIST {list}{}", locked(list)));
        lines.extend(csd.list(list).iter().map(|group| format!("  GROUP {group}")));
    }
    let groups =
        csd.groups().filter(|name| request.group.as_deref().is_none_or(|group| generic(group, name)));
    for group in groups.filter(|_| !no_groups) {
        let fits = |d: &&Definition| {
            request.resource.is_none_or(|of| d.resource == of && generic(&request.name, &d.name))
        };
        let own: Vec<&Definition> = csd.group(group).iter().filter(fits).collect();
        if !own.is_empty() {
            lines.push(format!("GROUP {group}{}", locked(group)));
        }
        lines.extend(own.into_iter().map(|d| match request.objects {
            true => whole(d),
            false => format!("  {} {}", d.resource, d.name),
        }));
    }
    lines
}
