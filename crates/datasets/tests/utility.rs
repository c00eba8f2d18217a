//! IDCAMS commands carried out: what they print, and with which codes.

use std::sync::Arc;

use datasets::{Load, Run, Shape};
use diagnostics::Source;
use ebcdic::CodePage;
use expect_test::{Expect, expect};
use vsam::Vsam;

const FILE: &[u8] = b"0001first \n0002second\n0003third \n";

async fn data_sets(folder: &std::path::Path) -> Arc<Vsam> {
    let records = records::Local::open(folder, records::Limits::default()).expect("an engine");
    Vsam::open(records).await.expect("data sets")
}

/// Runs commands on empty data sets, with [`FILE`] behind ddname IN and the same backward behind BACK: the listing, the
/// messages and the codes.
async fn check(commands: &str, expected: Expect) {
    let folder = tempfile::tempdir().expect("a folder");
    let vsam = data_sets(folder.path()).await;
    let parsed = idcams::parse(&Source::new("input", commands), &jcl::Tokens::default());
    assert!(parsed.messages.is_empty(), "{:?}", parsed.messages);
    let backward: Vec<u8> = FILE.split_inclusive(|byte| *byte == b'\n').rev().flatten().copied().collect();
    let file = |bytes| Load { bytes, shape: Shape::Lines, code_page: None, layout: None };
    let run = Run::new(&vsam, &|_| false).with_file("IN", file(FILE)).with_file("BACK", file(&backward));
    let outcome = run.statements(&parsed.steps[0].statements).await;
    let messages: String = outcome.messages.iter().map(|message| format!("{message}\n")).collect();
    expected
        .assert_eq(&format!("{}{messages}LASTCC {} MAXCC {}\n", outcome.listing, outcome.last, outcome.max));
}

const DEFINE: &str = "  DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";

#[tokio::test]
async fn a_file_is_copied_in_the_order_of_its_keys_and_printed() {
    let commands = format!("{DEFINE}  REPRO INFILE(IN) OUTDATASET(A.B)\n  PRINT INDATASET(A.B) CHARACTER\n");
    check(
        &commands,
        expect![[r#"
            A.B: 3 records read, 3 written
            KEY OF RECORD - 0001
            0001first 

            KEY OF RECORD - 0002
            0002second

            KEY OF RECORD - 0003
            0003third 

            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_second_copy_is_refused_record_by_record_unless_it_replaces() {
    let repro = "  REPRO INFILE(IN) OUTDATASET(A.B)";
    check(
        &format!("{DEFINE}{repro}\n{repro}\n{repro} REPLACE\n"),
        expect![[r#"
            A.B: 3 records read, 3 written
            A.B: 3 records read, 0 written
            A.B: 3 records read, 3 written
            LASTCC 0 MAXCC 4
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_empty_data_set_is_filled_in_ascending_order_or_not_at_all() {
    let commands =
        format!("{DEFINE}  REPRO INFILE(BACK) OUTDATASET(A.B)\n  PRINT INDATASET(A.B) CHARACTER\n");
    check(
        &commands,
        expect![[r#"
        error[SPDS002]: record 2 is not in ascending key order
         --> input:2:3
          |
        2 |   REPRO INFILE(BACK) OUTDATASET(A.B)
          |   ^^^^^
        LASTCC 0 MAXCC 8
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_condition_decides_by_the_code_before() {
    let commands =
        format!("  DELETE A.B\n  IF LASTCC > 4 THEN SET MAXCC = 0\n{DEFINE}  LISTCAT ENTRIES(A.B)\n");
    check(
        &commands,
        expect![[r#"
        CLUSTER -------- A.B
        error[SPDS002]: A.B is not in the catalogue
         --> input:1:10
          |
        1 |   DELETE A.B
          |          ^^^
        LASTCC 0 MAXCC 0
    "#]],
    )
    .await;
}

#[tokio::test]
async fn ebcdic_is_converted_on_the_way_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let vsam = data_sets(folder.path()).await;
    let parsed = idcams::parse(&Source::new("input", DEFINE), &jcl::Tokens::default());
    Run::new(&vsam, &|_| false).statements(&parsed.steps[0].statements).await;
    let bytes = CodePage::Ibm037.from_program(b"0001first ");
    let file =
        Load { bytes: &bytes, shape: Shape::Fixed(None), code_page: Some(CodePage::Ibm037), layout: None };
    let name = "A.B".parse().expect("a name");
    assert_eq!(file.into_empty(&vsam, &name).await.expect("loaded"), Some(1));
    assert_eq!(file.into_empty(&vsam, &name).await.expect("left alone"), None);
    let dataset = vsam.dataset(&name).await.expect("a data set");
    let mut unit = vsam.engine().begin(vsam.engine().locks().new_owner());
    let mut record = Vec::new();
    dataset.read(&mut *unit, vsam::Search::equal(b"0001"), &mut record).await.expect("the record");
    assert_eq!(record, b"0001first ");
}
