//! SDSF in batch: of its commands, those that modify a region by CEMT.

use access::{AccessError, Client, Operation, Reply, Request};

use super::copying::Mistake;
use crate::output::Output;

/// The return code of a utility that is not run.
pub(super) const NOT_RUN: i32 = 12;

/// A command for a region.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Modify {
    applid: String,
    /// The command behind CEMT.
    command: String,
}

/// Checks the commands of ISFIN.
pub(super) fn check(text: &str) -> Result<(), Mistake> {
    commands(text).map(drop)
}

/// Carries the commands of ISFIN out. A region that does not run has no files open: the command is shown, and the step goes on,
/// for the return code does not tell what became of commands.
pub(super) fn run(
    (name, text): &(String, String),
    client: &mut Client,
    output: &mut dyn Output,
) -> Result<i32, AccessError> {
    let commands = match commands(text) {
        Ok(commands) => commands,
        Err((line, what, help)) => {
            output.log(format!("{name}:{line}: {what}: {help}"));
            return Ok(NOT_RUN);
        }
    };
    let running = match client.asks_region() {
        true => client.ask(Request::Region(Operation::Status)).ok(),
        false => None,
    };
    let running = match running {
        Some(Reply::Status(status)) => Some(status.applid),
        _ => None,
    };
    for Modify { applid, command } in commands {
        if running.as_ref() != Some(&applid) {
            output.display(&format!("{applid} does not run: CEMT {command} is not carried out"));
            continue;
        }
        let reply = client.ask(Request::Region(Operation::Cemt { command: command.clone() }))?;
        if let Reply::Operated { text, .. } = reply {
            output.display(&format!("{applid}: CEMT {command}"));
            text.lines().for_each(|line| output.display(line.trim_end()));
        }
    }
    Ok(0)
}

/// Reads the commands: `/F APPLID,'CEMT …'`.
fn commands(text: &str) -> Result<Vec<Modify>, Mistake> {
    let mut commands = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let command = modify(line).ok_or_else(|| {
            let word = line.split_whitespace().next().unwrap_or_default();
            let help = "/F APPLID,'CEMT …' is; operate a region by `syncpoint cemt`".to_owned();
            (number, format!("the command {word} of SDSF is not carried out"), help)
        })?;
        commands.push(command);
    }
    Ok(commands)
}

fn modify(line: &str) -> Option<Modify> {
    let (verb, rest) = line.strip_prefix('/')?.trim_start().split_once(char::is_whitespace)?;
    if !["F", "MODIFY"].iter().any(|known| verb.eq_ignore_ascii_case(known)) {
        return None;
    }
    let (applid, command) = rest.trim().split_once(',')?;
    let command = command.trim();
    let command = command.strip_prefix('\'').map_or(command, |inner| inner.trim_end_matches('\''));
    let (transaction, command) = command.trim().split_once(char::is_whitespace)?;
    transaction
        .eq_ignore_ascii_case("CEMT")
        .then(|| Modify { applid: applid.trim().to_ascii_uppercase(), command: command.trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_for_a_region() {
        let text = "\n /F CICSA,'CEMT SET FIL(A ) CLO'   \n/modify cicsb,CEMT I TAS\n";
        let expected = [("CICSA", "SET FIL(A ) CLO"), ("CICSB", "I TAS")];
        let expected =
            expected.map(|(applid, command)| Modify { applid: applid.into(), command: command.into() });
        assert_eq!(commands(text), Ok(expected.to_vec()));
        for text in ["/F CICSA,'CEDA I G(A)'", "/P CICSA", "PRINT", "/F", "/F CICSA", "/F A,'CEMT'"] {
            assert_eq!(commands(text).expect_err(text).0, 1, "{text}");
        }
    }
}
