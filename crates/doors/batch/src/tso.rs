//! The terminal monitor program in batch: of its commands, those with which DSN runs a program.

/// Commands that are carried out, or mean nothing here.
const TAKEN: [&str; 4] = ["DSN", "RUN", "END", "PROFILE"];

/// Checks the commands of a text; the error is the line of the first that is not carried out, with what to do.
pub(crate) fn check(text: &str) -> Result<(), (usize, String, String)> {
    let mut goes_on = false;
    let mut runs = false;
    for (line, number) in text.lines().zip(1..) {
        let line = in_columns(line).trim();
        if line.is_empty() || line.starts_with("/*") {
            continue;
        }
        let begins = !std::mem::replace(&mut goes_on, line.ends_with(['-', '+']));
        let word = line.split([' ', '(']).next().unwrap_or_default().to_ascii_uppercase();
        if !begins {
            continue;
        }
        if word == "RUN" && std::mem::replace(&mut runs, true) {
            let help = "a step of its own for each program".to_owned();
            return Err((number, "a second RUN is not carried out".to_owned(), help));
        }
        if !TAKEN.contains(&word.as_str()) {
            let help = match word.as_str() {
                "BIND" | "REBIND" => {
                    "packages are made when programs are built: leave it out, and name the job in `bind` of [sql]"
                }
                "FREE" => "packages are made when programs are built: leave it out",
                _ => "DSN, RUN PROGRAM(…) and END are",
            };
            return Err((number, format!("the command {word} of TSO is not carried out"), help.to_owned()));
        }
    }
    match runs || text.trim().is_empty() {
        true => Ok(()),
        false => Err((1, "SYSTSIN runs no program".into(), "RUN PROGRAM(NAME) PLAN(…)".into())),
    }
}

/// A program that RUN names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Its name.
    pub program: String,
    /// Its PARMS.
    pub parm: Option<String>,
    /// The line of the command, from 1.
    pub line: usize,
}

/// Returns the program of `RUN PROGRAM(…)` in the commands of a step.
pub(crate) fn run_command(step: &str) -> Option<Run> {
    let lines = step.lines().zip(1..);
    let mut lines = lines
        .filter(|(line, _)| !line.starts_with("//") && !line.trim().is_empty())
        .map(|(line, number)| (in_columns(line), number))
        .skip_while(|(line, _)| !line.split_whitespace().any(|word| word.eq_ignore_ascii_case("RUN")))
        .peekable();
    let line = lines.peek()?.1;
    // A line that ends with a hyphen or a plus sign goes on in the next one.
    let joined: Vec<&str> = lines.map(|(line, _)| line.trim_end().trim_end_matches(['-', '+'])).collect();
    let joined = joined.join(" ");
    let run = joined.to_ascii_uppercase().find("RUN ")?;
    let program = operand(&joined[run..], "PROGRAM").or_else(|| operand(&joined[run..], "PROG"))?;
    let parm = ["PARMS", "PARM"].into_iter().find_map(|keyword| operand(&joined[run..], keyword));
    let parm = parm.map(|parm| parm.trim_matches('\'').to_owned());
    Some(Run { program: program.to_ascii_uppercase(), parm, line })
}

/// Returns a line without the sequence number in its last columns.
fn in_columns(line: &str) -> &str {
    match line.char_indices().nth(72) {
        Some((end, _)) if line[end..].trim().chars().all(|c| c.is_ascii_digit()) => &line[..end],
        _ => line,
    }
}

/// Returns the text in the parentheses behind a keyword; blanks may stand before them.
fn operand(text: &str, keyword: &str) -> Option<String> {
    let upper = text.to_ascii_uppercase();
    let is_end = |at: usize| upper[at + keyword.len()..].trim_start().starts_with('(');
    let (at, _) = upper.match_indices(keyword).find(|(at, _)| is_end(*at))?;
    let start = at + text[at..].find('(')? + 1;
    let end = start + text[start..].find(')')?;
    Some(text[start..end].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_that_dsn_runs() {
        for (step, expected) in [
            (
                "//S EXEC PGM=IKJEFT01\n//SYSTSIN DD *\n DSN SYSTEM(DB2A)\n   RUN PROGRAM(PAYUP) PLAN(PAY)\n",
                "PAYUP",
            ),
            (" DSN SYSTEM(DB2A)\n RUN -\n  PROG(payup) PLAN(PAY) -\n PARMS('A,B')\n END\n", "PAYUP A,B"),
            (" RUN PROGRAM(PAYUP) -\n PLAN(PAY) -\n PARM('1,20') -\n LIB('L')\n END\n", "PAYUP 1,20"),
            (
                "DSN SYSTEM (DBAG )\n RUN PROGRAM   (PAYUP ) -\n  PLAN      (PAY) -\n LIBRARY ('L')\nEND\n",
                "PAYUP",
            ),
            ("//S EXEC PGM=IKJEFT01\n//SYSTSIN DD *\n LISTCAT\n", ""),
            ("", ""),
        ] {
            let found = run_command(step).map(|run| [Some(run.program), run.parm]);
            let found = found.into_iter().flatten().flatten().collect::<Vec<_>>().join(" ");
            assert_eq!(found, expected, "{step}");
        }
    }
}
