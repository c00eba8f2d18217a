//! Mistakes that people write, and the messages of `syncpoint check`: a place, the cause, the cure.
//!
//! Each row changes one text of a small application that is in order. Below it are the messages: path, line and column,
//! what is wrong, a label for the place, what to do.

use std::fs;
use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};

const REGION: &str = "\
applid = \"SHOP\"
csd = \"shop.csd\"
[sit]
MXT = 50
[[load]]
dataset = \"SHOP.ITEMS\"
file = \"items.txt\"
";

const CSD: &str = "\
DEFINE TRANSACTION(SHOW) GROUP(SHOP) PROGRAM(SHOWP)
DEFINE PROGRAM(SHOWP) GROUP(SHOP)
DEFINE MAPSET(SHOWS) GROUP(SHOP)
DEFINE FILE(ITEMS) GROUP(SHOP) DSNAME(SHOP.ITEMS) READ(YES)
";

const IDCAMS: &str = "\
 DEFINE CLUSTER (NAME(SHOP.ITEMS) -
        INDEXED KEYS(4 0) RECORDSIZE(20 20))
";

const MAP: &str = "\
SHOWS    DFHMSD TYPE=MAP,MODE=INOUT,LANG=COBOL,TIOAPFX=YES
SHOWM    DFHMDI SIZE=(24,80)
ITEM     DFHMDF POS=(1,1),LENGTH=4,ATTRB=(UNPROT,IC)
TEXT     DFHMDF POS=(2,1),LENGTH=16
         DFHMSD TYPE=FINAL
";

const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SHOWP.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 REC PIC X(20).
       COPY SHOWS.
       PROCEDURE DIVISION.
           MOVE LOW-VALUES TO SHOWMO.
           EXEC CICS READ FILE('ITEMS') INTO(REC) RIDFLD(ITEMI)
           END-EXEC.
           MOVE REC TO TEXTO.
           EXEC CICS SEND MAP('SHOWM') MAPSET('SHOWS') ERASE END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

const USERS: &str = "[[user]]\nuserid = \"ANN\"\nrights = [\"run\"]\n";

const FILES: [(&str, &str); 7] = [
    ("region.toml", REGION),
    ("shop.csd", CSD),
    ("shop.idcams", IDCAMS),
    ("SHOWS.bms", MAP),
    ("SHOWP.cbl", PROGRAM),
    ("items.txt", "0001APPLES\n0002PEARS\n"),
    ("users.toml", USERS),
];

/// Returns the messages of `check` about the application with one text in place of another in a file.
fn said(file: &str, before: &str, after: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in FILES {
        let text = if name == file { changed(text, before, after) } else { text.to_owned() };
        fs::write(folder.path().join(name), text).expect("written");
    }
    let programs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes");
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncpoint"));
    command.args(["check", "--format", "json", "--data"]).arg(programs).current_dir(folder.path());
    let output = command.output().expect("it ends");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let messages = found["messages"].as_array().expect("a list").iter();
    messages.map(|message| format!("  {}\n", line(message))).collect()
}

fn changed(text: &str, before: &str, after: &str) -> String {
    assert!(text.contains(before), "nothing to change: {before}");
    text.replacen(before, after, 1)
}

fn line(message: &serde_json::Value) -> String {
    let word = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
    let place = &message["place"];
    let place = match place["path"].as_str() {
        Some(path) => format!("{path}:{}:{}", place["line"], place["column"]),
        None => "-".to_owned(),
    };
    let parts = [word("message"), word("label"), word("help")];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{} {place} {}", word("severity"), parts.join(" | "))
}

fn check(file: &str, mistakes: &[(&str, &str)], expected: Expect) {
    let shown = |text: &str| text.replace('\n', "⏎").replace('\t', "→");
    let told: String = mistakes
        .iter()
        .map(|(before, after)| format!("{} → {}\n{}", shown(before), shown(after), said(file, before, after)))
        .collect();
    expected.assert_eq(&told);
}

#[test]
fn what_is_in_order_is_not_complained_of() {
    assert_eq!(said("region.toml", "50", "60"), "");
}

#[test]
fn in_the_region_file() {
    check(
        "region.toml",
        &[
            ("applid", "aplid"),
            ("\"SHOP\"", "SHOP"),
            ("MXT = 50", "MXT = 5000"),
            ("[sit]", "[sits]"),
            ("shop.csd", "shops.csd"),
            ("csd = ", "grplist = \"SHOPS\"\ncsd = "),
            ("SHOP.ITEMS", "SHOP.ITEM"),
            ("items.txt", "item.txt"),
            ("file = ", "format = \"fixd\"\nfile = "),
            ("csd = ", "programs = \"src\"\ncsd = "),
        ],
        expect![[r#"
            applid → aplid
              error region.toml:1:1 `aplid` is not a key | did you mean `applid`?
            "SHOP" → SHOP
              error region.toml:1:10 this is not TOML: string values must be quoted, expected literal string | texts stand in quotation marks: key = "text"
            MXT = 50 → MXT = 5000
              error region.toml:4:7 `MXT` takes a number from 1 to 2000 | out of bounds
            [sit] → [sits]
              error region.toml:3:2 `sits` is not a key | did you mean `sit`?
            shop.csd → shops.csd
              error region.toml:2:7 `shops.csd` is not there | nothing has this name | paths are relative to the folder of this file
            csd =  → grplist = "SHOPS"⏎csd = 
              error region.toml:2:11 the CSD texts have no list or group SHOPS | did you mean SHOP?
            SHOP.ITEMS → SHOP.ITEM
              error region.toml:6:11 SHOP.ITEM cannot be loaded: SHOP.ITEM is not in the catalogue | define it in an IDCAMS input (`idcams` in region.toml), or correct the name
            items.txt → item.txt
              error region.toml:7:8 item.txt cannot be read: No such file or directory (os error 2) | paths are relative to the folder of region.toml
            file =  → format = "fixd"⏎file = 
              error region.toml:7:10 `format` takes one of lines, fixed | did you mean "fixed"?
            csd =  → programs = "src"⏎csd = 
              error region.toml:2:12 `src` is not there | nothing has this name | paths are relative to the folder of this file
        "#]],
    );
}

#[test]
fn in_definitions() {
    check(
        "shop.csd",
        &[
            ("PROGRAM(SHOWP)", "PROGRAM(SHOWQ)"),
            ("DEFINE PROGRAM(SHOWP)", "DEFINE PROGRAM(SHOWX)"),
            ("MAPSET(SHOWS)", "MAPSET(SHOWT)"),
            ("DSNAME(SHOP.ITEMS)", "DSNAME(SHOP.ITEM)"),
            ("READ(YES)", "READ(JA)"),
            ("READ(YES)", "REED(YES)"),
            ("TRANSACTION(SHOW)", "TRANSACTION(SHOWS)"),
            ("DEFINE MAPSET", "DEFIN MAPSET"),
            ("READ(YES)", "READ(YES"),
            (
                "PROGRAM(SHOWP)\n",
                "PROGRAM(SHOWP) RESSEC(YES) PROFILE(MINE)\nDEFINE PROCESSTYPE(U) GROUP(SHOP) STATUS(ON)\n",
            ),
        ],
        expect![[r#"
            PROGRAM(SHOWP) → PROGRAM(SHOWQ)
              warning shop.csd:1:1 transaction SHOW starts SHOWQ, which is not defined | ends with abend APCT when a user starts it | add DEFINE PROGRAM(SHOWQ) to a group that is installed; with PGAIPGM = "ACTIVE" in [sit] programs need no definition
            DEFINE PROGRAM(SHOWP) → DEFINE PROGRAM(SHOWX)
              warning shop.csd:1:1 transaction SHOW starts SHOWP, which is not defined | ends with abend APCT when a user starts it | add DEFINE PROGRAM(SHOWP) to a group that is installed; with PGAIPGM = "ACTIVE" in [sit] programs need no definition
              warning shop.csd:2:1 program SHOWX has no source | LINK to it raises PGMIDERR, a transaction ends with abend APCT | put SHOWX.cbl into a folder of `programs` in region.toml, or delete the definition
            MAPSET(SHOWS) → MAPSET(SHOWT)
              warning shop.csd:3:1 mapset SHOWT has no source | a program that sends one of its maps ends with abend ABM0 | put SHOWT.bms into a folder of `maps` in region.toml, or delete the definition
            DSNAME(SHOP.ITEMS) → DSNAME(SHOP.ITEM)
              warning shop.csd:4:39 file ITEMS is of SHOP.ITEM, which is not in the catalogue | a request raises NOTOPEN | define it in an IDCAMS input (`idcams` in region.toml): DEFINE CLUSTER (NAME(…) …)
            READ(YES) → READ(JA)
              error shop.csd:4:56 READ cannot be JA | legal values: YES, NO
            READ(YES) → REED(YES)
              warning shop.csd:4:51 REED is not an attribute of FILE | did you mean READ? It is ignored as it stands
            TRANSACTION(SHOW) → TRANSACTION(SHOWS)
              error shop.csd:1:20 TRANSACTION name SHOWS is longer than 4 characters | a name has 1 to 4 characters and no blanks
            DEFINE MAPSET → DEFIN MAPSET
            READ(YES) → READ(YES
              error shop.csd:4:55 this parenthesis is never closed | opened here | close it after the value; put a value that holds parentheses in quotes
            PROGRAM(SHOWP)⏎ → PROGRAM(SHOWP) RESSEC(YES) PROFILE(MINE)⏎DEFINE PROCESSTYPE(U) GROUP(SHOP) STATUS(ON)⏎
              warning shop.csd:2:42 STATUS cannot be ON | legal values: ENABLED, DISABLED
              warning shop.csd:1:73 PROFILE MINE of transaction SHOW is not defined | the defaults of a profile hold | add DEFINE PROFILE(MINE) to a group that is installed
              warning shop.csd:2:1 PROCESSTYPE U is not installed | this region has no such resources | there are no business transaction services
        "#]],
    );
}

#[test]
fn in_data_sets_and_data() {
    check(
        "shop.idcams",
        &[
            ("KEYS(4 0)", "KEYS(40 0)"),
            ("INDEXED ", ""),
            ("SHOP.ITEMS", "SHOP.ITEMS.TOO-LONG-NAME"),
            ("RECORDSIZE(20 20)", "RECORDSIZE(20 10)"),
            ("20 20))", "20 20)"),
        ],
        expect![[r#"
            KEYS(4 0) → KEYS(40 0)
              error shop.idcams:1:22 the key of SHOP.ITEMS goes beyond its records of 20 bytes | KEYS gives the length first, then the offset
            INDEXED  → 
            SHOP.ITEMS → SHOP.ITEMS.TOO-LONG-NAME
              error shop.idcams:1:22 SHOP.ITEMS.TOO-LONG-NAME is not the name of a data set | each qualifier of a name has 1 to 8 characters
            RECORDSIZE(20 20) → RECORDSIZE(20 10)
              error shop.idcams:2:27 records cannot have 20 bytes on average and 10 at most | RECORDSIZE gives the average first, then the maximum
            20 20)) → 20 20)
              error shop.idcams:2:43 the command ends here with an open parenthesis | read on as if a hyphen stood here | end the line with a hyphen, or close the parenthesis
        "#]],
    );
    check(
        "items.txt",
        &[("APPLES", "APPLES AND ORANGES AND PLUMS"), ("0002", "0001")],
        expect![[r#"
            APPLES → APPLES AND ORANGES AND PLUMS
              error region.toml:7:8 items.txt does not fit SHOP.ITEMS: record of 32 bytes, at most 20 allowed: record 1 | RECORDSIZE and KEYS of the data set, and `format`, `length` and `code-page` here, say what a record is
            0002 → 0001
              error region.toml:7:8 items.txt has two records of one key for SHOP.ITEMS | KEYS of the data set says where in a record the key is
        "#]],
    );
}

#[test]
fn in_maps() {
    check(
        "SHOWS.bms",
        &[
            ("LENGTH=16", "LENGHT=16"),
            ("POS=(2,1)", "POS=(2,81)"),
            ("POS=(2,1)", "POS=(1,3)"),
            ("UNPROT,IC", "UNPROTECTED,IC"),
            ("LENGTH=4,ATTRB", "LENGTH=4,\n               ATTRB"),
            ("TEXT     DFHMDF", "ITEM     DFHMDF"),
            ("         DFHMSD TYPE=FINAL\n", ""),
        ],
        expect![[r#"
            LENGTH=16 → LENGHT=16
              error SHOWS.bms:4:27 LENGHT is not an operand of DFHMDF | unknown operand | did you mean LENGTH?
            POS=(2,1) → POS=(2,81)
              error SHOWS.bms:4:21 the field lies outside its map | starts or ends beyond the map | the map has 24 lines of 80 columns: move or shorten the field, or enlarge SIZE
            POS=(2,1) → POS=(1,3)
              warning SHOWS.bms:4:17 the field overlaps ITEM of line 3 | starts within that field, or on its attribute | leave one position between a field's data and the next field's data for the attribute character
            UNPROT,IC → UNPROTECTED,IC
              error SHOWS.bms:3:43 ATTRB cannot be UNPROTECTED | not accepted here | ATTRB takes ASKIP, PROT, UNPROT, NUM, BRT, NORM, DRK, DET, IC, FSET
            LENGTH=4,ATTRB → LENGTH=4,⏎               ATTRB
              error SHOWS.bms:3:35 this line goes on, but column 72 holds no continuation mark | more is expected after this | put any character in column 72, or take the comma away
            TEXT     DFHMDF → ITEM     DFHMDF
              error SHOWS.bms:4:17 the map has two fields ITEM | second field of this name | give each field its own name, or take the name of a constant away; OCCURS makes arrays
                     DFHMSD TYPE=FINAL⏎ → 
              warning SHOWS.bms:1:10 mapset SHOWS does not end | started here | end it with DFHMSD TYPE=FINAL
        "#]],
    );
}

#[test]
fn in_programs() {
    check(
        "SHOWP.cbl",
        &[
            ("READ FILE", "RAED FILE"),
            ("RIDFLD(ITEMI)", "RIDFIELD(ITEMI)"),
            ("ERASE END-EXEC.", "ERASE."),
            ("COPY SHOWS.", "COPY SHOWT."),
            ("MOVE REC TO TEXTO", "MOVE RECORD-AREA TO TEXTO"),
            ("MOVE REC TO TEXTO", "MOVE 'APPLES TO TEXTO"),
            ("MOVE REC TO TEXTO.", "MOVE REC                                               TO TEXTO."),
            ("           MOVE REC", "\tMOVE REC"),
            ("       IDENTIFICATION", "      IDENTIFICATION"),
            ("PROGRAM-ID. SHOWP.", ""),
        ],
        expect![[r#"
            READ FILE → RAED FILE
              error SHOWP.cbl:9:22 RAED is not an EXEC CICS command | no command starts with this word | did you mean READ?
            RIDFLD(ITEMI) → RIDFIELD(ITEMI)
              error SHOWP.cbl:9:51 RIDFIELD is not an option of READ | not known here | did you mean RIDFLD?
            ERASE END-EXEC. → ERASE.
              error SHOWP.cbl:12:12 this EXEC has no END-EXEC | starts here | write END-EXEC behind the command's last option
            COPY SHOWS. → COPY SHOWT.
              error SHOWP.cbl:6:8 no copybook SHOWT | not found | did you mean SHOWS?
            MOVE REC TO TEXTO → MOVE RECORD-AREA TO TEXTO
              error SHOWP.cbl:11:17 there is no item RECORD-AREA | describe it in the data division, or copy its description
            MOVE REC TO TEXTO → MOVE 'APPLES TO TEXTO
              error SHOWP.cbl:11:17 this literal has no closing quote | opened here | close it on this line, or go on in the next with - in column 7 and a quote
            MOVE REC TO TEXTO. → MOVE REC                                               TO TEXTO.
              error SHOWP.cbl:11:70 there is no item TEX | columns 73 to 80 are not read, and line 11 has "TO." there; otherwise: did you mean TEXTA?
                       MOVE REC → →MOVE REC
              error SHOWP.cbl:11:4 'V' in column 7 means nothing | the indicator column of fixed format | a tab goes to the next of columns 1, 5, 9, …: write blanks instead, so that text starts in column 8; for free format begin the text with >>SOURCE FORMAT IS FREE
                   IDENTIFICATION →       IDENTIFICATION
            PROGRAM-ID. SHOWP. → 
              error SHOWP.cbl:3:8 DATA stands where PROGRAM-ID is expected | expected PROGRAM-ID | the identification division begins with PROGRAM-ID and a name
        "#]],
    );
}

#[test]
fn in_the_users_file() {
    check(
        "users.toml",
        &[
            ("userid", "user"),
            ("\"run\"", "\"admin\""),
            ("rights", "password = \"secret\"\nrights"),
            ("ANN", "ANN-MARIE"),
            ("[[user]]\n", "[[user]]\nuserid = \"ANN\"\n[[user]]\n"),
        ],
        expect![[r#"
            userid → user
              error users.toml:1:1 [[user]] needs `userid` | add a line such as: userid = "TELLER1"
              error users.toml:2:1 `user` is not a key in [[user]] | did you mean `userid`?
            "run" → "admin"
              error users.toml:3:11 `rights` takes one of run, inquire, operate | this is not understood
            rights → password = "secret"⏎rights
              error users.toml:3:12 a password stands here only as its hash | this is no argon2 hash | take the line out and use: syncpoint user add
            ANN → ANN-MARIE
              error users.toml:2:10 a user id is a name of 1 to 8 letters, digits, @, # or $ | this has 9 characters
            [[user]]⏎ → [[user]]⏎userid = "ANN"⏎[[user]]⏎
              error users.toml:3:1 user ANN is here twice | remove one of the two
        "#]],
    );
}

#[test]
fn programs_that_take_messages_and_are_not_there() {
    let door = |table: &str, program: &str| {
        let direct = "[direct]\nlisten = \"127.0.0.1:0\"\n[[load]]";
        said("region.toml", "[[load]]", &format!("[[{table}]]\n{program}\n{direct}"))
    };
    let scenario =
        |program: &str| door("direct.scenario", &format!("path = \"/a\"\nprogram = \"{program}\""));
    assert_eq!(scenario("SHOWP"), "");
    assert_eq!(
        scenario("SHOWQ"),
        "  warning region.toml:7:11 a scenario of [direct] has its messages taken by SHOWQ, which is not defined | its instances end with \
         abend APCT: it is out of service | add DEFINE PROGRAM(SHOWQ) to a group that is installed\n"
    );
    let conversation =
        |program: &str| door("conversation", &format!("receive = \"127.0.0.1:0\"\nprogram = \"{program}\""));
    assert_eq!(conversation("SHOWP"), "");
    assert!(conversation("SHOWQ").contains("SHOWQ, which is not defined"));
}
