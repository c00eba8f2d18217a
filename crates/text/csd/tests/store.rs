//! The content of a CSD after commands.

use csd::{Csd, parse};
use diagnostics::Source;
use expect_test::{Expect, expect};
use jcl::Tokens;

fn csd(text: &str) -> (Csd, Vec<String>) {
    let parsed = parse(&Source::new("APP.csd", text), &Tokens::new());
    assert!(parsed.messages.is_empty(), "{:?}", parsed.messages);
    let mut csd = Csd::default();
    let messages = csd.apply(&parsed.commands);
    (csd, messages.iter().map(|m| format!("{}: {}", m.code, m.message)).collect())
}

/// Shows groups, lists and messages.
fn check(text: &str, expected: Expect) {
    let (csd, messages) = csd(text);
    let mut out = String::new();
    for group in csd.groups() {
        let names: Vec<String> =
            csd.group(group).iter().map(|d| format!("{} {}", d.resource, d.name)).collect();
        out += &format!("group {group}: {}\n", names.join(", "));
    }
    for list in csd.lists() {
        out += &format!("list {list}: {}\n", csd.list(list).join(", "));
    }
    for message in messages {
        out += &format!("{message}\n");
    }
    expected.assert_eq(&out);
}

#[test]
fn a_second_define_is_refused() {
    check(
        "DEFINE PROGRAM(P) GROUP(G)\nDEFINE TRANSACTION(P) GROUP(G)\nDEFINE PROGRAM(P) GROUP(H)\nDEFINE PROGRAM(P) GROUP(G)",
        expect![[r#"
            group G: PROGRAM P, TRANSACTION P
            group H: PROGRAM P
            SPCS020: PROGRAM P is defined in group G already
        "#]],
    );
}

#[test]
fn lists_keep_their_order_and_vanish_when_empty() {
    check(
        "ADD GROUP(B) LIST(L)\nADD GROUP(C) LIST(L)\nADD GROUP(A) LIST(L) BEFORE(B)\nADD GROUP(X) LIST(L) AFTER(B)\n\
         ADD GROUP(B) LIST(L)\nADD GROUP(Y) LIST(L) AFTER(NONE)\n\
         ADD GROUP(C) LIST(M)\nADD GROUP(D) LIST(M)\nAPPEND LIST(M) TO(L)\n\
         ADD GROUP(Z) LIST(GONE)\nREMOVE GROUP(Z) LIST(GONE)\nREMOVE GROUP(Z) LIST(M)",
        expect![[r#"
            list L: A, B, X, C, D
            list M: C, D
            SPCS022: group B is in list L already
            SPCS026: there is no group NONE here
            SPCS026: there is no group Z here
        "#]],
    );
}

#[test]
fn deleting() {
    check(
        "DEFINE PROGRAM(P) GROUP(A)\nDEFINE PROGRAM(P) GROUP(B)\nDEFINE PROGRAM(P) GROUP(C)\nDEFINE PROGRAM(Q) GROUP(C)\n\
         ADD GROUP(A) LIST(L)\nADD GROUP(B) LIST(L)\nADD GROUP(C) LIST(M)\n\
         DELETE GROUP(A)\nDELETE GROUP(B) REMOVE\nDELETE PROGRAM(P) GROUP(C)\nDELETE PROGRAM(P) GROUP(C)\nDELETE LIST(M)\nDELETE GROUP(A)",
        expect![[r#"
            group C: PROGRAM Q
            list L: A
            SPCS021: group C does not have PROGRAM P
            SPCS026: there is no group A here
        "#]],
    );
}

#[test]
fn copying() {
    check(
        "DEFINE PROGRAM(P) GROUP(A)\nDEFINE PROGRAM(Q) GROUP(A)\nDEFINE PROGRAM(P) GROUP(B)\n\
         COPY GROUP(A) TO(B)\nCOPY GROUP(A) TO(C)\nCOPY PROGRAM(Q) GROUP(A) TO(D)\nCOPY GROUP(A) TO(B) MERGE\nCOPY GROUP(NONE) TO(B)",
        expect![[r#"
            group A: PROGRAM P, PROGRAM Q
            group B: PROGRAM P, PROGRAM Q
            group C: PROGRAM P, PROGRAM Q
            group D: PROGRAM Q
            SPCS025: PROGRAM P is in group B already
            SPCS021: group NONE does not have any definition
        "#]],
    );
}

#[test]
fn a_name_is_a_group_or_a_list() {
    check(
        "DEFINE PROGRAM(P) GROUP(G)\nADD GROUP(G) LIST(G)\nADD GROUP(G) LIST(L)\nDEFINE PROGRAM(P) GROUP(L)",
        expect![[r#"
            group G: PROGRAM P
            list L: G
            SPCS023: G would be a group and a list
            SPCS023: L would be a group and a list
        "#]],
    );
}

#[test]
fn altering_takes_generic_names() {
    let (csd, messages) = csd(
        "DEFINE TRANSACTION(AB01) GROUP(G)\nDEFINE TRANSACTION(AB02) GROUP(G) PRIORITY(5)\nDEFINE TRANSACTION(XB01) GROUP(G)\n\
         ALTER TRANSACTION(A*0+) GROUP(G) PRIORITY(9)\nALTER TRANSACTION(NONE) GROUP(G) PRIORITY(1)",
    );
    let priorities: Vec<_> = csd.group("G").iter().map(|d| d.number("PRIORITY")).collect();
    assert_eq!(priorities, [Some(9), Some(9), Some(1)]);
    assert_eq!(messages, ["SPCS021: group G does not have TRANSACTION NONE"]);
}

#[test]
fn of_duplicates_in_a_list_the_later_is_installed_but_not_for_every_type() {
    let (csd, _) = csd(
        "DEFINE PROGRAM(P) GROUP(A)\nDEFINE TDQUEUE(Q) GROUP(A) TYPE(INTRA)\nDEFINE FILE(E) GROUP(A)\nDEFINE FILE(D) GROUP(A) STATUS(DISABLED)\n\
         DEFINE PROGRAM(P) GROUP(B)\nDEFINE TDQUEUE(Q) GROUP(B) TYPE(EXTRA)\nDEFINE FILE(E) GROUP(B)\nDEFINE FILE(D) GROUP(B)\n\
         ADD GROUP(A) LIST(L)\nADD GROUP(B) LIST(M)\nADD GROUP(MISSING) LIST(M)",
    );
    let (installed, messages) = csd.installed(&["L", "M", "NONE"]);
    let shown: Vec<String> =
        installed.iter().map(|d| format!("{} {} of {}", d.resource, d.name, d.group)).collect();
    assert_eq!(shown, ["PROGRAM P of B", "TDQUEUE Q of A", "FILE E of A", "FILE D of B"]);
    assert_eq!(messages.len(), 4);
    assert_eq!(csd.definitions("L").count(), 4);
    let (twice, messages) = csd.installed(&["L", "A"]);
    assert_eq!((twice.len(), messages.len()), (4, 0), "the same group again is no duplicate");
}

#[test]
fn userdefine_takes_a_sites_own_defaults() {
    let (csd, messages) =
        csd("DEFINE PROGRAM(USER) GROUP(USERDEF) DATALOCATION(ANY) CONCURRENCY(THREADSAFE)\n\
         USERDEFINE PROGRAM(P) GROUP(G) CONCURRENCY(REQUIRED)\n\
         USERDEFINE MAPSET(M) GROUP(G)\n");
    assert!(messages.is_empty(), "{messages:?}");
    let [program, mapset] = csd.group("G") else { panic!("{:?}", csd.group("G")) };
    assert_eq!(program.get("DATALOCATION"), Some("ANY"));
    assert_eq!(program.get("CONCURRENCY"), Some("REQUIRED"));
    assert!(mapset.attributes.is_empty());
}
