//! The examples of the records of statements show what the records say, in a step of a job.

mod common;
#[path = "../../../cobol/cobol-lower/tests/support/examples.rs"]
mod examples;

use cobol_syntax::statements;
use common::Application;

const DEFINE: &str = "DEFINE CLUSTER (NAME(A.KSDS) INDEXED KEYS(4 0) RECORDSIZE(10 10) REUSE)\n";

#[test]
fn every_example_shows_what_its_record_says() {
    let shown = statements().iter().filter_map(|record| Some((record, record.example?, record.shown?)));
    let programs: Vec<_> = shown
        .enumerate()
        .map(|(at, (record, example, shown))| {
            let name = format!("T{at}");
            let text =
                examples::source(record, example).replace("PROGRAM-ID. T.", &format!("PROGRAM-ID. {name}."));
            (name, text, record.name, shown)
        })
        .collect();
    let sources: Vec<(&str, String)> =
        programs.iter().map(|(name, text, ..)| (name.as_str(), text.clone())).collect();
    let application = Application::new(&sources);
    for (name, lines) in [("one", "0003\n0007\n"), ("two", "0002\n")] {
        std::fs::write(application.path().join(name), lines).expect("written");
    }
    let mut client = application.client();
    application.idcams(&mut client, DEFINE, "");
    let dds = ["SEQ=seq", "ONE=one", "TWO=two", "IDX=A.KSDS"];
    let mut wrong = Vec::new();
    for (program, _, name, shown) in &programs {
        // The declarative is to see a file that is not there.
        let _ = std::fs::remove_file(application.path().join("seq"));
        let said = application.run(&mut client, program, &dds, 0);
        // A message of the file system may stand in front.
        if !format!("\n{said}").ends_with(&format!("\n{shown}\nreturned 0\n")) {
            wrong.push(format!("{name}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
