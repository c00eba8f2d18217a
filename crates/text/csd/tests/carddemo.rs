//! The definitions of CardDemo, where its sources are: `CARDDEMO` names the directory that holds `app`.

use std::path::{Path, PathBuf};

use csd::{Csd, parse};
use diagnostics::{Severity, Source};
use jcl::Tokens;

fn texts(root: &Path) -> Vec<PathBuf> {
    let app = root.join("app");
    let mut texts = vec![app.join("jcl/CBADMCDJ.jcl")];
    for part in ["", "app-vsam-mq", "app-transaction-type-db2", "app-authorization-ims-db2-mq"] {
        let entries = std::fs::read_dir(app.join(part).join("csd")).expect("a directory of CSD texts");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        texts.extend(paths.filter(|path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csd"))));
    }
    texts
}

#[test]
fn every_csd_text_of_carddemo_is_understood() {
    let Ok(root) = std::env::var("CARDDEMO") else {
        eprintln!("skipped: CARDDEMO does not name a checkout of CardDemo");
        return;
    };
    for path in texts(Path::new(&root)) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let parsed = parse(&Source::new(path.display().to_string(), text), &Tokens::new());
        let mut csd = Csd::default();
        let mut messages = parsed.messages;
        messages.extend(csd.apply(&parsed.commands));
        messages.iter().for_each(|message| println!("{message}"));
        let name = path.display();
        println!("{name}: {} definitions", csd.groups().map(|g| csd.group(g).len()).sum::<usize>());
        assert!(messages.iter().all(|m| m.severity < Severity::Error), "{name}");
        assert!(csd.group("CARDDEMO").len() > 3, "{name}");
    }
}
