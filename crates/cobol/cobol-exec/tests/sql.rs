//! EXEC SQL: the translated program, its package, and the messages about mistakes.

mod support;

use cobol_check::Checked;
use cobol_data::ItemId;
use cobol_exec::{Area, Asked, Read, Request};
use db2::package::{Array, Form, Package, Variable};
use diagnostics::{Severity, Source};
use expect_test::{Expect, expect};

const DECLARATIONS: &str = "
           EXEC SQL DECLARE APP.CONTACT TABLE
           ( ID     INTEGER NOT NULL,
             NAME   VARCHAR(20) NOT NULL ) END-EXEC.
       01  DCLCONTACT.
           10 C-ID        PIC S9(9) USAGE COMP.
           10 C-NAME.
              49 C-NAME-LEN  PIC S9(4) USAGE COMP.
              49 C-NAME-TEXT PIC X(20).
           10 C-AMOUNT    PIC S9(9)V9(2) USAGE COMP-3.
           10 FILLER      PIC X.
       01  INDICATORS.
           05 IND         PIC S9(4) COMP OCCURS 2 TIMES.
       01  OTHERS.
           05 C-AMOUNT    PIC S9(4) COMP-5.
           05 WS-IND      PIC S9(4) COMP-5.
           05 WS-ZONED    PIC S9(3)V99.
           05 WS-POINTER  POINTER.
       01  ROWSET.
           05 R-ID        PIC S9(9) COMP OCCURS 10 TIMES.
           05 R-NAME      OCCURS 10 TIMES.
              49 R-LEN    PIC S9(4) COMP.
              49 R-TEXT   PIC X(20).
       01  PLACES.
           05 SQLDA-X     PIC X(100).
";

fn both(sqlca: &str, declarations: &str, statements: &str) -> (Checked, Read) {
    let text = format!(
        "       >>SOURCE FORMAT IS FREE\n       ID DIVISION.\n       PROGRAM-ID. BANK.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{sqlca}{declarations}       PROCEDURE DIVISION.\n       MAIN.\n{statements}           GOBACK.\n       AT-END.\n           GOBACK.\n"
    );
    let library = support::Members::new([("DCLCONT", DECLARATIONS)]);
    support::both(&Source::new("BANK.cbl", text), &library, Severity::Error)
}

fn program(sqlca: &str, declarations: &str, statements: &str) -> Read {
    both(sqlca, declarations, statements).1
}

/// An item by its name and those of the groups around it.
fn name(checked: &Checked, id: ItemId) -> String {
    let items = &checked.programs[0].items;
    let around = std::iter::once(id).chain(items.groups(id));
    let names: Vec<&str> = around.filter_map(|id| Some(&*items.get(id).name.as_ref()?.text)).collect();
    names.join(" OF ")
}

const INCLUDE: &str = "           EXEC SQL INCLUDE SQLCA END-EXEC.\n";

/// A program without errors.
#[track_caller]
fn good(statements: &str) -> Read {
    let read = program(INCLUDE, DECLARATIONS, statements);
    let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
    assert!(!diagnostics::any_error(&read.messages), "{}", messages.join("\n"));
    read
}

/// The requests of EXEC SQL.
fn blocks(read: &Read) -> Vec<&Request> {
    let blocks = read.asked.iter().flatten().filter_map(|asked| match asked {
        Asked::Sql(block) => Some(block),
        Asked::Command(_) => None,
    });
    blocks.collect()
}

/// Shows the requests of the procedure division: the statement, its items, and where to go behind it.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    good(statements);
    let (checked, read) = both(INCLUDE, DECLARATIONS, statements);
    let blocks = blocks(&read);
    let shown = blocks.iter().map(|block| {
        let Some(call) = &block.call else { return String::from("-\n") };
        let items: Vec<String> = call.arguments.iter().map(|item| name(&checked, *item)).collect();
        let go_to: Vec<String> =
            block.go_to.iter().map(|(event, label)| format!("{event:?} {label}")).collect();
        let shown = format!("{}: {} | {}", call.descriptor.statement, items.join(", "), go_to.join(", "));
        format!("{}\n", shown.trim_end())
    });
    expected.assert_eq(&shown.collect::<String>());
}

/// Shows all messages.
#[track_caller]
fn told(statements: &str, expected: Expect) {
    let read = program(INCLUDE, DECLARATIONS, statements);
    let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
    expected.assert_eq(&(messages.join("\n\n") + "\n"));
}

fn package(read: &Read) -> &Package {
    read.programs[0].sql.as_ref().expect("a package")
}

fn variable(variables: &[Variable]) -> Vec<String> {
    let shown = variables.iter().map(|v| {
        let indicator = v.indicator.map_or(String::new(), |i| format!(" :{}+{}", i.argument, i.offset));
        let array = v.array.map_or(String::new(), |Array { count, stride }| format!(" {count}×{stride}"));
        format!("{} {}+{}{array} {:?}{indicator}", v.name, v.argument, v.offset, v.form)
    });
    shown.collect()
}

#[test]
fn a_statement_is_a_request() {
    check(
        "           EXEC SQL SELECT NAME INTO :C-NAME:WS-IND FROM APP.CONTACT
                    WHERE ID = :C-ID END-EXEC.
           IF C-ID = 1 EXEC SQL DELETE FROM APP.CONTACT END-EXEC
           ELSE EXEC SQL COMMIT END-EXEC END-IF.\n",
        expect![[r#"
            1: C-ID OF DCLCONTACT, C-NAME OF DCLCONTACT, WS-IND OF OTHERS |
            2:  |
            3:  |
        "#]],
    );
}

#[test]
fn whenever_holds_from_its_place_in_the_text_on() {
    check(
        "           EXEC SQL WHENEVER SQLERROR GO TO AT-END END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT END-EXEC.
           EXEC SQL WHENEVER NOT FOUND GOTO :AT-END END-EXEC
           EXEC SQL WHENEVER SQLWARNING GO TO AT-END END-EXEC
           EXEC SQL DELETE FROM APP.CONTACT END-EXEC.
           EXEC SQL WHENEVER SQLERROR CONTINUE END-EXEC
           EXEC SQL WHENEVER SQLWARNING CONTINUE END-EXEC
           EXEC SQL DELETE FROM APP.CONTACT END-EXEC.\n",
        expect![[r#"
            -
            1:  | Error AT-END
            -
            -
            2:  | Error AT-END, NotFound AT-END, Warning AT-END
            -
            -
            3:  | NotFound AT-END
        "#]],
    );
}

#[test]
fn a_structure_is_passed_as_its_items() {
    let read = good(
        "           EXEC SQL SELECT * INTO :DCLCONTACT:IND FROM APP.CONTACT
                    WHERE ID = :C-ID AND ZONED = :OTHERS.WS-ZONED AND ID <> :C-ID END-EXEC.\n",
    );
    let statement = &package(&read).statements[0];
    expect![[r#"
        DCLCONTACT.C-ID 0+0 Binary { bytes: 4, digits: 9, scale: 0, signed: true } :2+0
        DCLCONTACT.C-NAME 3+0 Varchar { length: 20 } :2+2
        DCLCONTACT.C-AMOUNT 4+0 Packed { digits: 11, scale: 2, signed: true }"#]]
    .assert_eq(&variable(&statement.targets).join("\n"));
    expect![[r#"
        C-ID 0+0 Binary { bytes: 4, digits: 9, scale: 0, signed: true }
        OTHERS.WS-ZONED 1+0 Zoned { digits: 5, scale: 2, sign: Trailing }
        C-ID 0+0 Binary { bytes: 4, digits: 9, scale: 0, signed: true }"#]]
    .assert_eq(&variable(&statement.inputs).join("\n"));
    assert_eq!(statement.sql.sql, "SELECT * FROM APP.CONTACT WHERE ID = $1 AND ZONED = $2 AND ID <> $3");
}

#[test]
fn a_rowset_goes_to_arrays() {
    let read = good(
        "           EXEC SQL DECLARE C1 CURSOR WITH ROWSET POSITIONING FOR
                    SELECT ID, NAME FROM APP.CONTACT END-EXEC
           EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 10 ROWS INTO :R-ID, :R-NAME END-EXEC.
           EXEC SQL INSERT INTO APP.CONTACT VALUES (:R-ID, :R-NAME) FOR :C-ID ROWS END-EXEC.\n",
    );
    let statements = &package(&read).statements;
    expect![[r#"
        R-ID 0+0 10×4 Binary { bytes: 4, digits: 9, scale: 0, signed: true }
        R-NAME 1+0 10×22 Varchar { length: 20 }"#]]
    .assert_eq(&variable(&statements[0].targets).join("\n"));
    expect![[r#"
        R-ID 0+0 10×4 Binary { bytes: 4, digits: 9, scale: 0, signed: true }
        R-NAME 1+0 10×22 Varchar { length: 20 }
        C-ID 2+0 Binary { bytes: 4, digits: 9, scale: 0, signed: true }"#]]
    .assert_eq(&variable(&statements[1].inputs).join("\n"));
}

#[test]
fn a_cursor_knows_its_use() {
    let read = good(
        "           EXEC SQL DECLARE C-READ CURSOR FOR SELECT ID FROM APP.CONTACT
                    WHERE ID > :C-ID END-EXEC.
           EXEC SQL DECLARE C-CHANGE CURSOR WITH HOLD FOR SELECT ID FROM APP.CONTACT END-EXEC.
           EXEC SQL OPEN C-READ END-EXEC.
           EXEC SQL OPEN C-CHANGE END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE CURRENT OF C-CHANGE END-EXEC.\n",
    );
    let package = package(&read);
    let cursors = &package.cursors;
    assert!(cursors[0].read_only && !cursors[0].for_update && !cursors[0].hold);
    assert!(!cursors[1].read_only && cursors[1].for_update && cursors[1].hold);
    let texts: Vec<&str> = package.statements.iter().map(|statement| &*statement.sql.sql).collect();
    let expected = ["SELECT ID FROM APP.CONTACT WHERE ID > $1", "SELECT ID FROM APP.CONTACT FOR UPDATE"];
    assert_eq!(texts[..2], expected);
    assert_eq!(variable(&package.statements[0].inputs).len(), 1);
}

/// A position in PostgreSQL's text is a place in the user's, in a copied member, too.
#[test]
fn positions_lead_back_to_the_users_line() {
    let read = good(
        "           EXEC SQL UPDATE APP.CONTACT\n             SET NOSUCH = 5\n           WHERE ID = :C-ID END-EXEC.\n",
    );
    let package = package(&read);
    let statement = &package.statements[0];
    let position = statement.sql.sql.find("NOSUCH").expect("the column") as u32 + 1;
    let spot = statement.sql.spot(position).expect("a place");
    assert_eq!(package.sources[usize::from(spot.source)], "BANK.cbl");
    assert_eq!((spot.line, spot.column, spot.width), (statement.at.line + 1, 18, 6));
}

#[test]
fn the_package_survives_and_its_token_is_in_the_requests() {
    let read = good(
        "           EXEC SQL OPEN C1 END-EXEC.\n           EXEC SQL DECLARE C1 CURSOR FOR SELECT 1 FROM APP.CONTACT END-EXEC.\n",
    );
    let package = package(&read);
    let again = Package::from_bytes(&package.to_bytes());
    assert_eq!(again.as_ref(), Some(package));
    let call = blocks(&read)[0].call.as_ref().expect("a request");
    assert_eq!((call.descriptor.token, call.descriptor.statement), (package.token(), 1));
}

#[test]
fn declare_table_makes_the_table() {
    let read = good("");
    let table = &package(&read).tables[0];
    let texts: Vec<&str> = table.create.iter().map(|text| &*text.sql).collect();
    assert_eq!(table.name, "APP.CONTACT");
    expect![[r#"
        CREATE SCHEMA IF NOT EXISTS "app"
        SELECT db2.make_varchar(20)
        CREATE TABLE APP.CONTACT ( ID INTEGER NOT NULL, NAME db2.varchar_20 NOT NULL )"#]]
    .assert_eq(&texts.join("\n"));
}

#[test]
fn sqlcode_by_itself_gets_its_value_where_there_is_no_sqlca() {
    let statements = "           EXEC SQL DELETE FROM APP.CONTACT END-EXEC.\n";
    let own = "       01  SQLCODE PIC S9(9) COMP.\n";
    let items = Area::Items { code: true, state: false };
    for (sqlca, expected) in [(own, items), ("", Area::Record)] {
        let read = program(sqlca, DECLARATIONS, statements);
        assert_eq!(blocks(&read)[0].area, expected);
    }
}

#[test]
fn a_descriptor_area_is_passed_as_a_whole() {
    let read = good(
        "           EXEC SQL DECLARE C7 CURSOR FOR S1 END-EXEC.\n           EXEC SQL PREPARE S1 INTO :SQLDA-X FROM :C-NAME END-EXEC.\n           EXEC SQL OPEN C7 USING DESCRIPTOR :SQLDA-X END-EXEC.\n",
    );
    let package = package(&read);
    let actions: Vec<String> =
        package.statements.iter().map(|statement| format!("{:?}", statement.action)).collect();
    assert_eq!(
        actions,
        [
            r#"Prepare { name: "S1", into: Some(1), attributes: None }"#,
            "Open { cursor: 0, using: Descriptor(0) }"
        ]
    );
    assert!(matches!(package.statements[0].inputs[0].form, Form::Varchar { length: 20 }));
}

#[test]
fn comments_in_sql_may_hold_quotes() {
    let read = good("           EXEC SQL DELETE -- that's all\n             FROM APP.CONTACT END-EXEC.\n");
    assert_eq!(package(&read).statements[0].sql.sql, "DELETE FROM APP.CONTACT");
}

#[test]
fn names_that_are_not_known() {
    told(
        "           EXEC SQL DELETE FROM APP.CONTACT WHERE ID = :C-IDD END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :C-AMOUNT END-EXEC.
           EXEC SQL OPEN C-ONE END-EXEC.\n",
        expect![[r#"
            error[SPTR063]: no item has the name C-IDD
              --> BANK.cbl:34:56
               |
            34 |            EXEC SQL DELETE FROM APP.CONTACT WHERE ID = :C-IDD END-EXEC.
               |                                                        ^^^^^^ host variable
               |
               = help: did you mean C-ID?

            error[SPTR064]: C-AMOUNT is the name of 2 items
              --> BANK.cbl:35:55
               |
            35 |            EXEC SQL DELETE FROM APP.CONTACT WHERE A = :C-AMOUNT END-EXEC.
               |                                                       ^^^^^^^^^ which of them?
               |
               = help: write :group.C-AMOUNT; it is in DCLCONTACT, OTHERS

            error[SPTR066]: no cursor has the name C-ONE
              --> BANK.cbl:36:26
               |
            36 |            EXEC SQL OPEN C-ONE END-EXEC.
               |                          ^^^^^ not declared
               |
               = help: write EXEC SQL DECLARE name CURSOR FOR SELECT … END-EXEC
        "#]],
    );
}

#[test]
fn national_numbers_are_no_host_variables() {
    let data = format!("{DECLARATIONS}       01  WS-U PIC U(3).\n       01  WS-NUMBER PIC 9(4) NATIONAL.\n");
    let statements = "           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :WS-U END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :WS-NUMBER END-EXEC.\n";
    let read = program(INCLUDE, &data, statements);
    let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("WS-NUMBER cannot be a host variable"), "{messages:?}");
}

#[test]
fn what_cannot_be_a_host_variable() {
    told(
        "           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :WS-POINTER END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :R-ID END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :C-ID:WS-ZONED END-EXEC.\n",
        expect![[r#"
            error[SPTR065]: WS-POINTER cannot be a host variable: it is a pointer, an index or another item that is no value in SQL
              --> BANK.cbl:34:55
               |
            34 |            EXEC SQL DELETE FROM APP.CONTACT WHERE A = :WS-POINTER END-EXEC.
               |                                                       ^^^^^^^^^^^

            error[SPTR065]: R-ID cannot be a host variable: it is in a table
              --> BANK.cbl:35:55
               |
            35 |            EXEC SQL DELETE FROM APP.CONTACT WHERE A = :R-ID END-EXEC.
               |                                                       ^^^^^
               |
               = help: a host variable takes no subscript: move the element to an item of its own

            error[SPTR065]: WS-ZONED cannot be an indicator
              --> BANK.cbl:36:55
               |
            36 |            EXEC SQL DELETE FROM APP.CONTACT WHERE A = :C-ID:WS-ZONED END-EXEC.
               |                                                       ^^^^^^^^^^^^^^
               |
               = help: an indicator is PIC S9(4) COMP; of a structure a table of them
        "#]],
    );
}

/// Items that no statement can name, each with what the message says of it.
#[test]
fn an_item_without_a_value_in_sql_is_refused_by_what_it_is() {
    for (described, name, what) in [
        ("01 H PIC S9(3)PP COMP-3.", "H", "a number with P behind its digits"),
        ("01 H PIC 9(3)P.", "H", "a number with P behind its digits"),
        ("01 H PIC S9(3)P COMP-5.", "H", "a number with P behind its digits"),
        ("01 H. 05 A PIC X. 05 B PIC S9(3)PP COMP-3.", "H.B", "a number with P behind its digits"),
        ("01 X PIC X. 88 H VALUE 'A'.", "H", "a condition-name"),
        ("01 X. 05 E PIC X OCCURS 2 INDEXED BY H.", "H", "an index-name"),
        ("01 X. 05 E PIC X. 05 F PIC X. 66 H RENAMES E THRU F.", "H", "an item of level 66"),
        ("01 H. 49 L PIC S9(3)P COMP. 49 D PIC X(9).", "H", "a group of level 49"),
        ("01 H. 49 L PIC S9(2)V99 COMP. 49 D PIC X(9).", "H", "a group of level 49"),
        ("01 H. 49 L PIC S9(4) COMP. 49 D PIC X OCCURS 9.", "H", "a group of level 49"),
        ("01 H. 49 L PIC S9(4) COMP. 49 D PIC U(9).", "H", "a group of level 49"),
    ] {
        let data = format!("{DECLARATIONS}       {described}\n");
        let statement = "           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :H END-EXEC.\n";
        let read = program(INCLUDE, &data, statement);
        let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1, "{described}: {messages:?}");
        let expected = format!("error[SPTR065]: {name} cannot be a host variable: it is {what}");
        assert!(messages[0].starts_with(&expected), "{described}: {}", messages[0]);
    }
}

/// Zeros in front of the digits are digits behind the point.
#[test]
fn a_number_with_p_in_front_is_a_decimal_fraction() {
    let data = format!("{DECLARATIONS}       01 H PIC SVPP9(2) COMP-3.\n");
    let statement = "           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :H END-EXEC.\n";
    let read = program(INCLUDE, &data, statement);
    assert!(read.messages.is_empty(), "{:?}", read.messages);
    expect!["H 0+0 Packed { digits: 2, scale: 4, signed: true }"]
        .assert_eq(&variable(&package(&read).statements[0].inputs).join("\n"));
}

/// A condition-name of the same name is no other item.
#[test]
fn a_condition_name_makes_no_name_doubtful() {
    let data = format!("{DECLARATIONS}       01 G. 05 H PIC X. 01 X PIC X. 88 H VALUE 'A'.\n");
    let statement = "           EXEC SQL DELETE FROM APP.CONTACT WHERE A = :H END-EXEC.\n";
    let read = program(INCLUDE, &data, statement);
    assert!(read.messages.is_empty(), "{:?}", read.messages);
}

/// A table behind one of varying size moves with it, so it is passed by itself, and not as a part of its group.
#[test]
fn a_table_that_moves_is_passed_by_itself() {
    let data = format!(
        "{DECLARATIONS}       01 M. 05 N PIC S9(4) COMP. 05 V PIC X(3) OCCURS 1 TO 5 DEPENDING ON N.
           05 M-ROW OCCURS 3. 10 M-ID PIC S9(9) COMP. 10 M-TEXT PIC X(5). 05 M-IND PIC S9(4) COMP OCCURS 3.
       01 W. 05 W-ROW OCCURS 3. 10 W-N PIC S9(4) COMP. 10 W-V PIC X OCCURS 1 TO 5 DEPENDING ON W-N. 10 W-ID PIC X.\n"
    );
    let fetch = |into: &str| {
        format!(
            "           EXEC SQL DECLARE C1 CURSOR WITH ROWSET POSITIONING FOR
                    SELECT NAME FROM APP.CONTACT END-EXEC
           EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 3 ROWS INTO {into} END-EXEC.\n"
        )
    };
    let read = program(INCLUDE, &data, &fetch(":M-TEXT:M-IND"));
    assert!(read.messages.is_empty(), "{:?}", read.messages);
    expect!["M-TEXT 0+4 3×9 Char { length: 5 } :1+0"]
        .assert_eq(&variable(&package(&read).statements[0].targets).join("\n"));
    let read = program(INCLUDE, &data, &fetch(":W-ID"));
    let messages: Vec<String> = read.messages.iter().map(ToString::to_string).collect();
    assert!(messages[0].contains("W-ID cannot be a host variable"), "{messages:?}");
}

#[test]
fn what_is_no_statement() {
    told(
        "           EXEC SQL SELEC NAME FROM APP.CONTACT END-EXEC.
           EXEC SQL SELECT NAME FROM APP.CONTACT END-EXEC.
           EXEC SQL WHENEVER SQLERROR STOP END-EXEC.
           EXEC SQL FREE LOCATOR :C-ID END-EXEC.
           EXEC SQL DECLARE C1 SENSITIVE SCROLL CURSOR FOR SELECT 1 FROM APP.CONTACT END-EXEC.
           EXEC SQL END-EXEC.\n",
        expect![[r#"
            error[SPTR060]: SELEC is not an SQL statement
              --> BANK.cbl:34:21
               |
            34 |            EXEC SQL SELEC NAME FROM APP.CONTACT END-EXEC.
               |                     ^^^^^
               |
               = help: a statement begins with a word such as SELECT, UPDATE, OPEN or FETCH

            error[SPTR060]: SELECT without INTO
              --> BANK.cbl:35:21
               |
            35 |            EXEC SQL SELECT NAME FROM APP.CONTACT END-EXEC.
               |                     ^^^^^^
               |
               = help: a query with several rows is declared as a cursor; one with a single row names its targets: INTO :A, :B

            error[SPTR060]: WHENEVER ends with CONTINUE or GO TO and a paragraph
              --> BANK.cbl:36:39
               |
            36 |            EXEC SQL WHENEVER SQLERROR STOP END-EXEC.
               |                                       ^^^^

            error[SPTR062]: FREE is not supported
              --> BANK.cbl:37:21
               |
            37 |            EXEC SQL FREE LOCATOR :C-ID END-EXEC.
               |                     ^^^^

            error[SPTR062]: a SENSITIVE cursor is not supported
              --> BANK.cbl:38:32
               |
            38 |            EXEC SQL DECLARE C1 SENSITIVE SCROLL CURSOR FOR SELECT 1 FROM APP.CONTACT END-EXEC.
               |                                ^^^^^^^^^
               |
               = help: leave the word out: the cursor shows the rows as they were at OPEN

            error[SPTR060]: EXEC SQL without a statement
              --> BANK.cbl:39:12
               |
            39 |            EXEC SQL END-EXEC.
               |            ^^^^^^^^
        "#]],
    );
}

#[test]
fn many_rows_go_to_tables_and_to_no_area() {
    told(
        "           EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 3 ROWS INTO DESCRIPTOR :C-ID END-EXEC.
           EXEC SQL EXECUTE S1 USING DESCRIPTOR :C-ID FOR 3 ROWS END-EXEC.
           EXEC SQL PREPARE S1 ATTRIBUTES WITH HOLD FROM :C-ID END-EXEC.
           EXEC SQL GET DIAGNOSTICS :C-ID = NUMBERS END-EXEC.\n",
        expect![[r#"
            error[SPTR062]: a rowset INTO DESCRIPTOR is not supported
              --> BANK.cbl:34:47
               |
            34 |            EXEC SQL FETCH NEXT ROWSET FROM C1 FOR 3 ROWS INTO DESCRIPTOR :C-ID END-EXEC.
               |                                               ^^^
               |
               = help: name host variables that are tables: INTO :A, :B

            error[SPTR062]: EXECUTE … USING DESCRIPTOR … FOR n ROWS is not supported
              --> BANK.cbl:35:55
               |
            35 |            EXEC SQL EXECUTE S1 USING DESCRIPTOR :C-ID FOR 3 ROWS END-EXEC.
               |                                                       ^^^
               |
               = help: name host variables that are tables: USING :A, :B FOR n ROWS

            error[SPTR060]: ATTRIBUTES without a host variable
              --> BANK.cbl:36:43
               |
            36 |            EXEC SQL PREPARE S1 ATTRIBUTES WITH HOLD FROM :C-ID END-EXEC.
               |                                           ^^^^
               |
               = help: name the host variable that holds them

            error[SPTR060]: GET DIAGNOSTICS has no item NUMBERS
              --> BANK.cbl:37:45
               |
            37 |            EXEC SQL GET DIAGNOSTICS :C-ID = NUMBERS END-EXEC.
               |                                             ^^^^^^^
               |
               = help: items are ROW_COUNT, NUMBER, RETURNED_SQLSTATE …
        "#]],
    );
}

#[test]
fn commit_is_the_regions() {
    told(
        "           EXEC SQL COMMIT END-EXEC.
           EXEC CICS SYNCPOINT END-EXEC.\n",
        expect![[r#"
            warning[SPTR068]: COMMIT in a program with EXEC CICS does nothing
              --> BANK.cbl:34:12
               |
            34 |            EXEC SQL COMMIT END-EXEC.
               |            ^^^^^^^^ SQLCODE will be -925
               |
               = help: write EXEC CICS SYNCPOINT
        "#]],
    );
}

#[test]
fn items_of_the_interface_block_are_host_variables() {
    let read = good(
        "           EXEC CICS ASKTIME END-EXEC.
           EXEC SQL DELETE FROM APP.CONTACT WHERE ID = :EIBTASKN END-EXEC.\n",
    );
    let statement = &package(&read).statements[0];
    expect!["EIBTASKN 0+0 Packed { digits: 7, scale: 0, signed: true }"]
        .assert_eq(&variable(&statement.inputs).join("\n"));
}
