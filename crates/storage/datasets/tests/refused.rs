//! Commands that are refused: what they say, and that they leave nothing half done.

mod common;

use common::Site;
use datasets::Run;
use expect_test::{Expect, expect};

const DEFINE: &str = "  DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";
const INDEX: &str = "  DEFINE AIX (NAME(A.X) RELATE(A.B) KEYS(6 4) NONUNIQUEKEY)\n\
                    \x20 DEFINE PATH (NAME(A.P) PATHENTRY(A.X))\n";
const FILL: &str = "  REPRO INFILE(IN) OUTDATASET(A.B)\n";

/// Runs commands on a KSDS with three records and an alternate index; only what `commands` do is shown.
async fn check_filled(commands: &str, expected: Expect) {
    let site = Site::new().await;
    site.run(&format!("{DEFINE}{INDEX}{FILL}")).await;
    site.check(commands, expected).await;
}

#[tokio::test]
async fn an_import_that_fails_leaves_nothing() {
    check_filled(
        "  EXPORT A.B OUTFILE(COPY) TEMPORARY\n\
         \x20 IMPORT INFILE(COPY) OUTDATASET(B.B)\n\
         \x20 LISTCAT LEVEL(B)\n",
        expect![[r#"
            IDC0005I records processed: 3
            IDC0594I copy of A.B written
            IDC0001I EXPORT ended, condition code 0
            IDC0001I IMPORT ended, condition code 12
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               TOTAL----------0
            IDC0001I LISTCAT ended, condition code 0
            error[IDC3013I]: A.X is in the catalogue already
             --> input:2:3
              |
            2 |   IMPORT INFILE(COPY) OUTDATASET(B.B)
              |   ^^^^^^
            LASTCC 0 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn intoempty_takes_no_data_set_that_has_records() {
    check_filled(
        "  EXPORT A.B OUTFILE(COPY) TEMPORARY\n\
         \x20 IMPORT INFILE(COPY) OUTDATASET(A.B) INTOEMPTY\n\
         \x20 DEFINE CLUSTER (NAME(B.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n\
         \x20 IMPORT INFILE(COPY) OUTDATASET(B.B) INTOEMPTY\n",
        expect![[r#"
            IDC0005I records processed: 3
            IDC0594I copy of A.B written
            IDC0001I EXPORT ended, condition code 0
            IDC0001I IMPORT ended, condition code 12
            IDC0001I DEFINE ended, condition code 0
            IDC0604I B.B imported; it was exported as A.B
            IDC0005I records processed: 3
            IDC0001I IMPORT ended, condition code 0
            error[IDC3009I]: A.B is not empty
             --> input:2:3
              |
            2 |   IMPORT INFILE(COPY) OUTDATASET(A.B) INTOEMPTY
              |   ^^^^^^
            LASTCC 0 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_has_no_keys_gets_none() {
    let site = Site::new().await;
    site.check(
        "  DEFINE CLUSTER (NAME(A.E) NONINDEXED RECORDSIZE(10 10))\n\
         \x20 ALTER A.E KEYS(4 0)\n",
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0001I ALTER ended, condition code 8
            error[SPDS002]: not possible for this data set: it has no keys
             --> input:2:9
              |
            2 |   ALTER A.E KEYS(4 0)
              |         ^^^
            LASTCC 8 MAXCC 8
        "#]],
    )
    .await;
}

/// A start defines again what is there; but a name that something else has is no such definition.
#[tokio::test]
async fn a_start_takes_an_entry_of_its_own_kind_for_its_own() {
    let site = Site::new().await;
    site.run("  REPRO INFILE(IN) OUTDATASET(A.B)\n").await;
    let group = "  DEFINE GDG (NAME(A.G) LIMIT(2))\n";
    site.run(group).await;
    let mut told = String::new();
    site.run("  DEFINE CLUSTER (NAME(A.C) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n").await;
    let other = "  DEFINE CLUSTER (NAME(A.C) INDEXED KEYS(4 0) RECORDSIZE(10 20))\n";
    for commands in [group, DEFINE, other] {
        let parsed = idcams::parse(&diagnostics::Source::new("start", commands), &jcl::Tokens::default());
        let outcome =
            Run::new(&site.sets, &|_| false).at_start().statements(&parsed.steps[0].statements).await;
        told.extend(outcome.messages.iter().map(|message| format!("{message}\n")));
    }
    expect![[r#"
        error[IDC3013I]: A.B is in the catalogue already
         --> start:1:24
          |
        1 |   DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))
          |                        ^^^
        warning[SPDS007]: A.C is in the catalogue with other attributes, which stay
         --> start:1:24
          |
        1 |   DEFINE CLUSTER (NAME(A.C) INDEXED KEYS(4 0) RECORDSIZE(10 20))
          |                        ^^^
          |
          = help: ALTER changes them where that is possible; after a DELETE it is defined as it stands here
    "#]]
    .assert_eq(&told);
}

/// The message about one record of many has its number, also where they come one by one; duplicates in an
/// alternate index are refused alone, too.
#[tokio::test]
async fn a_record_that_cannot_be_is_told_by_its_number() {
    let site = Site::new().await;
    site.check(
        "  DEFINE CLUSTER (NAME(A.S) INDEXED KEYS(4 0) RECORDSIZE(9 9))\n\
         \x20 REPRO INFILE(IN) OUTDATASET(A.S)\n\
         \x20 REPRO INFILE(IN) OUTDATASET(A.S) COUNT(1)\n\
         \x20 REPRO INFILE(IN) OUTDATASET(A.S)\n\
         \x20 DEFINE CLUSTER (NAME(A.U) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n\
         \x20 DEFINE AIX (NAME(A.V) RELATE(A.U) KEYS(1 0) UNIQUEKEY)\n\
         \x20 REPRO INFILE(IN) OUTDATASET(A.U) COUNT(1)\n\
         \x20 REPRO INFILE(IN) OUTDATASET(A.U) REPLACE\n",
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0001I REPRO ended, condition code 12
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            IDC0001I REPRO ended, condition code 12
            IDC0001I DEFINE ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 8
            error[IDC3302I]: record of 10 bytes, at most 9 allowed: record 2
             --> input:2:3
              |
            2 |   REPRO INFILE(IN) OUTDATASET(A.S)
              |   ^^^^^
            error[IDC3302I]: record of 10 bytes, at most 9 allowed: record 2
             --> input:4:3
              |
            4 |   REPRO INFILE(IN) OUTDATASET(A.S)
              |   ^^^^^
            warning[IDC3308I]: 2 of 3 records are there already, and stay
             --> input:8:3
              |
            8 |   REPRO INFILE(IN) OUTDATASET(A.U) REPLACE
              |   ^^^^^
            LASTCC 8 MAXCC 12
        "#]],
    )
    .await;
}
