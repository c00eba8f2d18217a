//! `syncpoint check --listing`: records with offsets and types, and where every name is used.

use command_line::terminal;
use diagnostics::{Diagnostic, any_error};
use toolchain::Member;

use crate::application::{Application, Messages};
use crate::codes;

/// Prints the listing of some programs, of all if none is named.
pub(crate) fn print(application: &Application, programs: &[String]) -> Result<(), Messages> {
    let toolchain = application.toolchain()?;
    let all = toolchain.members().into_iter().filter_map(|member| match member {
        Member::Program(name) => Some(name),
        Member::Mapset(_) => None,
    });
    let named: Vec<String> = if programs.is_empty() { all.collect() } else { programs.to_vec() };
    let mut failed = Vec::new();
    for name in &named {
        match toolchain.examine(name) {
            Ok(checked) => {
                terminal::tell(&checked.messages);
                print!("{}", cobol_check::listing(&checked));
                if any_error(&checked.messages) {
                    failed.push(name.as_str());
                }
            }
            Err(failure) => {
                terminal::tell(failure.diagnostics());
                failed.push(name);
            }
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    let verb = if failed.len() == 1 { "is" } else { "are" };
    let message = format!("{} {verb} not in order", failed.join(", "));
    Err(vec![Diagnostic::error(codes::NOT_BUILT, message)])
}
