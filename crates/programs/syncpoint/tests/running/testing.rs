//! `syncpoint test`: pages of an application, played by the real binary.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Instant;

use tn3270::datastream::Aid;

use crate::bank::{copy, repository};
use crate::house::{PATIENCE, product, share_programs, signal};
use crate::terminal::Terminal;

/// Output of a run of tests, and its exit status.
fn test(folder: &Path, arguments: &[&str]) -> (String, i32) {
    let mut command = product();
    let Output { status, stdout, stderr } =
        command.args(["test", "."]).args(arguments).current_dir(folder).output().expect("syncpoint starts");
    let told = String::from_utf8_lossy(&stdout) + String::from_utf8_lossy(&stderr);
    (told.into_owned(), status.code().expect("it ends by itself"))
}

/// The first application, with these pages instead of its own.
fn first(pages: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let made = product().arg("new").arg(folder.path()).output().expect("syncpoint starts");
    assert!(made.status.success());
    share_programs(folder.path(), "first-programs");
    for (name, text) in pages {
        let path = folder.path().join("tests").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    folder
}

#[test]
fn the_pages_of_the_bank_are_as_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&repository().join("samples/bank"), folder.path());
    share_programs(folder.path(), "bank-programs");
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains(" passed, 0 failed"), "{told}");
    let left: Vec<_> = fs::read_dir(folder.path().join(".syncpoint")).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "pages leave nothing in the application's state: {left:?}");
}

#[test]
fn a_new_application_has_a_test_that_passes() {
    let folder = first(&[]);
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("ok     hello (") && told.contains("1 page passed, 0 failed"), "{told}");
}

const WRONG: &str = "# Wrong\n\n```keys\nstart \"HELO\" \"ann\" ENTER\n```\n\n```screen rows\n 1|\n 8|          Hello BOB & <all>\n```\n";

#[test]
fn what_differs_is_shown_with_its_line_and_told_to_servers() {
    let folder = first(&[("deep/wrong.md", WRONG)]);
    let (told, status) = test(folder.path(), &["--junit", "junit.xml"]);
    assert_eq!(status, 1, "{told}");
    assert!(told.contains("1 page passed, 1 failed"), "{told}");
    assert!(told.contains("tests/deep/wrong.md:8: screen rows: not as expected"), "{told}");
    assert!(
        told.contains(" 8|          Hello BOB & <all> │  8|          Hello ANN, this is visit 1"),
        "{told}"
    );
    let junit = fs::read_to_string(folder.path().join("junit.xml")).expect("written");
    assert!(junit.contains("tests=\"2\" failures=\"1\""), "{junit}");
    assert!(
        junit.contains("classname=\"deep\" name=\"wrong\"") && junit.contains("Hello BOB &amp; &lt;all&gt;"),
        "{junit}"
    );
    // One that is named, and one that has a text in its name.
    let (told, status) = test(folder.path(), &["hello"]);
    assert!(status == 0 && told.contains("1 page passed"), "{told}");
    let (told, status) = test(folder.path(), &["--only", "deep"]);
    assert!(status == 1 && told.contains("0 pages passed, 1 failed"), "{told}");
}

#[test]
fn an_update_says_what_it_writes_and_the_page_passes_then() {
    let folder = first(&[("wrong.md", WRONG)]);
    let (told, status) = test(folder.path(), &["--update"]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains("wrong.md:8: rewritten") && told.contains("1 block rewritten"), "{told}");
    let page = fs::read_to_string(folder.path().join("tests/wrong.md")).expect("there");
    assert!(page.contains(" 8|          Hello ANN, this is visit 1\n"), "{page}");
    let (told, status) = test(folder.path(), &[]);
    assert!(status == 0 && told.contains("2 pages passed"), "{told}");
}

#[test]
fn what_cannot_be_read_is_refused_before_anything_runs() {
    let folder = first(&[
        ("one.md", "# One\n\n```keis\nENTER\n```\n"),
        ("two.md", "# Two\n\nclock: noon\n\n```keys\nENTR\n```\n"),
    ]);
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 2, "{told}");
    for part in [
        "tests/one.md:3: there is no block of the kind keis; did you mean keys?",
        "tests/two.md:3: noon is no date and time",
        "tests/two.md:6: what is ENTR?",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    assert!(!told.contains("passed"), "{told}");
    let (told, status) = test(folder.path(), &["helo"]);
    assert!(status == 2 && told.contains("did you mean hello?"), "{told}");
}

#[test]
fn a_page_that_its_process_does_not_survive_fails_alone() {
    let folder = first(&[("wrong.md", "# Wrong\n\nset: sit.MXT=many\n\n```keys\nENTER\n```\n")]);
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 1, "{told}");
    assert!(told.contains("1 page passed, 1 failed") && told.contains("MXT"), "{told}");
}

const UNIT: &str = "# Units

```data FIRST.VISITS
ANN                 00000041
```

```call ADDS copy/GIVEN.cpy
NAME = ANN
```

```returned copy/GIVEN.cpy
NAME = ANN
TOTAL = 42
```

```conditions
READ FILE(VISITS) => IOERR
```

```call ADDS copy/GIVEN.cpy
NAME = ANN
```

```returned copy/GIVEN.cpy
TOTAL = -1
```

```conditions
```

```stub INNER copy/GIVEN.cpy
TOTAL = 7
```

```call OUTER copy/GIVEN.cpy
NAME = BOB
```

```returned copy/GIVEN.cpy
NAME = BOB
TOTAL = 8
```

```called INNER copy/GIVEN.cpy
NAME = BOB
TOTAL = 0
```

```stub INNER
abend XYZ1
```

```call OUTER copy/GIVEN.cpy
```

```returned
abend XYZ1
```

```call CHAN channel=C
[IN]
twice
```

```returned
[OUT]
twicetwice
```
";

/// A program whose COMMAREA is what a copybook describes.
fn unit(name: &str, data: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n\
         {data}       LINKAGE SECTION.\n       01  DFHCOMMAREA.\n           COPY GIVEN.\n       PROCEDURE DIVISION.\n\
         {statements}           EXEC CICS RETURN END-EXEC.\n"
    )
}

#[test]
fn programs_are_called_alone_with_stubs_for_others_and_their_statements_are_counted() {
    let folder = first(&[("hello.md", UNIT)]);
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    put("copy/GIVEN.cpy", "           05  NAME  PIC X(20).\n           05  TOTAL PIC S9(7) COMP-3.\n");
    let adds = "           EXEC CICS READ FILE('VISITS') INTO(V) RIDFLD(NAME)\n               RESP(R) END-EXEC.\n\
                \x20          IF R = 0\n               ADD 1 V-COUNT GIVING TOTAL\n           ELSE\n               MOVE -1 TO TOTAL\n\
                \x20          END-IF.\n           GO TO THE-END.\n       NEVER.\n           MOVE 5 TO TOTAL.\n       THE-END.\n";
    let data = "       01  V.\n           05  V-NAME PIC X(20).\n           05  V-COUNT PIC 9(8).\n       77  R PIC S9(8) COMP.\n";
    put("programs/ADDS.cbl", &unit("ADDS", data, adds));
    let outer = "           EXEC CICS LINK PROGRAM('INNER')\n               COMMAREA(DFHCOMMAREA) LENGTH(24) END-EXEC.\n           ADD 1 TO TOTAL.\n";
    put("programs/OUTER.cbl", &unit("OUTER", "", outer));
    let chan = "           EXEC CICS GET CONTAINER('IN') INTO(T) FLENGTH(L) END-EXEC.\n           MOVE T(1:L) TO O(1:L).\n\
                \x20          MOVE T(1:L) TO O(L + 1:L).\n           ADD L TO L.\n\
                \x20          EXEC CICS PUT CONTAINER('OUT') FROM(O) FLENGTH(L) END-EXEC.\n";
    put(
        "programs/CHAN.cbl",
        &unit(
            "CHAN",
            "       77  T PIC X(20).\n       77  O PIC X(40).\n       77  L PIC S9(8) COMP VALUE 20.\n",
            chan,
        ),
    );
    let region = fs::read_to_string(folder.path().join("region.toml")).expect("there");
    put("region.toml", &region.replacen("csd =", "copybooks = [\"copy\"]\ncsd =", 1));
    let csd = fs::read_to_string(folder.path().join("first.csd")).expect("there");
    let programs = ["ADDS", "OUTER", "CHAN", "INNER"]
        .map(|name| format!("  DEFINE PROGRAM({name}) GROUP(FIRST)\n"))
        .concat();
    put("first.csd", &(csd + &programs));
    let (told, status) = test(folder.path(), &["--coverage", "reached"]);
    assert_eq!(status, 0, "{told}");
    assert!(told.contains(" statements, ") && told.contains("reached/index.html"), "{told}");
    let lcov = fs::read_to_string(folder.path().join("reached/lcov.info")).expect("written");
    let of = |file: &str| {
        let record = lcov.split("end_of_record").find(|record| record.contains(&format!("{file}\n")));
        record.unwrap_or_else(|| panic!("{file}\n{lcov}")).to_owned()
    };
    let adds = of("ADDS.cbl");
    assert!(adds.contains("FNDA:0,NEVER\n") && adds.contains("FNDA:2,THE-END\n"), "{adds}");
    assert!(adds.contains("DA:16,1\n") && adds.contains("DA:22,0\n"), "{adds}");
    assert!(of("HELLO.cbl").contains("LH:0\n"));
    let page = fs::read_to_string(folder.path().join("reached/index.html")).expect("written");
    assert!(page.contains("<span class=n>           MOVE 5 TO TOTAL.</span>"), "{page}");
}

const SQLCODES: &str = "# Statements

```data FIRST.VISITS
```

```sqlcodes
OPEN C => 0
FETCH C => 0 | ANN | 12.50
FETCH C => 0 | BOB | NULL
FETCH C => 100
CLOSE C => 0
```

```call LISTS copy/GIVEN.cpy
```

```returned copy/GIVEN.cpy
NAME = BOB
TOTAL = 12
```

```sqlcodes
LISTS: * => 0
UPDATE ACCT => -911
```

```call PAYS copy/GIVEN.cpy
NAME = ANN
```

```returned copy/GIVEN.cpy
TOTAL = -911
```

```records FIRST.VISITS
```

```sqlcodes
* => -913
```

```call PAYS copy/GIVEN.cpy
NAME = BOB
```

```returned copy/GIVEN.cpy
TOTAL = -913
```

```records FIRST.VISITS
BOB                 00000001
```

```sqlcodes
OPEN => 0
FETCH C => 0 | A much longer name than there is room | 1
FETCH C => 0 | ANN | 123456789
* => 100
```

```call LISTS copy/GIVEN.cpy
```

```returned copy/GIVEN.cpy
NAME = A much longer name t
TOTAL = 1
```
";

/// An answer that does not suit its statement.
const UNSUITED: &str = "# Unsuited

```sqlcodes
OPEN C => 0
FETCH C => 0 | ANN
| BOB | 1
FETCH C => 100
CLOSE C => 0
```

```call LISTS copy/GIVEN.cpy
```
";

#[test]
fn statements_of_a_program_called_alone_are_answered_without_a_database() {
    let folder = first(&[("hello.md", SQLCODES)]);
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    };
    put("copy/GIVEN.cpy", "           05  NAME  PIC X(20).\n           05  TOTAL PIC S9(7) COMP-3.\n");
    let data = "       01  V.\n           05  V-NAME PIC X(20).\n           05  V-COUNT PIC 9(8) VALUE 1.\n\
                \x20      01  A PIC S9(5)V99 COMP-3.\n       01  I PIC S9(4) COMP.\n\
                \x20          EXEC SQL INCLUDE SQLCA END-EXEC.\n\
                \x20          EXEC SQL DECLARE C CURSOR FOR\n               SELECT OWNER, BALANCE FROM BANK.ACCT END-EXEC.\n";
    let lists = "           MOVE 0 TO TOTAL.\n           EXEC SQL OPEN C END-EXEC.\n           PERFORM UNTIL SQLCODE NOT = 0\n\
                 \x20              EXEC SQL FETCH C INTO :V-NAME, :A:I END-EXEC\n\
                 \x20              IF SQLCODE = 0\n                   MOVE V-NAME TO NAME\n\
                 \x20                  IF I = 0 ADD A TO TOTAL END-IF\n               END-IF\n           END-PERFORM.\n\
                 \x20          EXEC SQL CLOSE C END-EXEC.\n";
    put("programs/LISTS.cbl", &unit("LISTS", data, lists));
    let pays = "           MOVE NAME TO V-NAME.\n           EXEC CICS WRITE FILE('VISITS') FROM(V)\n               RIDFLD(V-NAME) END-EXEC.\n\
                \x20          EXEC SQL UPDATE BANK.ACCT SET BALANCE = 0 END-EXEC.\n           MOVE SQLCODE TO TOTAL.\n";
    put("programs/PAYS.cbl", &unit("PAYS", data, pays));
    let region = fs::read_to_string(folder.path().join("region.toml")).expect("there");
    put("region.toml", &region.replacen("csd =", "copybooks = [\"copy\"]\ncsd =", 1));
    let csd = fs::read_to_string(folder.path().join("first.csd")).expect("there");
    put("first.csd", &(csd + "  DEFINE PROGRAM(LISTS) GROUP(FIRST)\n  DEFINE PROGRAM(PAYS) GROUP(FIRST)\n"));
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 0, "{told}");
    put("tests/hello.md", UNSUITED);
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 1, "{told}");
    assert!(told.contains("tests/hello.md:5: 1 values for 2 host variables of FETCH C INTO"), "{told}");
    put("tests/hello.md", &UNSUITED.replace("| ANN\n", "| ANN | 2\n"));
    let (told, status) = test(folder.path(), &[]);
    assert_eq!(status, 1, "{told}");
    assert!(told.contains("tests/hello.md:5: 2 rows for a statement that takes 1: FETCH C INTO"), "{told}");
}

#[test]
fn a_session_at_a_terminal_becomes_a_page_that_passes() {
    let folder = first(&[]);
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port();
    let mut command = product();
    command
        .args(["test", ".", "--record", "people/ann", "--port", &port.to_string()])
        .current_dir(folder.path());
    let mut recording =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("syncpoint starts");
    let mut terminal = connect(SocketAddr::from(([127, 0, 0, 1], port)), &mut recording);
    terminal.start("HELO");
    terminal.sees("What is your name?");
    terminal.type_text("o\"hara");
    terminal.press(Aid::Enter);
    terminal.sees("this is visit 1");
    terminal.press(Aid::Pf(3));
    drop(terminal);
    signal(&recording, "INT");
    assert!(recording.wait().expect("it ends").success());
    let page = fs::read_to_string(folder.path().join("tests/people/ann.md")).expect("written");
    assert!(
        page.starts_with("# ann\n\nclock: ") && page.contains("fill \"o\\\"hara\"@5,31 ENTER\n"),
        "{page}"
    );
    let (told, status) = test(folder.path(), &[]);
    assert!(status == 0 && told.contains("2 pages passed"), "{told}\n{page}");
    let (told, status) = test(folder.path(), &["--record", "people/ann"]);
    assert!(status == 1 && told.contains("is there already"), "{told}");
}

/// A terminal at a region that is about to listen.
fn connect(address: SocketAddr, region: &mut Child) -> Terminal {
    let begun = Instant::now();
    loop {
        match Terminal::try_connect(address) {
            Ok(terminal) => return terminal,
            Err(why) => {
                assert!(begun.elapsed() < PATIENCE && region.try_wait().expect("a child").is_none(), "{why}")
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
