//! `syncpoint check --native`: which programs our own compiler takes, and which constructs refuse the others.

use std::collections::{BTreeMap, HashSet};

use diagnostics::{Diagnostic, any_error};
use toolchain::Member;

use crate::application::{Application, Messages};
use crate::{codes, terminal};

/// Tells of some programs, of all if none is named, what is not built; and in how many programs each construct stands.
pub(crate) fn print(application: &Application, programs: &[String]) -> Result<(), Messages> {
    let toolchain = application.toolchain()?;
    let all = toolchain.members().into_iter().filter_map(|member| match member {
        Member::Program(name) => Some(name),
        Member::Mapset(_) => None,
    });
    let named: Vec<String> = if programs.is_empty() { all.collect() } else { programs.to_vec() };
    let mut refused = Vec::new();
    let mut constructs: BTreeMap<String, usize> = BTreeMap::new();
    for name in &named {
        let messages = match toolchain.accepts(name) {
            Ok(messages) => messages,
            Err(failure) => failure.diagnostics().to_vec(),
        };
        terminal::tell(&messages);
        if any_error(&messages) {
            refused.push(name.as_str());
            let of_program: HashSet<&str> = messages
                .iter()
                .filter_map(|message| cobol_lower::refused_construct(&message.message))
                .collect();
            for construct in of_program {
                *constructs.entry(construct.to_owned()).or_default() += 1;
            }
        } else {
            println!("{name}: native");
        }
    }
    let mut constructs: Vec<_> = constructs.into_iter().collect();
    constructs.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (construct, count) in &constructs {
        println!("{count:5} {construct}");
    }
    println!("{} of {} programs are native", named.len() - refused.len(), named.len());
    if refused.is_empty() {
        return Ok(());
    }
    let verb = if refused.len() == 1 { "is" } else { "are" };
    let message = format!("{} {verb} not for the native compiler yet", refused.join(", "));
    Err(vec![Diagnostic::error(codes::NOT_BUILT, message)])
}
