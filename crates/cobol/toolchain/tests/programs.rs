//! Programs from source to module: what is built, what is found again, and the messages of failures.

use std::fs;
use std::path::{Path, PathBuf};

use config::{CompileConfig, RegionConfig};
use diagnostics::{Severity, Source};
use expect_test::expect;
use toolchain::{Failure, Member, Program, Toolchain};

/// An application in a folder of its own.
struct Application {
    folder: tempfile::TempDir,
}

impl Application {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["programs", "copybooks", "maps"] {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        Self { folder }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("written");
    }

    /// The file of HELLO's code.
    fn code(&self) -> PathBuf {
        self.folder.path().join("built/HELLO.native")
    }

    fn config(&self) -> RegionConfig {
        let text = fs::read_to_string(self.folder.path().join("region.toml")).unwrap_or_default();
        config::region(&Source::new("region.toml", text)).0
    }

    /// A tool chain as a region's start makes it: nothing remembered but what is on disk.
    fn toolchain(&self) -> Toolchain {
        self.toolchain_with(&self.config().compile)
    }

    fn toolchain_with(&self, compile: &CompileConfig) -> Toolchain {
        let root = self.folder.path();
        Toolchain::new(root, &self.config().sources, compile, &root.join("built")).expect("a tool chain")
    }
}

/// A program that does nothing but compile, in fixed format.
fn hello(text: &str) -> String {
    let lines = [
        "IDENTIFICATION DIVISION.",
        "PROGRAM-ID. HELLO.",
        "DATA DIVISION.",
        "WORKING-STORAGE SECTION.",
        "COPY GREETING.",
        "PROCEDURE DIVISION.",
        &format!("    DISPLAY {text}."),
        "    GOBACK.",
    ];
    lines.map(|line| format!("       {line}\n")).concat()
}

const GREETING: &str = "       01 GREETING PIC X(5) VALUE 'HELLO'.\n";

fn hello_application() -> Application {
    let application = Application::new();
    application.write("programs/hello.CBL", &hello("GREETING"));
    application.write("copybooks/greeting.cpy", GREETING);
    application
}

fn program(toolchain: &Toolchain) -> Program {
    toolchain.program("HELLO").unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics()))
}

fn told(failure: &Failure, application: &Application) -> String {
    let messages: Vec<String> = failure.diagnostics().iter().map(|message| message.render(false)).collect();
    messages.join("\n").replace(&application.folder.path().display().to_string(), "DIR")
}

#[test]
fn a_program_is_built_once_and_found_again_after_a_restart() {
    let application = hello_application();
    let first = program(&application.toolchain());
    assert!(first.built && application.code().is_file());
    let again = program(&application.toolchain());
    assert!(!again.built);
    assert_eq!((again.source, again.listing), (first.source, first.listing));
}

#[test]
fn a_program_is_found_under_its_padded_name_in_any_case() {
    let application = hello_application();
    let found = application.toolchain().program("hello   ").expect("found");
    assert_eq!((found.name.as_str(), found.listing.entry()), ("HELLO", Some("HELLO")));
}

#[test]
fn a_touched_source_is_not_built_again_and_a_changed_one_is() {
    let application = hello_application();
    program(&application.toolchain());
    application.write("programs/hello.CBL", &hello("GREETING"));
    assert!(!program(&application.toolchain()).built);
    application.write("programs/hello.CBL", &hello("'OTHER'"));
    assert!(program(&application.toolchain()).built);
}

#[test]
fn another_option_is_another_build() {
    let application = hello_application();
    assert!(program(&application.toolchain()).built);
    assert!(program(&application.toolchain_with(&CompileConfig { not_yet: Severity::Warning })).built);
}

#[test]
fn a_cache_entry_that_is_damaged_is_built_again() {
    let damages: [fn(&Path); 3] = [
        |code| fs::write(code, "garbage").expect("written"),
        |code| fs::remove_file(code).expect("removed"),
        |code| {
            let mut bytes = fs::read(code).expect("a file");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(code, bytes).expect("written");
        },
    ];
    let application = hello_application();
    program(&application.toolchain());
    for damage in damages {
        damage(&application.code());
        assert!(program(&application.toolchain()).built);
        assert!(!program(&application.toolchain()).built);
    }
}

/// No length and no bit of the file is left out of what is looked at: it is never taken in part.
#[test]
fn a_cache_entry_that_is_cut_or_has_another_bit_is_built_again() {
    let application = hello_application();
    program(&application.toolchain());
    let whole = fs::read(application.code()).expect("a file");
    let last = whole.len() - 1;
    let cut = [0, 1, 8, 16, 31, 32, 33, last / 3, last / 2, last].map(|length| whole[..length].to_vec());
    let longer = [whole.clone(), vec![0]].concat();
    let bits = (0..32).chain((32..last).step_by(last / 40)).chain([last]);
    let flipped = bits.enumerate().map(|(turn, at)| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (turn % 8);
        bytes
    });
    for (turn, bytes) in cut.into_iter().chain([longer]).chain(flipped).enumerate() {
        fs::write(application.code(), bytes).expect("written");
        assert!(program(&application.toolchain()).built, "damage {turn}");
        assert!(!program(&application.toolchain()).built, "damage {turn}: the new file is whole");
    }
}

#[test]
fn a_program_that_is_nowhere() {
    let application = hello_application();
    let failure = application.toolchain().program("HELO").expect_err("no such program");
    assert!(matches!(failure, Failure::NotFound(_)));
    expect![[r#"
        error[SPTC001]: there is no program HELO
         |
         = help: there is a HELLO; is that the one?"#]]
    .assert_eq(&told(&failure, &application));
    let failure = application.toolchain().program("ZEBRA").expect_err("no such program");
    expect![[r#"
        error[SPTC001]: there is no program ZEBRA
         |
         = help: looked in DIR/programs, DIR"#]]
    .assert_eq(&told(&failure, &application));
}

#[test]
fn what_the_compiler_refuses_is_told_at_the_users_line() {
    let application = hello_application();
    application.write("programs/hello.CBL", &hello("GREETNIG"));
    let failure = application.toolchain().program("HELLO").expect_err("does not compile");
    expect![[r#"
        error[SPCK011]: there is no item GREETNIG
         --> programs/hello.CBL:7:20
          |
        7 |            DISPLAY GREETNIG.
          |                    ^^^^^^^^
          |
          = help: did you mean GREETING?"#]]
    .assert_eq(&told(&failure, &application));
}

#[test]
fn everything_is_built_with_progress_and_a_summary() {
    let application = hello_application();
    application.write("programs/broken.cob", &hello("NOSUCH"));
    application.write("programs/third.cbl", &hello("GREETING").replace(" HELLO.", " THIRD."));
    let steps = std::sync::Mutex::new(Vec::new());
    let summary = application.toolchain().all(|step| {
        steps.lock().expect("no panic").push((step.done, step.total, step.failed));
    });
    assert_eq!((summary.programs, summary.built), (2, 2));
    assert_eq!(summary.failed, [Member::Program("BROKEN".into())]);
    let steps = steps.into_inner().expect("no panic");
    assert_eq!(steps.len(), 3);
    assert_eq!(steps.iter().filter(|(_, total, failed)| *total == 3 && *failed).count(), 1);
}

#[test]
fn programs_asked_for_together_are_built_once() {
    let application = hello_application();
    let toolchain = application.toolchain();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| program(&toolchain));
        }
    });
    let built = fs::read_dir(application.folder.path().join("built")).expect("a folder");
    let mut names: Vec<String> =
        built.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["HELLO.native"]);
}

#[test]
fn what_changed_is_named_once() {
    let application = hello_application();
    let toolchain = application.toolchain();
    program(&toolchain);
    assert_eq!(toolchain.changed(), []);
    application.write("programs/hello.CBL", &hello("'OTHER'"));
    assert_eq!(toolchain.changed(), [Member::Program("HELLO".into())]);
    assert_eq!(toolchain.changed(), []);
}

/// A file may be called otherwise than its program, hold several programs, or several mapsets.
#[test]
fn programs_and_mapsets_are_found_by_what_stands_in_their_files() {
    let application = Application::new();
    let program = |name: &str, shown: &str| {
        format!(
            "       ID DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n           DISPLAY '{shown}'.\n           GOBACK.\n       END PROGRAM {name}.\n"
        )
    };
    application.write("programs/customer-read.cbl", &program("CUSTREAD", "C"));
    application.write("programs/suite.cbl", &(program("FIRST", "1") + &program("SECOND", "2")));
    application.write("programs/OWN.cbl", &program("OTHER", "O"));
    application.write("programs/a-copy-of-it.cbl", &program("TWICE", "A"));
    application.write("programs/another-copy.cbl", &program("TWICE", "B"));
    application.write("programs/SECOND-OLD.cbl", &program("OWN", "OLD"));
    let maps = "SETA     DFHMSD TYPE=MAP,LANG=COBOL,MODE=INOUT,TIOAPFX=YES\nM1       DFHMDI SIZE=(24,80)\nF1       DFHMDF POS=(1,1),LENGTH=5\n         DFHMSD TYPE=FINAL\n         END\n";
    application.write("maps/all-maps.bms", maps);
    let toolchain = application.toolchain();
    for name in ["CUSTREAD", "custread", "FIRST", "SECOND", "SUITE", "OWN", "OTHER", "TWICE"] {
        assert!(toolchain.program(name).is_ok(), "{name}");
    }
    assert!(matches!(toolchain.program("THIRD"), Err(Failure::NotFound(_))));
    assert_eq!(toolchain.mapset("SETA").expect("a mapset").name, "SETA");
    let entered = |name: &str| toolchain.program(name).expect("built").listing.programs[0].name.clone();
    assert_eq!((entered("SUITE"), entered("SECOND")), ("FIRST".to_owned(), "SECOND".to_owned()));
    let members: Vec<String> = toolchain.members().iter().map(|member| member.name().to_owned()).collect();
    assert_eq!(members, ["CUSTREAD", "OWN", "SUITE", "TWICE", "SETA"]);
    let all: Vec<String> = toolchain.all_members().iter().map(|member| member.name().to_owned()).collect();
    assert_eq!(all, ["CUSTREAD", "FIRST", "OTHER", "OWN", "SECOND", "SUITE", "TWICE", "SETA"]);
    let doubled: Vec<String> = toolchain.doubled().into_iter().map(|message| message.message).collect();
    assert_eq!(
        doubled,
        [
            "program TWICE stands in programs/a-copy-of-it.cbl and in programs/another-copy.cbl: programs/a-copy-of-it.cbl is taken"
        ]
    );
}

/// A name that a text gets while the region runs is found, too.
#[test]
fn a_program_id_that_changes_is_found_by_its_new_name() {
    let application = Application::new();
    let program = |name: &str| {
        format!(
            "       ID DIVISION.\n       PROGRAM-ID. {name}.\n       PROCEDURE DIVISION.\n           GOBACK.\n"
        )
    };
    application.write("programs/some-program.cbl", &program("BEFORE"));
    let toolchain = application.toolchain();
    assert!(toolchain.program("BEFORE").is_ok() && toolchain.program("BEHIND").is_err());
    application.write("programs/some-program.cbl", &program("BEHIND"));
    let begun = std::time::Instant::now();
    while toolchain.program("BEHIND").is_err() {
        assert!(begun.elapsed().as_secs() < 20, "not found");
        std::thread::yield_now();
    }
}

#[test]
fn a_folder_that_is_named_but_absent_is_told_at_its_line() {
    let application = hello_application();
    let text = "programs = [\"programs\", \"porgrams\"]\n";
    let (config, _) = config::region(&Source::new("region.toml", text));
    let root: &Path = application.folder.path();
    let messages = Toolchain::new(root, &config.sources, &config.compile, &root.join("built"))
        .expect_err("a folder is missing");
    expect![[r#"
        error[SPTC003]: `porgrams` is not there
         --> region.toml:1:25
          |
        1 | programs = ["programs", "porgrams"]
          |                         ^^^^^^^^^^ nothing has this name
          |
          = help: paths are relative to the folder of this file"#]]
    .assert_eq(&messages[0].render(false));
}

const MAP: &str = "\
GREET    DFHMSD TYPE=MAP,LANG=COBOL,MODE=INOUT,TIOAPFX=YES
GREETM   DFHMDI SIZE=(24,80)
WHO      DFHMDF POS=(2,10),LENGTH=20,ATTRB=(UNPROT,IC)
         DFHMSD TYPE=FINAL
         END
";

#[test]
fn a_mapset_is_assembled_under_its_name() {
    let application = hello_application();
    application.write("maps/greet.bms", MAP);
    let mapset = application.toolchain().mapset("GREET").expect("assembles");
    assert_eq!(mapset.maps.map("GREETM").map(|map| map.fields.len()), Some(1));
    let failure = application.toolchain().mapset("GRET").expect_err("no such mapset");
    assert!(matches!(failure, Failure::NotFound(_)));
}

#[test]
fn a_copy_of_a_map_brings_its_symbolic_map_unless_there_is_a_copybook() {
    let application = hello_application();
    application.write("programs/hello.CBL", &hello("WHOI").replace("COPY GREETING", "COPY GREET"));
    application.write("maps/greet.bms", MAP);
    assert!(program(&application.toolchain()).built);

    application.write("maps/greet.bms", &MAP.replace("LENGTH=20", "LENGTH=30"));
    assert!(program(&application.toolchain()).built, "the map changed");
    assert!(!program(&application.toolchain()).built);

    application.write("copybooks/greet.cpy", "       01 WHOI PIC X(20).\n");
    assert!(program(&application.toolchain()).built, "a copybook comes first");
}

#[test]
fn what_is_compiled_is_found_where_the_sources_are_taken_to() {
    let application = hello_application();
    assert!(program(&application.toolchain()).built);
    let elsewhere = Application::new();
    for name in ["programs/hello.CBL", "copybooks/greeting.cpy"] {
        fs::copy(application.folder.path().join(name), elsewhere.folder.path().join(name)).expect("copied");
    }
    let (from, to) = (application.folder.path().join("built"), elsewhere.folder.path().join("built"));
    fs::create_dir(&to).expect("made");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copied");
    }
    assert!(!program(&elsewhere.toolchain()).built);
}

#[test]
fn a_broken_map_is_told_as_that_and_once() {
    let application = hello_application();
    application.write("programs/hello.CBL", &hello("WHOI").replace("COPY GREETING", "COPY GREET"));
    application.write("maps/greet.bms", &MAP.replace("POS=(2,10)", "PSO=(2,10)"));
    let toolchain = application.toolchain();
    let summary = toolchain.all(|_| {});
    let told: Vec<String> = summary.messages.iter().map(|message| message.render(false)).collect();
    expect![[r#"
        error[SPMA006]: PSO is not an operand of DFHMDF
         --> maps/greet.bms:3:17
          |
        3 | WHO      DFHMDF PSO=(2,10),LENGTH=20,ATTRB=(UNPROT,IC)
          |                 ^^^ unknown operand
          |
          = help: did you mean PS?
        error[SPMA019]: the field has no position
         --> maps/greet.bms:3:10
          |
        3 | WHO      DFHMDF PSO=(2,10),LENGTH=20,ATTRB=(UNPROT,IC)
          |          ^^^^^^ no POS operand
          |
          = help: write POS=(line,column), the place of the attribute character before the data"#]]
    .assert_eq(&told.join("\n"));
    assert_eq!(summary.failed.len(), 2);
    application.write("maps/greet.bms", MAP);
    assert!(toolchain.changed().contains(&Member::Program("HELLO".into())), "the map was noted");
}

#[test]
fn sources_may_end_in_anything_where_a_pattern_names_them() {
    let application = Application::new();
    application.write(
        "region.toml",
        "programs = [\"src/*\"]\ncopybooks = [\"copybooks/*.txt\"]\nmaps = [\"maps/*\"]\n",
    );
    fs::create_dir(application.folder.path().join("src")).expect("made");
    application.write("src/hello.txt", &hello("WHOI").replace("COPY GREETING", "COPY GREET"));
    application.write("src/second", &hello("GREETING").replace(" HELLO.", " SECOND."));
    application.write("src/notes.txt", "Not a program.\n");
    application.write("copybooks/greeting.txt", GREETING);
    application.write("maps/greet", MAP);
    let toolchain = application.toolchain();
    let names: Vec<String> = toolchain.members().iter().map(|member| member.name().to_owned()).collect();
    assert_eq!(names, ["HELLO", "SECOND", "GREET"]);
    let summary = toolchain.all(|_| {});
    assert!(summary.failed.is_empty(), "{:?}", summary.messages);
}

#[test]
fn programs_and_maps_are_found_in_jobs() {
    let application = hello_application();
    let deck = format!(
        "//J JOB\n//A EXEC DFHYITVL\n//TRN.SYSIN DD *\n{}/*\n//LKED.SYSIN DD *\n   NAME THIRD(R)\n/*\n\
         //B EXEC DFHYITVL\n//TRN.SYSIN DD *\n{}/*\n",
        hello("GREETING").replace(" HELLO.", " SECOND."),
        hello("NOSUCH").replace(" HELLO.", " THIRD.")
    );
    application.write("region.toml", "programs = [\"programs\", \"decks.jcl\"]\n");
    application.write("decks.jcl", &deck);
    application.write("maps/maps.jcl", &format!("//A EXEC DFHMAPS\n//COPY.SYSUT1 DD *\n{MAP}/*\n"));
    application.write("maps/other.asm", "OTHER    CSECT\n");
    let toolchain = application.toolchain();
    let names: Vec<String> = toolchain.members().iter().map(|member| member.name().to_owned()).collect();
    assert_eq!(names, ["HELLO", "SECOND", "THIRD", "GREET"]);
    assert!(toolchain.program("SECOND").is_ok());
    assert!(toolchain.mapset("GREET").is_ok());
    let failure = toolchain.program("THIRD").expect_err("does not compile");
    expect![[r#"
        error[SPCK011]: there is no item NOSUCH
          --> decks.jcl:24:20
           |
        24 |            DISPLAY NOSUCH.
           |                    ^^^^^^
           |
           = help: describe it in the data division, or copy its description"#]]
    .assert_eq(&told(&failure, &application));
}

#[test]
fn a_copybook_that_stands_for_a_supplied_one_and_is_not_like_it_is_told() {
    let application = hello_application();
    application.write("copybooks/DFHAID.cpy", "       01 DFHAID.\n           02 DFHENTER PIC X VALUE 'X'.\n");
    application.write(
        "programs/hello.CBL",
        &hello("GREETING").replace("COPY GREETING.", "COPY GREETING. COPY DFHAID."),
    );
    let first = program(&application.toolchain());
    let told: Vec<String> = first.messages.iter().map(|message| message.render(false)).collect();
    expect![[r#"
        warning[SPTC013]: this DFHAID stands for the supplied one and is not like it
         --> copybooks/DFHAID.cpy:1:1
          |
        1 |        01 DFHAID.
          | ^^^^^^^^^^^^^^^^^ lacks DFHCLEAR, DFHCLRP, DFHMSRE, DFHNULL, DFHOPID, DFHPA1 and 29 more; has other values for DFHENTER
          |
          = help: take the file out of the copybook folders, and programs get the supplied DFHAID"#]].assert_eq(&told.join("\n"));
}

#[test]
fn files_that_are_no_members_are_told() {
    let application = Application::new();
    application.write("region.toml", "programs = [\"programs\"]\nmaps = [\"programs/*.txt\"]\n");
    application.write("programs/pay.txt", &hello("GREETING"));
    let told: Vec<String> =
        application.toolchain().doubts().iter().map(|message| message.render(false)).collect();
    expect![[r#"
        warning[SPTC012]: no file of programs is a program
         --> region.toml:1:13
          |
        1 | programs = ["programs"]
          |             ^^^^^^^^^^
          |
          = help: the names of programs in a folder end in .cbl, .cob; for others write a pattern: "programs/*.txt"
        warning[SPTC012]: `programs/*.txt` holds no map
         --> region.toml:2:9
          |
        2 | maps = ["programs/*.txt"]
          |         ^^^^^^^^^^^^^^^^ files are there, and none is one
          |
          = help: a map is a file with a DFHMSD, or such a text in a job: //SYSIN DD * and its like"#]].assert_eq(&told.join("\n"));
}

#[test]
fn text_behind_column_72_is_told_where_something_is_missing() {
    let application = hello_application();
    let line = format!("           DISPLAY GREETING{:40}GREE", "");
    application.write(
        "programs/hello.CBL",
        &hello("GREETING").replace("           DISPLAY GREETING", &format!("{line}TING GREETING")),
    );
    let failure = application.toolchain().program("HELLO").expect_err("does not compile");
    expect![[r#"
        error[SPCK011]: there is no item GREET
         --> programs/hello.CBL:7:68
          |
        7 |            DISPLAY GREETING                                        GREETING GREETING.
          |                                                                    ^^^^^
          |
          = help: columns 73 to 80 are not read, and line 7 has "ING GREETING." there; otherwise: did you mean GREETING?"#]].assert_eq(&told(&failure, &application));
}

#[test]
fn the_packages_of_sql_statements_are_kept_with_the_code() {
    let application = Application::new();
    let text = "       ID DIVISION.\n       PROGRAM-ID. HELLO.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n           EXEC SQL INCLUDE SQLCA END-EXEC.\n       01  KEY-X PIC S9(9) COMP.\n       PROCEDURE DIVISION.\n           EXEC SQL DELETE FROM ACCT WHERE ID = :KEY-X END-EXEC.\n           GOBACK.\n";
    application.write("programs/hello.cbl", text);
    let first = program(&application.toolchain());
    let statement = first.packages[0].statement(1).expect("a statement");
    assert_eq!((&*statement.sql.sql, statement.at.line), ("DELETE FROM ACCT WHERE ID = $1", 8));
    assert_eq!(first.packages[0].sources, ["programs/hello.cbl"]);
    let again = program(&application.toolchain());
    assert!(!again.built && again.packages == first.packages);
}

/// `COPY member OF library`: the folder of that name comes first, and its members are watched there.
#[test]
fn a_library_is_the_folder_of_its_name() {
    let application = hello_application();
    fs::create_dir(application.folder.path().join("other")).expect("made");
    application.write("region.toml", "copybooks = [\"copybooks\", \"other\"]\n");
    application
        .write("programs/hello.CBL", &hello("GREETING").replace("COPY GREETING.", "COPY GREETING OF OTHER."));
    assert!(program(&application.toolchain()).built, "the other folder has none: any will do");
    assert!(!program(&application.toolchain()).built);
    application.write("other/greeting.cpy", "       01 GREETING PIC X(7) VALUE 'WELCOME'.\n");
    assert!(program(&application.toolchain()).built, "now it has one");
    assert!(!program(&application.toolchain()).built);
    application.write("copybooks/greeting.cpy", "       01 NOTHING PIC X.\n");
    assert!(!program(&application.toolchain()).built, "the one that is not meant has changed");
    application.write("other/greeting.cpy", "       01 NOTHING PIC X.\n");
    let failure = application.toolchain().program("HELLO").expect_err("it has no greeting");
    assert!(told(&failure, &application).contains("GREETING"), "{}", told(&failure, &application));
}
