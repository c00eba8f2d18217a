//! The compiler of a program: ours, unless the configuration names GnuCOBOL.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use config::{CobolCompiler, CobolConfig, CompileConfig, RegionConfig};
use diagnostics::Source;
use toolchain::{Failure, Program, Toolchain};

/// A statement that our compiler does not take, and the hosted one does: the function that GnuCOBOL alone has.
const REFUSED: &str = "DISPLAY FUNCTION CONTENT-OF(PLACE)";

/// Programs in a folder of their own, each with these statements.
struct Application(tempfile::TempDir);

impl Application {
    fn new(programs: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["programs", "copybooks", "maps"] {
            fs::create_dir(folder.path().join(name)).expect("made");
        }
        let application = Self(folder);
        programs.iter().for_each(|(name, statements)| application.write(name, statements));
        application
    }

    fn write(&self, name: &str, statements: &str) {
        self.write_with(name, "", statements);
    }

    fn write_with(&self, name: &str, part: &str, statements: &str) {
        let text = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n       \
             01 N PIC 9(4).\n       01 REC.\n           05 A PIC X.{part}\n       01 PLACE POINTER.\n       PROCEDURE DIVISION.\n           {statements}.\n           GOBACK.\n"
        );
        fs::write(self.0.path().join(format!("programs/{name}.cbl")), text).expect("written");
    }

    fn toolchain(&self, compiler: CobolCompiler, named: &[(&str, CobolCompiler)]) -> Toolchain {
        let config: RegionConfig = config::region(&Source::new("region.toml", "")).0;
        let programs = named.iter().map(|(name, compiler)| ((*name).to_owned(), *compiler)).collect();
        let cobol = CobolConfig { compiler, programs };
        let compile = CompileConfig { cobol, ..CompileConfig::default() };
        let root = self.0.path();
        Toolchain::new(root, &config.sources, &compile, &root.join("built")).expect("a tool chain")
    }
}

fn built(toolchain: &Toolchain, name: &str) -> Program {
    toolchain.program(name).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics()))
}

fn message(failure: &Failure) -> String {
    failure.diagnostics().iter().map(|message| message.render(false)).collect()
}

#[test]
fn our_compiler_is_the_default_and_refuses_what_it_does_not_take() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("THEIRS", REFUSED)]);
    let toolchain = application.toolchain(CobolCompiler::default(), &[]);
    assert!(built(&toolchain, "OURS").own.is_some());
    let refused = toolchain.program("THEIRS").expect_err("it is refused");
    let message = message(&refused);
    assert!(message.contains("SPIR001") && message.contains("THEIRS.cbl:10:"), "{message}");
}

#[test]
fn a_check_of_all_names_the_programs_that_gnucobol_compiles() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("THEIRS", REFUSED)]);
    let toolchain = application.toolchain(CobolCompiler::Native, &[("THEIRS", CobolCompiler::Hosted)]);
    let summary = toolchain.all(|_| {});
    let told: Vec<_> = summary.messages.iter().map(|message| message.message.as_str()).collect();
    assert_eq!((summary.programs, told), (2, vec!["THEIRS is compiled by GnuCOBOL, as [cobol] says"]));
}

#[test]
fn a_record_that_programs_of_both_compilers_have_is_warned_of_by_name() {
    let application = Application::new(&[]);
    application.write_with("OURS", POINTER, "ADD 1 TO N");
    application.write_with("THEIRS", POINTER, "ADD 1 TO N");
    application.write_with("FLOATS", FLOAT, "ADD 1 TO N");
    let told = |named: &[(&str, CobolCompiler)]| {
        let toolchain = application.toolchain(CobolCompiler::Native, named);
        toolchain.records_of_both().iter().map(|told| told.render(false)).collect::<String>()
    };
    assert_eq!(told(&[]), "");
    let both = told(&[("THEIRS", CobolCompiler::Hosted)]);
    assert!(
        both.contains("OURS.cbl:8:") && both.contains("8 in THEIRS, which is compiled by GnuCOBOL"),
        "{both}"
    );
    assert!(!both.contains("FLOATS"), "{both}");
}

#[test]
fn a_program_may_name_its_compiler() {
    let application = Application::new(&[("ONE", "ADD 1 TO N"), ("TWO", "ADD 1 TO N")]);
    let toolchain = application.toolchain(CobolCompiler::Hosted, &[("ONE", CobolCompiler::Native)]);
    assert!(built(&toolchain, "ONE").own.is_some());
    assert!(built(&toolchain, "TWO").own.is_none());
    assert!(
        toolchain.hosted("ONE").is_ok_and(|program| program.own.is_none()),
        "for hosted programs that CALL it"
    );
}

#[test]
fn a_contained_program_has_statements_and_an_sqlca_of_its_own() {
    let application = Application::new(&[]);
    let text = "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. OUTER.\n       PROCEDURE DIVISION.\n           CALL 'INNER'.\n           \
                GOBACK.\n       IDENTIFICATION DIVISION.\n       PROGRAM-ID. INNER.\n       DATA DIVISION.\n       \
                WORKING-STORAGE SECTION.\n           EXEC SQL INCLUDE SQLCA END-EXEC.\n       01 N PIC S9(9) COMP.\n       \
                PROCEDURE DIVISION.\n           EXEC SQL SELECT 1 INTO :N FROM SYSIBM.SYSDUMMY1 END-EXEC.\n           \
                GOBACK.\n       END PROGRAM INNER.\n       END PROGRAM OUTER.\n";
    fs::write(application.0.path().join("programs/OUTER.cbl"), text).expect("written");
    assert!(built(&application.toolchain(CobolCompiler::Native, &[]), "OUTER").own.is_some());
}

/// A pointer within a record, behind one that every program has.
const POINTER: &str = "\n           05 P POINTER.";
/// Floating point there.
const FLOAT: &str = "\n           05 F COMP-2.";

#[test]
fn a_program_with_a_record_of_the_region_s_own_addresses_is_native() {
    let application = Application::new(&[]);
    application.write_with("ANALYZER", "\n           COPY DFHWBTDO.", "ADD 1 TO N");
    application.write_with("DIRECT", "\n       COPY VSVCLIST.", "CALL 'VSVPSYNC' USING REC");
    let native = application.toolchain(CobolCompiler::Native, &[]);
    assert!(built(&native, "ANALYZER").own.is_some() && built(&native, "DIRECT").own.is_some());
}

#[test]
fn a_hosted_copy_of_a_program_with_such_records_is_warned_of() {
    let application = Application::new(&[]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    let toolchain = application.toolchain(CobolCompiler::Native, &[]);
    assert!(built(&toolchain, "SHARES").own.is_some());
    let copy = toolchain.hosted("SHARES").unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics()));
    let told: String = copy.messages.iter().map(|message| message.render(false)).collect();
    assert!(told.contains("SPTC017") && told.contains("a hosted program CALLs SHARES"), "{told}");
}

#[test]
fn code_is_made_again_when_the_source_changes() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    let toolchain = application.toolchain(CobolCompiler::Native, &[]);
    assert!(built(&toolchain, "OURS").built);
    assert!(!built(&toolchain, "OURS").built);
    application.write("OURS", "ADD 12345 TO N");
    assert!(built(&toolchain, "OURS").built);
}

/// Another start of the same application.
fn at_the_next_start(application: &Application, name: &str) -> Program {
    built(&application.toolchain(CobolCompiler::Native, &[]), name)
}

#[test]
fn the_next_start_compiles_nothing_that_has_not_changed() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'OURS'")]);
    for name in ["OURS", "CALLER"] {
        assert!(at_the_next_start(&application, name).built, "{name}");
        let found = at_the_next_start(&application, name);
        assert!(!found.built && found.own.is_some(), "{name}");
    }
    let all = application.toolchain(CobolCompiler::Native, &[]).all(|_| {});
    assert_eq!((all.programs, all.built), (2, 0));
    application.write("OURS", "ADD 12345 TO N");
    assert!(at_the_next_start(&application, "OURS").built);
    assert!(!at_the_next_start(&application, "CALLER").built, "what it CALLs is another one");
}

#[test]
fn a_copybook_that_changes_comes_or_goes_makes_other_code() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    application.write_with("COPIES", "\n           COPY MORE.", "MOVE 5 TO M");
    let copybook = application.0.path().join("copybooks/MORE.cpy");
    let kind = |text: &str| fs::write(&copybook, format!("           05 M PIC {text}.\n")).expect("written");
    let now = || at_the_next_start(&application, "COPIES");
    kind("9(4)");
    assert!(now().built && !now().built);
    kind("9(5)");
    assert!(now().built && !now().built);
    // The same text at another time is the same copybook.
    kind("9(5)");
    assert!(!now().built);
    // One in front of it in another folder answers COPY from now on.
    fs::remove_file(&copybook).expect("removed");
    let gone = application.toolchain(CobolCompiler::Native, &[]).program("COPIES");
    assert!(message(&gone.expect_err("it has no copybook")).contains("MORE"));
    kind("9(4)");
    assert!(now().built);
}

#[test]
fn a_damaged_or_foreign_file_is_compiled_again() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    let now = || at_the_next_start(&application, "OURS");
    assert!(now().built);
    let path = application.0.path().join("built/OURS.native");
    let whole = fs::read(&path).expect("its file");
    let mut damaged = whole.clone();
    let last = damaged.len() - 10;
    damaged[last] ^= 1;
    for bytes in [
        &damaged[..],
        &whole[..whole.len() / 2],
        b"",
        b"something else altogether, but long enough to be one",
    ] {
        fs::write(&path, bytes).expect("written");
        assert!(now().built, "{} bytes", bytes.len());
        assert!(!now().built, "and is whole again");
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).expect("allowed");
    assert!(now().built, "others might have written it");
    let mode = fs::metadata(&path).expect("its file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let left: Vec<_> = fs::read_dir(path.parent().expect("a folder")).expect("read").flatten().collect();
    assert_eq!(left.len(), 1, "nothing is left of writing: {left:?}");
}

#[test]
fn a_refusal_is_known_at_the_next_start() {
    let application = Application::new(&[("THEIRS", REFUSED)]);
    // Time has gone by since the source was written: its time says whether it has changed.
    let source = fs::File::options().write(true).open(application.0.path().join("programs/THEIRS.cbl"));
    source.expect("a source").set_modified(SystemTime::now() - Duration::from_secs(60)).expect("set");
    let why = || {
        let refused = application.toolchain(CobolCompiler::Native, &[]).accepts("THEIRS").err();
        refused.as_ref().map(message)
    };
    let first = why();
    let file = application.0.path().join("built/THEIRS.facts");
    let kept = fs::read(&file).expect("its file");
    let told = first.as_deref().unwrap_or_default();
    assert!(told.contains("THEIRS.cbl:10:") && told.contains("CONTENT-OF of an address"), "{told}");
    assert_eq!(why(), first);
    assert!(fs::read(&file).expect("its file") == kept, "it was found, and not written again");
    application.write("THEIRS", "ADD 1 TO N");
    assert_eq!(why(), None);
}

#[test]
fn code_moves_with_its_sources() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'OURS'")]);
    assert!(at_the_next_start(&application, "CALLER").built);
    let moved = Application(tempfile::tempdir().expect("a folder"));
    fs::remove_dir(moved.0.path()).expect("removed");
    fs::rename(application.0.path(), moved.0.path()).expect("moved");
    assert!(!at_the_next_start(&moved, "CALLER").built);
    fs::create_dir(application.0.path()).expect("made");
}

#[test]
fn a_program_that_can_be_kept_nowhere_runs_all_the_same() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    let toolchain = application.toolchain(CobolCompiler::Native, &[]);
    fs::create_dir_all(application.0.path().join("built/OURS.native/in-the-way")).expect("made");
    let program = built(&toolchain, "OURS");
    assert!(program.own.is_some());
    let text: String = program.messages.iter().map(|message| message.render(false)).collect();
    assert!(text.contains("SPTC008") && text.contains("OURS.native"), "{text}");
}

/// The programs of a sample that our compiler refuses, with the reasons.
fn refused(sample: &str) -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let text = fs::read_to_string(root.join("region.toml")).expect("a configuration");
    let config: RegionConfig = config::region(&Source::new("region.toml", text)).0;
    let built = tempfile::tempdir().expect("a folder");
    let toolchain =
        Toolchain::new(&root, &config.sources, &config.compile, built.path()).expect("a tool chain");
    let names = toolchain.members().into_iter().filter_map(|member| match member {
        toolchain::Member::Program(name) => Some(name),
        toolchain::Member::Mapset(_) => None,
    });
    let refused = names.filter_map(|name| {
        let failure = toolchain.accepts(&name).err()?;
        Some(format!("{name}: {}", failure.diagnostics()[0].message))
    });
    refused.collect()
}

#[test]
fn our_compiler_takes_all_programs_of_the_samples() {
    for sample in ["authenticator", "bank", "contacts", "orders", "rtw"] {
        assert_eq!(refused(sample), [""; 0], "{sample}");
    }
}

#[test]
fn a_program_that_calls_one_of_gnucobol_is_warned_of() {
    let application =
        Application::new(&[("CALLER", "CALL 'THEIRS'"), ("THEIRS", "ADD 1 TO N"), ("OURS", "CALL 'CALLER'")]);
    let toolchain = application.toolchain(CobolCompiler::Native, &[("THEIRS", CobolCompiler::Hosted)]);
    let caller = built(&toolchain, "CALLER");
    let [warning] = caller.messages.as_slice() else { panic!("{:?}", caller.messages) };
    assert_eq!(
        warning.message,
        "CALLER CALLs THEIRS, which is compiled by GnuCOBOL, as [cobol] says: that CALL is abend 4038"
    );
    let refused = built(&toolchain, "THEIRS").refuses_native_callers().expect("a reason");
    assert!(refused.starts_with("it is compiled by GnuCOBOL"), "{refused}");
    assert_eq!(built(&toolchain, "OURS").refuses_native_callers(), None);
    assert!(toolchain.calls_across("OURS").is_empty() && toolchain.calls_across("THEIRS").is_empty());
}
