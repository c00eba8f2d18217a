//! CardDemo's copybooks and its data in EBCDIC and ASCII: `CARDDEMO` names the directory that holds `app`.

use std::path::{Path, PathBuf};

use copybook::{Choices, Converter, Layout, decode, encode, leaves, parse};
use diagnostics::{Severity, Source};
use ebcdic::CodePage;

fn root() -> Option<PathBuf> {
    let root = std::env::var_os("CARDDEMO").map(|root| Path::new(&root).join("app"));
    if root.is_none() {
        eprintln!("skipped: CARDDEMO does not name a checkout of CardDemo");
    }
    root
}

fn layout(root: &Path, copybook: &str) -> Layout {
    let path = root.join("cpy").join(copybook).with_extension("cpy");
    let text = std::fs::read_to_string(&path).expect("readable");
    let parsed = parse(&Source::new(path.display().to_string(), text));
    parsed.layouts.into_iter().next().expect("a record")
}

fn records(root: &Path, file: &str, length: usize) -> Vec<Vec<u8>> {
    let bytes =
        std::fs::read(root.join("data/EBCDIC").join(format!("AWS.M2.CARDDEMO.{file}.PS"))).expect("readable");
    assert_eq!(bytes.len() % length, 0, "{file}");
    bytes.chunks(length).map(<[u8]>::to_vec).collect()
}

/// EBCDIC file, its ASCII twin, its copybook and the length of its record.
const TWINS: [(&str, &str, &str, usize); 9] = [
    ("ACCTDATA", "acctdata", "CVACT01Y", 300),
    ("CARDDATA", "carddata", "CVACT02Y", 150),
    ("CARDXREF", "cardxref", "CVACT03Y", 50),
    ("CUSTDATA", "custdata", "CVCUS01Y", 500),
    ("DALYTRAN", "dailytran", "CVTRA06Y", 350),
    ("DISCGRP", "discgrp", "CVTRA02Y", 50),
    ("TCATBALF", "tcatbal", "CVTRA01Y", 50),
    ("TRANCATG", "trancatg", "CVTRA04Y", 60),
    ("TRANTYPE", "trantype", "CVTRA03Y", 60),
];

/// The places at which the twins differ, since one of them was edited.
const EDITED: [&str; 2] = ["ACCTDATA 49 ACCT-ADDR-ZIP", "DISCGRP 34 DIS-INT-RATE"];

#[test]
fn an_ebcdic_file_becomes_its_ascii_twin() {
    let Some(root) = root() else { return };
    let mut differences = Vec::new();
    for (file, twin, copybook, length) in TWINS {
        let layout = layout(&root, copybook);
        assert_eq!(layout.length(), length, "{copybook}");
        let converter = Converter::new(&layout, CodePage::Ibm037);
        let text = std::fs::read(root.join("data/ASCII").join(twin).with_extension("txt")).expect("readable");
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
        let records = records(&root, file, length);
        assert_eq!(records.len(), lines.len(), "{file}");
        for (number, (record, line)) in records.iter().zip(&lines).enumerate() {
            let program = converter.to_program(record).expect("fits");
            assert_eq!(converter.from_program(&program).as_ref(), Ok(record));
            for leaf in leaves(&layout, &Choices::new(), &program).expect("fits") {
                let place = leaf.offset..leaf.offset + leaf.length;
                let theirs = line.get(leaf.offset..place.end.min(line.len())).unwrap_or_default();
                if program[place].trim_ascii_end() != theirs.trim_ascii_end() {
                    differences.push(format!("{file} {} {}", number + 1, leaf.path()));
                }
            }
        }
    }
    assert_eq!(differences, EDITED);
}

#[test]
fn records_of_several_types_are_told_apart_and_survive_decoding() {
    let Some(root) = root() else { return };
    let layout = layout(&root, "CVEXPORT");
    let choices =
        [("C", "CUSTOMER"), ("A", "ACCOUNT"), ("T", "TRANSACTION"), ("X", "CARD-XREF"), ("D", "CARD")];
    let choices = choices.iter().fold(Choices::new(), |choices, (value, kind)| {
        choices.when("EXPORT-REC-TYPE", value, &format!("EXPORT-{kind}-DATA"))
    });
    let converter = Converter::new(&layout, CodePage::Ibm037).with(choices.clone());
    let mut kinds = std::collections::BTreeMap::new();
    for record in records(&root, "EXPORT.DATA", layout.length()) {
        let program = converter.to_program(&record).expect("fits");
        let values = decode(&layout, &choices, &program).expect("fits");
        let bad: Vec<_> = values.iter().filter(|(_, value)| value.starts_with("X'")).collect();
        assert!(bad.is_empty(), "{bad:?}");
        *kinds.entry(values[0].1.clone()).or_insert(0) += 1;
        let borrowed = values.iter().map(|(path, value)| (path.as_str(), value.as_str()));
        let again = encode(&layout, &choices, borrowed).expect("fits");
        let values_again = decode(&layout, &choices, &again).expect("fits");
        assert_eq!(values_again, values);
        assert_eq!(converter.from_program(&program), Ok(record));
    }
    println!("{kinds:?}");
    assert_eq!(kinds.len(), 5);
}

#[test]
fn every_copybook_is_read() {
    let Some(root) = root() else { return };
    for directory in ["cpy", "cpy-bms", "app-authorization-ims-db2-mq/cpy", "app-transaction-type-db2/cpy"] {
        for entry in std::fs::read_dir(root.join(directory)).expect("a directory") {
            let path = entry.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let parsed = parse(&Source::new(name.clone(), text));
            let lengths: Vec<usize> = parsed.layouts.iter().map(Layout::length).collect();
            println!("{name}: {lengths:?}");
            let errors = parsed.messages.iter().filter(|message| message.severity == Severity::Error);
            assert_eq!(errors.map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "{name}");
        }
    }
}
