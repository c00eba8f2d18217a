//! Changes to texts: a command changes as little of a text as it can.

use csd::{Edited, Given, Text, change, request};
use diagnostics::{Diagnostic, Source};
use expect_test::{Expect, expect};
use jcl::Tokens;

const BANK: &str = "\
* The bank's definitions
DEFINE PROGRAM(ACCT01) GROUP(BANK)   LANGUAGE(COBOL)
       DESCRIPTION(accounts)
* its transaction
DEF TRANS(ACCT) G(BANK) PROG(ACCT01)

DEFINE FILE(ACCTDAT) GROUP(DATA) DSNAME(BANK.ACCT)
ADD GROUP(BANK) LIST(APP)
ADD GROUP(DATA) LIST(APP)
";

fn texts(parts: &[(&str, &str)]) -> Vec<Text> {
    parts.iter().map(|(n, t)| Text { name: (*n).into(), text: (*t).into(), writable: true }).collect()
}

fn changed(texts: &[Text], command: &str) -> Result<Option<Edited>, String> {
    let said = |message: &Diagnostic| format!("{}: {}", message.code, message.message);
    let request = request(command, Given::Anywhere)
        .map_err(|messages| messages.iter().map(said).collect::<Vec<_>>().join(", "))?;
    let command = request.command().expect("it changes").expect("it is complete");
    change(texts, &Tokens::new(), &command, "ALICE").map_err(|message| said(&message))
}

/// Shows the lines that commands take from the bank's text, and those that they bring.
fn check(commands: &[&str], expected: Expect) {
    let mut texts = texts(&[("bank.csd", BANK)]);
    let mut out = String::new();
    for command in commands {
        match changed(&texts, command) {
            Ok(Some(edited)) => texts[edited.index].text = edited.text,
            Ok(None) => out += "nothing to do\n",
            Err(message) => out += &format!("{message}\n"),
        }
    }
    let (was, is): (Vec<&str>, Vec<&str>) = (BANK.lines().collect(), texts[0].text.lines().collect());
    was.iter().filter(|line| !is.contains(line)).for_each(|line| out += &format!("-{line}\n"));
    is.iter().filter(|line| !was.contains(line)).for_each(|line| out += &format!("+{line}\n"));
    expected.assert_eq(&out);
}

#[test]
fn a_definition_stands_behind_those_of_its_group() {
    let texts = texts(&[("bank.csd", BANK)]);
    let edited = changed(&texts, "CEDA DEF MAPSET(ACCTSET) G(BANK)").expect("it is").expect("new");
    let (before, after) = BANK.split_at(BANK.find("\nDEFINE FILE").expect("there"));
    assert_eq!(edited.text, format!("{before}DEFINE MAPSET(ACCTSET) GROUP(BANK)\n{after}"));
}

#[test]
fn an_alter_changes_its_values_alone() {
    check(
        &[
            "ALTER PROGRAM(ACCT01) GROUP(BANK) DESCRIPTION(all accounts) RELOAD(YES)",
            "ALT TRANS(A*) G(BANK) PROG(ACCT02)",
        ],
        expect![[r#"
            -       DESCRIPTION(accounts)
            -DEF TRANS(ACCT) G(BANK) PROG(ACCT01)
            +       DESCRIPTION(all accounts)
            +       RELOAD(YES)
            +DEF TRANS(ACCT) G(BANK) PROG(ACCT02)
        "#]],
    );
}

#[test]
fn rename_and_move_keep_a_definition_as_it_is_written() {
    check(
        &["RENAME PROGRAM(ACCT01) GROUP(BANK) AS(ACCT09)", "MOVE TRANS(ACCT) GROUP(BANK) TO(NEW)"],
        expect![[r#"
            -DEFINE PROGRAM(ACCT01) GROUP(BANK)   LANGUAGE(COBOL)
            -DEF TRANS(ACCT) G(BANK) PROG(ACCT01)
            +DEFINE PROGRAM(ACCT09) GROUP(BANK)   LANGUAGE(COBOL)
            +DEF TRANS(ACCT) G(NEW) PROG(ACCT01)
        "#]],
    );
}

#[test]
fn a_new_name_is_one_that_a_text_may_have() {
    let texts = texts(&[("bank.csd", BANK)]);
    for (command, message) in [
        (
            "RENAME TRANS(ACCT) GROUP(BANK) AS(ACCOUNT)",
            "TRANSACTION name ACCOUNT is longer than 4 characters",
        ),
        ("RENAME PROGRAM(ACCT01) GROUP(BANK) AS(A B)", "PROGRAM name A B holds a blank"),
        ("RENAME PROGRAM(ACCT01) GROUP(BANK) AS()", "PROGRAM has no name"),
        (
            "COPY PROGRAM(ACCT01) GROUP(BANK) AS(ACCOUNTS1)",
            "PROGRAM name ACCOUNTS1 is longer than 8 characters",
        ),
        (
            "MOVE PROGRAM(ACCT01) GROUP(BANK) AS(ACCT*) TO(NEW)",
            "ACCT* is a generic name, which nothing can have",
        ),
        ("MOVE PROGRAM(ACCT01) GROUP(BANK) TO(N*)", "N* is a generic name, which nothing can have"),
        ("DEFINE PROGRAM(A+B) GROUP(BANK)", "A+B is a generic name, which nothing can have"),
        ("ADD GROUP(BANK) LIST(APP*)", "APP* is a generic name, which nothing can have"),
        ("DEFINE PROGRAM(AB) GROUP(BA*)", "BA* is a generic name, which nothing can have"),
    ] {
        let refused = changed(&texts, command).err().unwrap_or_else(|| panic!("{command} is taken"));
        assert_eq!(refused, format!("SPCS010: {message}"), "{command}");
    }
}

#[test]
fn words_that_are_no_command_are_refused() {
    let source = Source::new("deck", "FROB GROUP(BANK)\nDELETE GROUP(BANK)\n".to_owned());
    let read = csd::deck(&source, &Tokens::new());
    let refused: Vec<_> = read.iter().filter_map(|request| request.as_ref().err()).flatten().collect();
    assert_eq!(refused.iter().map(|message| message.code).collect::<Vec<_>>(), ["SPCS001"]);
    assert_eq!(read.len(), 2, "the one behind it is read");
}

#[test]
fn copies_and_deletions() {
    check(
        &[
            "COPY FILE(ACCTDAT) GROUP(DATA) AS(ACCTOLD)",
            "COPY GROUP(DATA) TO(TEST)",
            "COPY GROUP(DATA) TO(TEST)",
            "DELETE GROUP(BANK) REMOVE",
        ],
        expect![[r#"
            SPCS025: FILE ACCTDAT is in group TEST already
            -DEFINE PROGRAM(ACCT01) GROUP(BANK)   LANGUAGE(COBOL)
            -       DESCRIPTION(accounts)
            -DEF TRANS(ACCT) G(BANK) PROG(ACCT01)
            -ADD GROUP(BANK) LIST(APP)
            +DEFINE FILE(ACCTOLD) GROUP(DATA)
            +       DSNAME(BANK.ACCT)
            +DEFINE FILE(ACCTDAT) GROUP(TEST)
            +       DSNAME(BANK.ACCT)
            +DEFINE FILE(ACCTOLD) GROUP(TEST)
            +       DSNAME(BANK.ACCT)
        "#]],
    );
}

#[test]
fn lists_keep_their_order() {
    let texts = texts(&[("bank.csd", BANK)]);
    let edited = changed(&texts, "ADD GROUP(NEW) LIST(APP) AFTER(BANK)").expect("it is").expect("new");
    assert_eq!(edited.csd.list("APP"), ["BANK", "NEW", "DATA"]);
    assert!(edited.text.contains("ADD GROUP(BANK) LIST(APP)\nADD GROUP(NEW) LIST(APP)\nADD GROUP(DATA)"));
    check(
        &["REMOVE GROUP(BANK) LIST(APP)", "APPEND LIST(APP) TO(ALL)"],
        expect![[r#"
            -ADD GROUP(BANK) LIST(APP)
            +ADD GROUP(DATA) LIST(ALL)
        "#]],
    );
}

#[test]
fn a_lock_is_a_comment_and_holds_for_others() {
    let mut texts = texts(&[("bank.csd", BANK)]);
    let edited = changed(&texts, "LOCK GROUP(BANK)").expect("it is").expect("new");
    assert!(edited.text.ends_with("*LOCK GROUP(BANK) BY(ALICE)\n"));
    texts[0].text = edited.text.replace("ALICE", "BOB");
    let refused = changed(&texts, "DEFINE PROGRAM(X) GROUP(BANK)").expect_err("locked");
    assert_eq!(refused, "SPCS029: BANK is locked by BOB");
    let refused = changed(&texts, "UNLOCK GROUP(BANK)").expect_err("locked");
    assert_eq!(refused, "SPCS029: BANK is locked by BOB");
    assert!(changed(&texts, "COPY GROUP(BANK) TO(MINE)").expect("reading is free").is_some());
    texts[0].text = edited.text;
    assert_eq!(changed(&texts, "UNLOCK GROUP(BANK)").expect("own").expect("new").text, BANK);
}

#[test]
fn what_does_not_count_in_place_is_written_behind() {
    let later = "ALTER TRANSACTION(ACCT) GROUP(BANK) PROGRAM(ACCT03)";
    let texts = texts(&[("bank.csd", BANK), ("site.csd", later)]);
    let edited =
        changed(&texts, "ALTER TRANS(ACCT) GROUP(BANK) PROGRAM(ACCT04)").expect("it is").expect("new");
    assert_eq!(edited.index, 1);
    assert_eq!(
        edited.text,
        format!("{later}\nALTER TRANSACTION(ACCT) GROUP(BANK)\n       PROGRAM(ACCT04)\n")
    );
    let both = [("a.csd", BANK), ("b.csd", "DEFINE PROGRAM(B) GROUP(BANK)\r\n")];
    let edited = changed(&self::texts(&both), "DELETE GROUP(BANK)").expect("it is").expect("new");
    assert_eq!(edited.index, 1, "one text alone changes");
    assert!(edited.text.ends_with("DELETE PROGRAM(B) GROUP(BANK)\r\n"), "{}", edited.text);
}

#[test]
fn a_job_takes_changes_among_its_data_and_tokens_stay() {
    let job = "//J JOB\n//S EXEC PGM=DFHCSDUP\n//SYSIN DD *\n DEFINE FILE(A) GROUP(G)\n   DSNAME(<HLQ>.A) STATUS(ENABLED)\n/*\n//\n";
    let texts = texts(&[("job.jcl", job)]);
    let tokens: Tokens = [("<HLQ>".to_owned(), "PROD".to_owned())].into();
    let of = |text: &str| {
        request(text, Given::Anywhere).expect("legal").command().expect("a change").expect("whole")
    };
    let edited =
        change(&texts, &tokens, &of("ALTER FILE(A) G(G) STATUS(DISABLED)"), "").expect("it is").expect("new");
    assert_eq!(edited.text, job.replace("ENABLED", "DISABLED"));
    let edited = change(&texts, &tokens, &of("DEFINE PROGRAM(P) G(NEW)"), "").expect("it is").expect("new");
    assert_eq!(edited.text, job.replace("/*\n", "DEFINE PROGRAM(P) GROUP(NEW)\n/*\n"));
}

#[test]
fn what_is_wrong_with_a_request() {
    let table = [
        ("DE PROG(X) GROUP(G)", "SPCS006"),
        ("DEFINE PROG(X) GROUP(G) LANGUAGE(KLINGON)", "SPCS007"),
        ("DEFINE PROG(X) GROUP(G) COLOUR(RED)", "SPCS005"),
        ("DEFINE PROG(TOOLONGNAME) GROUP(G)", "SPCS010"),
        ("MAKE PROG(X)", "SPCS001"),
        ("VIEW GROUP", "SPCS004"),
    ];
    for (text, code) in table {
        let messages = request(text, Given::Online).expect_err(text);
        assert_eq!(messages[0].code, code, "{text}: {messages:?}");
    }
    let incomplete = request("DEFINE PROG(X)", Given::Online).expect("read").command().expect("a change");
    assert_eq!(incomplete, Err("GROUP"));
    assert!(changed(&texts(&[]), "DEFINE PROG(X) GROUP(G)").is_err(), "there is no text");
}
