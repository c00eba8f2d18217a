//! Programs with EXEC SQL that others have written: `EMBEDDED_SQL` names folders of them (with a colon between two);
//! members are looked for in all folders. Tells how many translate and compile, and why others do not.

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use diagnostics::Severity;
use support::{Members, compile_as, files, source};
use translator::{Options, translate};

#[test]
fn programs_of_others() {
    let Ok(folders) = std::env::var("EMBEDDED_SQL") else { return };
    let folders: Vec<PathBuf> = folders.split(':').map(PathBuf::from).collect();
    let members = Members::in_folders(&folders);
    let (mut all, mut translated, mut compiled) = (0, 0, 0);
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in folders.iter().flat_map(|folder| files(folder)) {
        let source = source(&path);
        let upper = source.text.to_uppercase();
        let words: Vec<&str> = upper.split_whitespace().collect();
        let embedded = words.windows(2).any(|pair| pair == ["EXEC", "SQL"]);
        if !embedded || !upper.contains("PROGRAM-ID") {
            continue;
        }
        all += 1;
        let translation = translate(&source, &members, &Options::default());
        let errors: Vec<_> =
            translation.messages.iter().filter(|message| message.severity == Severity::Error).collect();
        let shown = path.display().to_string();
        for error in &errors {
            let line = error.place.as_ref().map_or(0, |place| place.line);
            let at = format!("{shown}:{line}");
            reasons.entry(format!("{} {}", error.code, error.message)).or_default().push(at);
        }
        if errors.is_empty() {
            translated += 1;
            let output = compile_as(&translation);
            if output.contains("error") {
                let line = output.lines().find(|line| line.contains("error")).unwrap_or_default();
                reasons.entry(format!("cobc {line}")).or_default().push(shown);
            } else {
                compiled += 1;
            }
        }
    }
    println!("{all} programs, {translated} translated, {compiled} compiled");
    for (reason, places) in reasons {
        println!("{reason}: {} ({})", places.len(), places.first().map_or("", String::as_str));
    }
}
