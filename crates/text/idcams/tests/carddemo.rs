//! The IDCAMS steps of CardDemo's jobs: `CARDDEMO` names the directory that holds `app`.

use std::path::Path;

use diagnostics::Source;
use idcams::{Command, Statement, parse};
use jcl::Tokens;

/// Number of commands in a list of statements.
fn count(statements: &[Statement]) -> usize {
    let one = |statement: &Statement| match statement {
        Statement::Command(_) => 1,
        Statement::If { then, otherwise, .. } => count(then) + count(otherwise),
        Statement::Set { .. } | Statement::Cancel(_) => 0,
    };
    statements.iter().map(one).sum()
}

#[test]
fn every_idcams_step_is_understood_and_every_ddname_resolved() {
    let Ok(root) = std::env::var("CARDDEMO") else {
        eprintln!("skipped: CARDDEMO does not name a checkout of CardDemo");
        return;
    };
    let (mut steps, mut commands) = (0, 0);
    for directory in ["jcl", "app-transaction-type-db2/jcl", "app-authorization-ims-db2-mq/jcl"] {
        for entry in std::fs::read_dir(Path::new(&root).join("app").join(directory)).expect("a directory") {
            let path = entry.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.display().to_string();
            if !jcl::is_job(&text) {
                continue;
            }
            let parsed = parse(&Source::new(name.clone(), text), &Tokens::new());
            let messages: Vec<String> = parsed.messages.iter().map(ToString::to_string).collect();
            assert_eq!(messages, [""; 0], "{name}");
            for step in &parsed.steps {
                assert!(!step.statements.is_empty(), "{name}");
                (steps, commands) = (steps + 1, commands + count(&step.statements));
                for statement in &step.statements {
                    let Statement::Command(command) = statement else { continue };
                    if let Command::Repro(repro) = &**command {
                        assert!(
                            repro.from.data_set.is_some() && repro.to.data_set.is_some(),
                            "{name}: {repro:?}"
                        );
                    }
                }
            }
        }
    }
    println!("{steps} steps, {commands} commands");
    assert!(steps > 40 && commands > 60);
}
