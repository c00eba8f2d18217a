//! IDCAMS commands carried out: what they print, and with which codes.

mod common;

use common::{FILE, Site, UNORDERED};
use datasets::{Content, File, Shape, load_empty};
use ebcdic::CodePage;
use expect_test::{Expect, expect};

const DEFINE: &str = "  DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))\n";
const FILL: &str = "  REPRO INFILE(IN) OUTDATASET(A.B)\n";
const INDEX: &str = "  DEFINE AIX (NAME(A.X) RELATE(A.B) KEYS(6 4) NONUNIQUEKEY)\n\
                    \x20 DEFINE PATH (NAME(A.P) PATHENTRY(A.X))\n";

/// Runs commands on empty data sets: the listing, the messages and the codes.
async fn check(commands: &str, expected: Expect) {
    Site::new().await.check(commands, expected).await;
}

/// Runs commands on a KSDS with three records and an alternate index; only what `commands` do is shown.
async fn check_filled(commands: &str, expected: Expect) {
    let site = Site::new().await;
    site.run(&format!("{DEFINE}{INDEX}{FILL}")).await;
    site.check(commands, expected).await;
}

#[tokio::test]
async fn a_file_is_copied_in_the_order_of_its_keys_and_printed() {
    check(
        &format!("{DEFINE}{FILL}  PRINT INDATASET(A.B) CHARACTER\n"),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            KEY OF RECORD - 0001
            0001first 

            KEY OF RECORD - 0002
            0002second

            KEY OF RECORD - 0003
            0003third 

            IDC0005I records processed: 3
            IDC0001I PRINT ended, condition code 0
            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
}

#[tokio::test]
async fn records_are_selected_by_key_number_and_count() {
    check_filled(
        "  PRINT IDS(A.B) CHAR FROMKEY(0002) COUNT(1)\n\
         \x20 PRINT IDS(A.B) HEX SKIP(1) TOKEY(X'30303032')\n\
         \x20 PRINT IDS(A.P) DUMP FROMKEY(t)\n\
         \x20 PRINT INFILE(IN) CHAR SKIP(2)\n\
         \x20 PRINT IDS(A.B) FROMADDRESS(10)\n",
        expect![[r#"
            KEY OF RECORD - 0002
            0002second

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            KEY OF RECORD - 30303032
            303030327365636F6E64

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            KEY OF RECORD - 666972737420
            000000  30303031 66697273 7420                                                    *0001first                       *

            KEY OF RECORD - 7365636F6E64
            000000  30303032 7365636F 6E64                                                    *0002second                      *

            KEY OF RECORD - 746869726420
            000000  30303033 74686972 6420                                                    *0003third                       *

            IDC0005I records processed: 3
            IDC0001I PRINT ended, condition code 0
            RECORD SEQUENCE NUMBER - 3
            0003third

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            IDC0001I PRINT ended, condition code 12
            error[IDC3302I]: addresses select records of an ESDS only
             --> input:5:3
              |
            5 |   PRINT IDS(A.B) FROMADDRESS(10)
              |   ^^^^^
            LASTCC 12 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn addresses_select_records_of_an_esds_and_numbers_those_of_an_rrds() {
    check(
        "  DEFINE CLUSTER (NAME(A.E) NONINDEXED RECORDSIZE(10 10))\n\
         \x20 DEFINE CLUSTER (NAME(A.R) NUMBERED RECORDSIZE(10 10))\n\
         \x20 REPRO INFILE(IN) ODS(A.E)\n\
         \x20 REPRO INFILE(IN) ODS(A.R)\n\
         \x20 PRINT IDS(A.E) CHAR FROMADDRESS(10) TOADDRESS(19)\n\
         \x20 PRINT IDS(A.R) CHAR FROMNUMBER(3)\n\
         \x20 DEFINE CLUSTER (NAME(A.S) NUMBERED RECORDSIZE(10 10))\n\
         \x20 REPRO IDS(A.R) ODS(A.S) FROMNUMBER(3)\n\
         \x20 PRINT IDS(A.S) CHAR\n",
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            RBA OF RECORD - 10
            0002second

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            RELATIVE RECORD NUMBER - 3
            0003third 

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            RELATIVE RECORD NUMBER - 3
            0003third 

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_second_copy_is_refused_record_by_record_unless_it_replaces() {
    check(
        &format!("{DEFINE}{FILL}{FILL}  REPRO INFILE(IN) OUTDATASET(A.B) REPLACE\n"),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 0
            IDC0001I REPRO ended, condition code 8
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            warning[IDC3308I]: 3 of 3 records are there already, and stay
             --> input:3:3
              |
            3 |   REPRO INFILE(IN) OUTDATASET(A.B)
              |   ^^^^^
            LASTCC 0 MAXCC 8
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_empty_data_set_is_filled_in_ascending_order_or_not_at_all() {
    check(
        &format!("{DEFINE}  REPRO INFILE(BACK) OUTDATASET(A.B)\n  PRINT IDS(A.B)\n"),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0001I REPRO ended, condition code 12
            IDC0005I records processed: 0
            IDC0001I PRINT ended, condition code 0
            error[IDC3314I]: record 2 is not in ascending key order
             --> input:2:3
              |
            2 |   REPRO INFILE(BACK) OUTDATASET(A.B)
              |   ^^^^^
            LASTCC 0 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_data_set_goes_to_a_file_and_to_a_sequential_data_set() {
    let site = Site::new().await;
    site.run(&format!("{DEFINE}{FILL}")).await;
    site.check(
        "  REPRO IDS(A.B) OUTFILE(OUT) COUNT(2)\n\
         \x20 REPRO IDS(A.B) ODS(A.SEQ)\n\
         \x20 PRINT IDS(A.SEQ) CHAR\n\
         \x20 LISTCAT ENT(A.SEQ)\n",
        expect![[r#"
            IDC0005I records processed: 2
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            RECORD SEQUENCE NUMBER - 1
            0001first 

            RECORD SEQUENCE NUMBER - 2
            0002second

            RECORD SEQUENCE NUMBER - 3
            0003third 

            IDC0005I records processed: 3
            IDC0001I PRINT ended, condition code 0
            NONVSAM ------- A.SEQ
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               NONVSAM--------1
                               TOTAL----------1
            IDC0001I LISTCAT ended, condition code 0
            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
    assert_eq!(site.written("OUT"), b"0001first\n0002second\n");
}

#[tokio::test]
async fn conditions_decide_by_the_codes_before() {
    check(
        &format!(
            "  DELETE A.B\n\
             \x20 IF LASTCC > 4 THEN SET MAXCC = 0\n\
             {DEFINE}\
             \x20 IF MAXCC = 0 THEN DO\n\
             \x20   LISTCAT ENTRIES(A.B)\n\
             \x20 END\n\
             \x20 ELSE DELETE A.B\n\
             {DEFINE}\
             \x20 SET LASTCC = 3\n\
             \x20 IF LASTCC NE 3 THEN DELETE A.B\n"
        ),
        expect![[r#"
            IDC0001I DELETE ended, condition code 8
            IDC0001I DEFINE ended, condition code 0
            CLUSTER ------- A.B
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               CLUSTER--------1
                               TOTAL----------1
            IDC0001I LISTCAT ended, condition code 0
            IDC0001I DEFINE ended, condition code 12
            error[IDC3012I]: A.B is not in the catalogue
             --> input:1:10
              |
            1 |   DELETE A.B
              |          ^^^
            error[IDC3013I]: A.B is in the catalogue already
             --> input:8:24
              |
            8 |   DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 10))
              |                        ^^^
            LASTCC 3 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn the_catalogue_is_listed_with_all_attributes() {
    let site = Site::new().await;
    site.run(&format!(
        "  DEFINE CLUSTER (NAME(A.B) INDEXED KEYS(4 0) RECORDSIZE(10 20) SHR(2 3) FREESPACE(10 20) REUSE) -\n\
         \x20   DATA (NAME(A.B.D) CISZ(4096)) INDEX (NAME(A.B.I))\n\
         {INDEX}{FILL}\
         \x20 DEFINE GDG (NAME(A.G) LIMIT(3) SCRATCH)\n\
         \x20 DEFINE ALIAS (NAME(Z.Z) RELATE(A.B))\n\
         \x20 DEFINE NONVSAM (NAME(A.N) DEVT(3390) VOL(ANY))\n"
    ))
    .await;
    site.check(
        "  LISTCAT LEVEL(A) ALL\n  LISTCAT ENT(A.B.*)\n  LISTCAT ENT(Z.Z) ALL\n  LISTCAT AIX NAME\n",
        expect![[r#"
            CLUSTER ------- A.B
                 ASSOCIATIONS
                   DATA-----A.B.D
                   INDEX----A.B.I
                   AIX------A.X
               DATA ------- A.B.D
                 ATTRIBUTES
                   KEYLEN-----------------4     RKP--------------------0     AVGLRECL--------------10     MAXLRECL--------------20
                   INDEXED                      REUSE                        LOG(NONE)                    SHROPTNS(2,3)
                   NOERASE                      CISIZE--------------4096
                 STATISTICS
                   REC-TOTAL--------------3     BYTES-----------------60     FREESPACE-%CI---------10     FREESPACE-%CA---------20
               INDEX ------ A.B.I
            GDG BASE ------ A.G
                 ATTRIBUTES
                   LIMIT------------------3     SCRATCH                      NOEMPTY
            NONVSAM ------- A.N
            PATH ---------- A.P
                 ASSOCIATIONS
                   AIX------A.X
                 ATTRIBUTES
                   UPDATE
            AIX ----------- A.X
                 ASSOCIATIONS
                   DATA-----A.X.DATA
                   INDEX----A.X.INDEX
                   CLUSTER--A.B
                   PATH-----A.P
               DATA ------- A.X.DATA
                 ATTRIBUTES
                   KEYLEN-----------------6     AXRKP------------------4     NONUNIQUE                    UPGRADE
                   SHROPTNS(1,3)                NOERASE
                 STATISTICS
                   REC-TOTAL--------------3     BYTES-----------------12     FREESPACE-%CI----------0     FREESPACE-%CA----------0
               INDEX ------ A.X.INDEX
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               AIX------------1
                               CLUSTER--------1
                               GDG BASE-------1
                               NONVSAM--------1
                               PATH-----------1
                               TOTAL----------5
            IDC0001I LISTCAT ended, condition code 0
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               TOTAL----------0
            IDC0001I LISTCAT ended, condition code 4
            ALIAS --------- Z.Z
                 ASSOCIATIONS
                   ENTRY----A.B
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               ALIAS----------1
                               TOTAL----------1
            IDC0001I LISTCAT ended, condition code 0
            AIX ----------- A.X
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               AIX------------1
                               TOTAL----------1
            IDC0001I LISTCAT ended, condition code 0
            warning[IDC3012I]: A.B.* is not in the catalogue
             --> input:2:15
              |
            2 |   LISTCAT ENT(A.B.*)
              |               ^^^^^
            LASTCC 0 MAXCC 4
        "#]],
    )
    .await;
}

#[tokio::test]
async fn attributes_are_altered_and_what_decides_keys_only_while_there_are_no_records() {
    check(
        &format!(
            "{DEFINE}{INDEX}\
             \x20 ALTER A.B KEYS(3 0) RECORDSIZE(8 12) ADDVOLUMES(X)\n\
             \x20 ALTER A.B KEYS(4 0) RECORDSIZE(10 10)\n\
             {FILL}\
             \x20 ALTER A.B KEYS(3 0)\n\
             \x20 ALTER A.B SHAREOPTIONS(4 3) FREESPACE(5 6)\n\
             \x20 ALTER A.X NOUPGRADE\n\
             \x20 ALTER A.P NOUPDATE\n\
             \x20 ALTER A.B NEWNAME(A.C)\n\
             \x20 ALTER A.B NEWNAME(A.C)\n\
             \x20 LISTCAT LEVEL(A) ALL\n"
        ),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0531I A.B: volumes mean nothing here
            IDC0531I entry A.B altered
            IDC0001I ALTER ended, condition code 0
            IDC0531I entry A.B altered
            IDC0001I ALTER ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            IDC0001I ALTER ended, condition code 8
            IDC0531I entry A.B altered
            IDC0001I ALTER ended, condition code 0
            IDC0531I entry A.X altered
            IDC0001I ALTER ended, condition code 0
            IDC0531I entry A.P altered
            IDC0001I ALTER ended, condition code 0
            IDC0531I entry A.B altered
            IDC0001I ALTER ended, condition code 0
            IDC0001I ALTER ended, condition code 8
            CLUSTER ------- A.C
                 ASSOCIATIONS
                   DATA-----A.C.DATA
                   INDEX----A.C.INDEX
                   AIX------A.X
               DATA ------- A.C.DATA
                 ATTRIBUTES
                   KEYLEN-----------------4     RKP--------------------0     AVGLRECL--------------10     MAXLRECL--------------10
                   INDEXED                      NOREUSE                      LOG(NONE)                    SHROPTNS(4,3)
                   NOERASE
                 STATISTICS
                   REC-TOTAL--------------3     BYTES-----------------30     FREESPACE-%CI----------5     FREESPACE-%CA----------6
               INDEX ------ A.C.INDEX
            PATH ---------- A.P
                 ASSOCIATIONS
                   AIX------A.X
                 ATTRIBUTES
                   NOUPDATE
            AIX ----------- A.X
                 ASSOCIATIONS
                   DATA-----A.X.DATA
                   INDEX----A.X.INDEX
                   CLUSTER--A.C
                   PATH-----A.P
               DATA ------- A.X.DATA
                 ATTRIBUTES
                   KEYLEN-----------------6     AXRKP------------------4     NONUNIQUE                    NOUPGRADE
                   SHROPTNS(1,3)                NOERASE
                 STATISTICS
                   REC-TOTAL--------------3     BYTES-----------------12     FREESPACE-%CI----------0     FREESPACE-%CA----------0
               INDEX ------ A.X.INDEX
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               AIX------------1
                               CLUSTER--------1
                               PATH-----------1
                               TOTAL----------3
            IDC0001I LISTCAT ended, condition code 0
            error[IDC3009I]: A.B is not empty
             --> input:7:9
              |
            7 |   ALTER A.B KEYS(3 0)
              |         ^^^
            error[IDC3013I]: A.C is in the catalogue already
              --> input:12:9
               |
            12 |   ALTER A.B NEWNAME(A.C)
               |         ^^^
            LASTCC 0 MAXCC 8
        "#]],
    )
    .await;
}

#[tokio::test]
async fn what_belongs_to_a_cluster_is_deleted_with_it_and_a_kind_must_be_right() {
    check_filled(
        "  DELETE A.X CLUSTER\n  DELETE A.P PATH\n  DELETE A.*\n  DELETE A.*\n  DELETE A.B CLUSTER\n",
        expect![[r#"
            IDC0001I DELETE ended, condition code 8
            IDC0550I entry (R) A.P deleted
            IDC0001I DELETE ended, condition code 0
            IDC0550I entry (G) A.X deleted
            IDC0550I entry (C) A.B deleted
            IDC0001I DELETE ended, condition code 0
            IDC0001I DELETE ended, condition code 4
            IDC0001I DELETE ended, condition code 8
            error[IDC3009I]: A.X is not a cluster
             --> input:1:10
              |
            1 |   DELETE A.X CLUSTER
              |          ^^^
            warning[IDC3012I]: A.* fits no entry
             --> input:4:10
              |
            4 |   DELETE A.*
              |          ^^^
            error[IDC3012I]: A.B is not in the catalogue
             --> input:5:10
              |
            5 |   DELETE A.B CLUSTER
              |          ^^^
            LASTCC 8 MAXCC 8
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_sound_data_set_is_examined() {
    check_filled(
        "  EXAMINE NAME(A.B) INDEXTEST DATATEST\n  VERIFY DATASET(A.B)\n",
        expect![[r#"
            IDC01700I index test begins
            IDC01724I index test ended, no errors
            IDC01701I data test begins
            IDC01710I records: 3
            IDC01712I longest record: 10 bytes
            IDC01709I data test ended, no errors
            IDC0001I EXAMINE ended, condition code 0
            IDC01710I records: 3
            IDC01712I longest record: 10 bytes
            IDC0001I VERIFY ended, condition code 0
            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
}

#[tokio::test]
async fn an_index_that_is_not_kept_is_built_again() {
    check_filled(
        "  ALTER A.X NOUPGRADE\n\
         \x20 REPRO INFILE(MORE) ODS(A.B)\n\
         \x20 ALTER A.X UPGRADE\n\
         \x20 EXAMINE NAME(A.B) ITEST DTEST\n\
         \x20 BLDINDEX IDS(A.B) ODS(A.P)\n\
         \x20 EXAMINE NAME(A.B) ITEST DTEST\n",
        expect![[r#"
            IDC0531I entry A.X altered
            IDC0001I ALTER ended, condition code 0
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            IDC0531I entry A.X altered
            IDC0001I ALTER ended, condition code 0
            IDC01700I index test begins
            IDC01724I index test ended, no errors
            IDC01701I data test begins
            IDC01723I A.X: 4 records have its key, 3 have an entry
            IDC01710I records: 4
            IDC01712I longest record: 10 bytes
            IDC0001I EXAMINE ended, condition code 8
            IDC0652I A.X built
            IDC0001I BLDINDEX ended, condition code 0
            IDC01700I index test begins
            IDC01724I index test ended, no errors
            IDC01701I data test begins
            IDC01710I records: 4
            IDC01712I longest record: 10 bytes
            IDC01709I data test ended, no errors
            IDC0001I EXAMINE ended, condition code 0
            LASTCC 0 MAXCC 8
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_data_set_goes_away_and_comes_back_with_its_indexes() {
    check_filled(
        "  EXPORT A.B OUTFILE(COPY) TEMPORARY\n\
         \x20 IMPORT INFILE(COPY) OUTDATASET(B.B) OBJECTS((A.X NEWNAME(B.X)) (A.P NEWNAME(B.P)))\n\
         \x20 PRINT IDS(B.P) CHAR COUNT(1)\n\
         \x20 EXPORT A.B OUTFILE(COPY)\n\
         \x20 IMPORT INFILE(COPY)\n\
         \x20 IMPORT INFILE(COPY)\n\
         \x20 IMPORT INFILE(IN)\n\
         \x20 LISTCAT\n",
        expect![[r#"
            IDC0005I records processed: 3
            IDC0594I copy of A.B written
            IDC0001I EXPORT ended, condition code 0
            IDC0604I B.B imported; it was exported as A.B
            IDC0005I records processed: 3
            IDC0001I IMPORT ended, condition code 0
            KEY OF RECORD - first 
            0001first 

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            IDC0005I records processed: 3
            IDC0594I copy of A.B written
            IDC0550I entry A.P deleted
            IDC0550I entry A.X deleted
            IDC0550I entry A.B deleted
            IDC0001I EXPORT ended, condition code 0
            IDC0604I A.B imported; it was exported as A.B
            IDC0005I records processed: 3
            IDC0001I IMPORT ended, condition code 0
            IDC0001I IMPORT ended, condition code 12
            IDC0001I IMPORT ended, condition code 12
            CLUSTER ------- A.B
            PATH ---------- A.P
            AIX ----------- A.X
            CLUSTER ------- B.B
            PATH ---------- B.P
            AIX ----------- B.X
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               AIX------------2
                               CLUSTER--------2
                               PATH-----------2
                               TOTAL----------6
            IDC0001I LISTCAT ended, condition code 0
            error[IDC3013I]: A.B is in the catalogue already
             --> input:6:3
              |
            6 |   IMPORT INFILE(COPY)
              |   ^^^^^^
            error[SPDS006]: a copy is a file or a sequential data set
             --> input:7:3
              |
            7 |   IMPORT INFILE(IN)
              |   ^^^^^^
            LASTCC 0 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn generations_come_and_the_oldest_goes() {
    check(
        &format!(
            "{DEFINE}{FILL}\
             \x20 DEFINE GDG (NAME(A.G) LIMIT(2) SCRATCH)\n\
             \x20 REPRO IDS(A.B) ODS(A.G(+1)) COUNT(1)\n\
             \x20 REPRO IDS(A.B) ODS(A.G(+2)) COUNT(2)\n\
             \x20 REPRO IDS(A.B) ODS(A.G(+3))\n\
             \x20 PRINT IDS(A.G(+2)) CHAR\n\
             \x20 PRINT IDS(A.G(0)) CHAR\n\
             \x20 LISTCAT ENT(A.G) ALL\n\
             \x20 DELETE A.G GDG\n\
             \x20 DELETE A.G GDG FORCE\n"
        ),
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 1
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 2
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 3
            IDC0001I REPRO ended, condition code 0
            RECORD SEQUENCE NUMBER - 1
            0001first 

            RECORD SEQUENCE NUMBER - 2
            0002second

            IDC0005I records processed: 2
            IDC0001I PRINT ended, condition code 0
            IDC0001I PRINT ended, condition code 12
            GDG BASE ------ A.G
                 ASSOCIATIONS
                   NONVSAM--A.G.G0002V00
                   NONVSAM--A.G.G0003V00
                 ATTRIBUTES
                   LIMIT------------------2     SCRATCH                      NOEMPTY
                    THE NUMBER OF ENTRIES PROCESSED WAS:
                               GDG BASE-------1
                               TOTAL----------1
            IDC0001I LISTCAT ended, condition code 0
            IDC0001I DELETE ended, condition code 8
            IDC0550I entry (A) A.G.G0002V00 deleted
            IDC0550I entry (A) A.G.G0003V00 deleted
            IDC0550I entry (B) A.G deleted
            IDC0001I DELETE ended, condition code 0
            error[SPDS003]: A.G(0) leads to no data set here
             --> input:8:3
              |
            8 |   PRINT IDS(A.G(0)) CHAR
              |   ^^^^^
              |
              = help: name it by INDATASET or OUTDATASET, or give the ddname a file or a data set
            error[IDC3009I]: A.G is not empty
              --> input:10:10
               |
            10 |   DELETE A.G GDG
               |          ^^^
            LASTCC 0 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_job_counts_generations_from_where_it_found_them() {
    let site = Site::new().await;
    site.run(&format!("{DEFINE}{FILL}  DEFINE GDG (NAME(A.G) LIMIT(5) NOSCRATCH)\n")).await;
    site.run("  REPRO IDS(A.B) ODS(A.G(+1)) COUNT(1)\n").await;
    site.run("  REPRO IDS(A.B) ODS(A.G(+1)) COUNT(2)\n").await;
    site.check(
        "  PRINT IDS(A.G(-1)) CHAR\n  PRINT IDS(A.G(-2)) CHAR\n",
        expect![[r#"
            RECORD SEQUENCE NUMBER - 1
            0001first 

            IDC0005I records processed: 1
            IDC0001I PRINT ended, condition code 0
            IDC0001I PRINT ended, condition code 12
            error[SPDS003]: A.G(-2) leads to no data set here
             --> input:2:3
              |
            2 |   PRINT IDS(A.G(-2)) CHAR
              |   ^^^^^
              |
              = help: name it by INDATASET or OUTDATASET, or give the ddname a file or a data set
            LASTCC 12 MAXCC 12
        "#]],
    )
    .await;
}

#[tokio::test]
async fn records_of_varying_length_keep_it_in_files() {
    check(
        "  DEFINE CLUSTER (NAME(A.V) INDEXED KEYS(2 0) RECORDSIZE(5 20))\n\
         \x20 REPRO INFILE(VARIABLE) ODS(A.V)\n\
         \x20 REPRO IDS(A.V) ODS(A.SEQ)\n\
         \x20 PRINT IDS(A.SEQ) CHAR\n",
        expect![[r#"
            IDC0001I DEFINE ended, condition code 0
            IDC0005I records processed: 2
            IDC0001I REPRO ended, condition code 0
            IDC0005I records processed: 2
            IDC0001I REPRO ended, condition code 0
            RECORD SEQUENCE NUMBER - 1
            01a

            RECORD SEQUENCE NUMBER - 2
            02bcde

            IDC0005I records processed: 2
            IDC0001I PRINT ended, condition code 0
            LASTCC 0 MAXCC 0
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_file_in_ebcdic_and_out_of_order_fills_an_empty_data_set() {
    let site = Site::new().await;
    site.run(DEFINE).await;
    let records: Vec<u8> = UNORDERED.iter().copied().filter(|byte| *byte != b'\n').collect();
    let file = File {
        content: Content::Given(CodePage::Ibm037.from_program(&records)),
        shape: Shape::Fixed(None),
        code_page: Some(CodePage::Ibm037),
        layout: None,
        extends: false,
    };
    let name = "A.B".parse().expect("a name");
    let loaded = load_empty(&site.sets.vsam, &name, &file, &mut |_| {}).await.expect("loaded");
    assert_eq!(loaded, Some(3));
    let again = load_empty(&site.sets.vsam, &name, &file, &mut |_| {}).await.expect("left alone");
    assert_eq!(again, None);
    site.run("  REPRO IDS(A.B) OUTFILE(OUT)\n").await;
    assert_eq!(site.written("OUT"), FILE);
}
