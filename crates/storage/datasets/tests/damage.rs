//! Data sets on a disk that has lost something.

mod common;

use common::Site;
use expect_test::expect;

/// A data set of many records.
const DEFINE: &str = "  DEFINE CLUSTER(NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(76 76))\n\
                      \x20 REPRO INFILE(MANY) ODS(A.B)\n";

/// A data set with a record of which a bit is another.
async fn damaged() -> Site {
    let site = Site::new().await;
    let outcome = site.run(DEFINE).await;
    assert_eq!(outcome.max, 0, "{:?}", outcome.messages);
    let folder = site.close();
    let path = folder.path().join("data/base/data.mdb");
    let mut base = std::fs::read(&path).expect("the base");
    let record = format!("0250{:072}", 250).into_bytes();
    let places: Vec<_> = (0..base.len()).filter(|at| base[*at..].starts_with(&record)).collect();
    places.into_iter().for_each(|at| base[at + 5] ^= 1);
    std::fs::write(path, base).expect("written");
    Site::in_folder(folder).await
}

#[tokio::test]
async fn verify_and_examine_say_what_is_damaged_and_export_refuses() {
    let site = damaged().await;
    site.check(
        "  VERIFY DATASET(A.B)\n\
         \x20 EXAMINE NAME(A.B) INDEXTEST DATATEST\n\
         \x20 EXPORT A.B OUTFILE(COPY) TEMPORARY\n",
        expect![[r#"
            IDC01723I A.B: 459 of 500 records can be read
            IDC01723I A.B: corrupt: page 9 of base/data.mdb is not what was written; VERIFY and EXAMINE say what can be read, docs/backup.md what to do
            IDC01710I records: 459
            IDC01712I longest record: 0 bytes
            IDC0001I VERIFY ended, condition code 8
            IDC01700I index test begins
            IDC01723I A.B: 459 of 500 records can be read
            IDC01723I A.B: corrupt: page 9 of base/data.mdb is not what was written; VERIFY and EXAMINE say what can be read, docs/backup.md what to do
            IDC01701I data test begins
            IDC01723I A.B: 459 of 500 records can be read
            IDC01723I A.B: corrupt: page 9 of base/data.mdb is not what was written; VERIFY and EXAMINE say what can be read, docs/backup.md what to do
            IDC01710I records: 459
            IDC01712I longest record: 0 bytes
            IDC0001I EXAMINE ended, condition code 8
            IDC01723I A.B: 459 of 500 records can be read
            IDC01723I A.B: corrupt: page 9 of base/data.mdb is not what was written; VERIFY and EXAMINE say what can be read, docs/backup.md what to do
            IDC0001I EXPORT ended, condition code 12
            error[IDC01723I]: A.B is damaged: nothing was exported
             --> input:3:10
              |
            3 |   EXPORT A.B OUTFILE(COPY) TEMPORARY
              |          ^^^
            LASTCC 12 MAXCC 12
        "#]],
    )
    .await;
    assert!(!site.exists("COPY"));
}
