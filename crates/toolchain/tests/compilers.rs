//! Which compiler a program has: the configuration's word, and what `auto` makes of a program that ours does not take.

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
fn auto_takes_our_compiler_and_says_at_which_line_it_could_not() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("THEIRS", REFUSED)]);
    let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
    let ours = built(&toolchain, "OURS");
    assert!(ours.own.is_some() && ours.hosted_because.is_none());
    let theirs = built(&toolchain, "THEIRS");
    assert!(theirs.own.is_none());
    let why = theirs.hosted_because.expect("a reason");
    assert_eq!(
        why,
        "programs/THEIRS.cbl line 10: the native compiler does not know FUNCTION CONTENT-OF of an address yet"
    );
}

#[test]
fn a_check_of_all_names_the_programs_that_are_hosted() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("THEIRS", REFUSED)]);
    let summary = application.toolchain(CobolCompiler::Auto, &[]).all(|_| {});
    let notes: Vec<_> = summary.messages.iter().map(|message| message.message.as_str()).collect();
    assert_eq!(summary.programs, 2);
    assert!(
        notes.iter().any(|note| note.starts_with("THEIRS is compiled by the hosted compiler: ")),
        "{notes:?}"
    );
    assert!(!notes.iter().any(|note| note.starts_with("OURS")), "{notes:?}");
}

#[test]
fn native_refuses_what_it_does_not_take() {
    let application = Application::new(&[("THEIRS", REFUSED)]);
    let toolchain = application.toolchain(CobolCompiler::Native, &[]);
    let refused = toolchain.program("THEIRS").expect_err("it is refused");
    let message = message(&refused);
    assert!(message.contains("SPIR001") && message.contains("THEIRS.cbl:10:"), "{message}");
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
fn auto_leaves_a_program_to_the_other_compiler_that_calls_one_of_its_programs() {
    let application =
        Application::new(&[("CALLER", "CALL 'BETWEEN'"), ("BETWEEN", "CALL 'THEIRS'"), ("THEIRS", REFUSED)]);
    let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
    let why = built(&toolchain, "CALLER").hosted_because.expect("a reason");
    assert_eq!(why, "BETWEEN CALLs THEIRS, which is not compiled natively");
    application.write("THEIRS", "ADD 1 TO N");
    assert!(built(&toolchain, "CALLER").own.is_some());
}

#[test]
fn a_name_in_an_item_counts_as_far_as_the_text_tells_it() {
    let application = Application::new(&[("THEIRS", REFUSED), ("OURS", "ADD 1 TO N")]);
    let item =
        |value: &str| format!("\n       77 SUB PIC X(8){value}.\n       77 KEPT PIC X(8) VALUE 'THEIRS'.");
    for (name, value, statements) in [
        ("BYVALUE", " VALUE 'THEIRS'", "CALL SUB"),
        ("BYMOVE", "", "MOVE 'THEIRS' TO SUB CALL SUB"),
        ("BYITEM", "", "MOVE KEPT TO SUB CALL SUB"),
        ("BYCOND", ".\n           88 IS-IT VALUE 'THEIRS'", "SET IS-IT TO TRUE CALL SUB"),
    ] {
        application.write_with(name, &item(value), statements);
        let expected = format!("{name} CALLs THEIRS, which is not compiled natively");
        assert_eq!(why(&application, name), Some(expected));
    }
    for (name, value, statements) in [
        ("NATIVE", " VALUE 'OURS'", "CALL SUB"),
        ("NOTHING", " VALUE 'NOTHERE'", "CALL SUB"),
        ("ACCEPTS", "", "ACCEPT SUB CALL SUB"),
        ("SHOWS", " VALUE 'THEIRS'", "DISPLAY SUB"),
    ] {
        application.write_with(name, &item(value), statements);
        assert_eq!(why(&application, name), None, "{name}");
    }
}

#[test]
fn an_entry_of_a_program_that_is_called_is_callable() {
    let application = Application::new(&[
        ("CALLER", "CALL 'OTHER' CALL 'SECOND'"),
        ("OTHER", "GOBACK. ENTRY 'SECOND'. ADD 1 TO N"),
        ("LOST", "CALL 'SECOND'"),
    ]);
    let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
    assert_eq!(built(&toolchain, "CALLER").hosted_because, None);
    let why = built(&toolchain, "LOST").hosted_because;
    assert_eq!(why.as_deref(), Some("LOST CALLs SECOND, which is not compiled natively"));
}

/// A pointer within a record, behind one that every program has.
const POINTER: &str = "\n           05 P POINTER.";
/// Floating point there.
const FLOAT: &str = "\n           05 F COMP-2.";

/// Why a program is hosted at a start; none that is native.
fn why(application: &Application, name: &str) -> Option<String> {
    let program = at_the_next_start(application, CobolCompiler::Auto, name);
    assert_eq!(program.own.is_none(), program.hosted_because.is_some(), "{name}");
    program.hosted_because
}

#[test]
fn records_with_pointers_are_native_if_all_that_have_them_are() {
    let application = Application::new(&[("THEIRS", REFUSED)]);
    for name in ["SHARES", "ALSO", "CALLER"] {
        application.write_with(name, POINTER, "ADD 1 TO N");
    }
    for name in ["SHARES", "ALSO", "CALLER"] {
        assert_eq!(why(&application, name), None);
    }
    assert!(
        why(&application, "THEIRS").is_some(),
        "a hosted program that only passes them on disturbs nobody"
    );
}

#[test]
fn auto_leaves_records_with_pointers_to_the_other_compiler_because_of_one_program() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'SHARES'")]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    application.write_with("FLOATS", FLOAT, "ADD 1 TO N");
    application.write_with("SPOILER", POINTER, REFUSED);
    let expected = "programs/SHARES.cbl line 8: a pointer within a record has 4 bytes here, and 8 in SPOILER, which is hosted \
                    (programs/SPOILER.cbl line 11: the native compiler does not know FUNCTION CONTENT-OF of an address yet)";
    assert_eq!(why(&application, "SHARES").as_deref(), Some(expected));
    let caller = why(&application, "CALLER");
    assert_eq!(caller.as_deref(), Some("CALLER CALLs SHARES, which is not compiled natively"));
    assert_eq!(why(&application, "OURS"), None);
    assert_eq!(why(&application, "FLOATS"), None, "SPOILER has no floating point");
    let native = application.toolchain(CobolCompiler::Native, &[]);
    assert!(built(&native, "SHARES").own.is_some(), "the configuration's word");
    // What is kept of all this is not believed when the program that spoilt it has changed.
    application.write_with("SPOILER", POINTER, "ADD 1 TO N");
    for name in ["SHARES", "CALLER", "SPOILER"] {
        assert_eq!(why(&application, name), None, "{name}");
    }
    application.write_with("SPOILER", POINTER, REFUSED);
    assert_eq!(why(&application, "SHARES").as_deref(), Some(expected));
}

#[test]
fn a_program_that_the_configuration_names_spoils_it_too() {
    let application = Application::new(&[]);
    for name in ["SHARES", "NAMED", "OTHER"] {
        application.write_with(name, FLOAT, "ADD 1 TO N");
    }
    let hosted = CobolCompiler::Hosted;
    let toolchain = application.toolchain(CobolCompiler::Auto, &[("NAMED", hosted), ("OTHER", hosted)]);
    let why = built(&toolchain, "SHARES").hosted_because.expect("a reason");
    let expected = "in NAMED and 1 other program, which are hosted (NAMED: the configuration says so)";
    assert!(why.ends_with(expected), "{why}");
}

#[test]
fn the_copy_of_a_program_for_a_hosted_caller_spoils_it_too() {
    let application = Application::new(&[("CALLER", &format!("CALL 'SUB' {REFUSED}"))]);
    application.write_with("SUB", POINTER, "ADD 1 TO N");
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    let why = why(&application, "SHARES").expect("a reason");
    let expected = "8 in SUB, which is hosted (CALLER CALLs it, and is hosted: programs/CALLER.cbl line 10: the native compiler does not \
                    know FUNCTION CONTENT-OF of an address yet)";
    assert!(why.ends_with(expected), "{why}");
}

#[test]
fn records_of_the_region_s_own_addresses_disturb_nobody() {
    let application = Application::new(&[]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    application.write_with("ANALYZER", "\n           COPY DFHWBTDO.", "ADD 1 TO N");
    application.write_with("DIRECT", "\n       COPY VSVCLIST.", "CALL 'VSVPSYNC' USING REC");
    assert_eq!(why(&application, "ANALYZER"), None);
    assert_eq!(why(&application, "DIRECT"), None);
    assert_eq!(why(&application, "SHARES"), None);
}

#[test]
fn a_program_that_calls_one_of_the_configurations_hosted_ones_is_hosted() {
    let application = Application::new(&[("CALLER", "CALL 'NAMED'"), ("NAMED", "ADD 1 TO N")]);
    let toolchain = application.toolchain(CobolCompiler::Auto, &[("NAMED", CobolCompiler::Hosted)]);
    let why = built(&toolchain, "CALLER").hosted_because;
    assert_eq!(why.as_deref(), Some("CALLER CALLs NAMED, which is not compiled natively"));
}

#[test]
fn what_was_decided_holds_until_the_next_start() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    application.write_with("CHANGES", POINTER, "ADD 1 TO N");
    let running = application.toolchain(CobolCompiler::Auto, &[]);
    assert!(built(&running, "SHARES").own.is_some() && built(&running, "CHANGES").own.is_some());
    // A program that would be hosted now is refused as long as another is native.
    application.write_with("CHANGES", POINTER, REFUSED);
    let refused = running.program("CHANGES").expect_err("SHARES is native");
    let text = message(&refused);
    assert!(text.contains("CONTENT-OF") && text.contains("SHARES is native since the start"), "{text}");
    assert!(built(&running, "SHARES").own.is_some());
    assert!(
        why(&application, "CHANGES").is_some() && why(&application, "SHARES").is_some(),
        "the next start"
    );
    // One without such records may be hosted, and one that is mended is taken.
    application.write("OURS", REFUSED);
    assert!(built(&running, "OURS").own.is_none());
    application.write_with("CHANGES", POINTER, "ADD 2 TO N");
    assert!(built(&running, "CHANGES").own.is_some());
}

#[test]
fn a_start_that_decides_otherwise_than_the_last_warns_of_its_data() {
    let application = Application::new(&[]);
    application.write_with("FLOATS", FLOAT, "ADD 1 TO N");
    application.write_with("CHANGES", FLOAT, "ADD 1 TO N");
    let start = || {
        let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
        built(&toolchain, "FLOATS");
        let told: String = toolchain.decided_otherwise().iter().map(|told| told.render(false)).collect();
        toolchain.keep_decision();
        told
    };
    assert_eq!((start(), start()), (String::new(), String::new()));
    application.write_with("CHANGES", FLOAT, REFUSED);
    assert!(start().contains("records with floating point are those of hosted programs from now on"));
    assert_eq!(start(), "");
    application.write_with("CHANGES", FLOAT, "ADD 1 TO N");
    assert!(
        application.toolchain(CobolCompiler::Auto, &[]).all(|_| {}).messages[0].code == "SPTC018",
        "a check, too"
    );
    assert!(start().contains("of native programs"));
}

#[test]
fn a_hosted_copy_of_a_program_with_such_records_is_warned_of() {
    let application = Application::new(&[]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
    assert!(built(&toolchain, "SHARES").own.is_some());
    let copy = toolchain.hosted("SHARES").unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics()));
    let told: String = copy.messages.iter().map(|message| message.render(false)).collect();
    assert!(told.contains("SPTC017") && told.contains("a hosted program CALLs SHARES"), "{told}");
}

#[test]
fn a_check_decides_as_auto_does() {
    let application =
        Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'THEIRS'"), ("THEIRS", REFUSED)]);
    application.write_with("SHARES", POINTER, "ADD 1 TO N");
    application.write_with("FLOATS", FLOAT, "ADD 1 TO N");
    application.write_with("SPOILER", POINTER, "CALL 'THEIRS'");
    for choice in [CobolCompiler::Hosted, CobolCompiler::Auto] {
        let checks = application.toolchain(choice, &[]);
        let auto = application.toolchain(CobolCompiler::Auto, &[]);
        for name in ["OURS", "CALLER", "THEIRS", "SHARES", "FLOATS", "SPOILER"] {
            let (taken, refused) = (built(&auto, name).own.is_some(), checks.accepts(name).err());
            assert_eq!(taken, refused.is_none(), "{name}: {:?}", refused.as_ref().map(message));
            assert_eq!(taken, ["OURS", "FLOATS"].contains(&name), "{name}");
        }
    }
    let native = application.toolchain(CobolCompiler::Native, &[]);
    assert!(native.accepts("SHARES").is_ok(), "there are no hosted programs beside it");
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
fn at_the_next_start(application: &Application, compiler: CobolCompiler, name: &str) -> Program {
    built(&application.toolchain(compiler, &[]), name)
}

#[test]
fn the_next_start_compiles_nothing_that_has_not_changed() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'OURS'")]);
    for compiler in [CobolCompiler::Native, CobolCompiler::Auto] {
        for name in ["OURS", "CALLER"] {
            // The code is the same, whoever has decided that there is any.
            let is_first = compiler == CobolCompiler::Native;
            assert_eq!(at_the_next_start(&application, compiler, name).built, is_first, "{name}");
            let found = at_the_next_start(&application, compiler, name);
            assert!(!found.built && found.own.is_some(), "{name}");
        }
    }
    let all = application.toolchain(CobolCompiler::Auto, &[]).all(|_| {});
    assert_eq!((all.programs, all.built), (2, 0));
    application.write("OURS", "ADD 12345 TO N");
    assert!(at_the_next_start(&application, CobolCompiler::Auto, "OURS").built);
    assert!(
        !at_the_next_start(&application, CobolCompiler::Auto, "CALLER").built,
        "what it CALLs is another one"
    );
}

#[test]
fn a_copybook_that_changes_comes_or_goes_makes_other_code() {
    let application = Application::new(&[("OURS", "ADD 1 TO N")]);
    application.write_with("COPIES", "\n           COPY MORE.", "MOVE 5 TO M");
    let copybook = application.0.path().join("copybooks/MORE.cpy");
    let kind = |text: &str| fs::write(&copybook, format!("           05 M PIC {text}.\n")).expect("written");
    let now = || at_the_next_start(&application, CobolCompiler::Native, "COPIES");
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
    let now = || at_the_next_start(&application, CobolCompiler::Native, "OURS");
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
    let application = Application::new(&[("THEIRS", REFUSED), ("CALLER", "CALL 'THEIRS'")]);
    // Time has gone by since the source was written: its time says whether it has changed.
    let source = fs::File::options().write(true).open(application.0.path().join("programs/THEIRS.cbl"));
    source.expect("a source").set_modified(SystemTime::now() - Duration::from_secs(60)).expect("set");
    let why = || at_the_next_start(&application, CobolCompiler::Auto, "THEIRS").hosted_because;
    let first = why();
    let file = application.0.path().join("built/THEIRS.facts");
    let kept = fs::read(&file).expect("its file");
    assert_eq!(
        first.as_deref(),
        Some(
            "programs/THEIRS.cbl line 10: the native compiler does not know FUNCTION CONTENT-OF of an address yet"
        )
    );
    assert_eq!(why(), first);
    assert!(fs::read(&file).expect("its file") == kept, "it was found, and not written again");
    let caller = || at_the_next_start(&application, CobolCompiler::Auto, "CALLER");
    assert!(caller().own.is_none() && caller().own.is_none());
    application.write("THEIRS", "ADD 1 TO N");
    assert!(at_the_next_start(&application, CobolCompiler::Auto, "THEIRS").own.is_some());
    assert!(caller().own.is_some(), "what it CALLs is native now");
}

#[test]
fn code_moves_with_its_sources() {
    let application = Application::new(&[("OURS", "ADD 1 TO N"), ("CALLER", "CALL 'OURS'")]);
    assert!(at_the_next_start(&application, CobolCompiler::Auto, "CALLER").built);
    let moved = Application(tempfile::tempdir().expect("a folder"));
    fs::remove_dir(moved.0.path()).expect("removed");
    fs::rename(application.0.path(), moved.0.path()).expect("moved");
    assert!(!at_the_next_start(&moved, CobolCompiler::Auto, "CALLER").built);
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

/// The programs of a sample that are left to the hosted compiler, with the reasons.
fn left_to_hosted(sample: &str) -> Vec<String> {
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
fn the_samples_are_native_but_for_what_is_known() {
    let bank = left_to_hosted("bank");
    assert!(bank.len() <= 3 && bank.iter().all(|why| why.ends_with(" EXEC SQL yet")), "{bank:#?}");
    assert_eq!(left_to_hosted("authenticator"), [""; 0]);
}

#[test]
fn a_program_that_is_compiled_natively_by_name_and_calls_a_hosted_one_is_warned_of() {
    let application = Application::new(&[
        ("CALLER", "CALL 'THEIRS'"),
        ("THEIRS", REFUSED),
        ("OURS", "ADD 1 TO N"),
        ("OTHER", "CALL 'OURS'"),
    ]);
    let toolchain = application.toolchain(CobolCompiler::Auto, &[("CALLER", CobolCompiler::Native)]);
    let caller = built(&toolchain, "CALLER");
    let [warning] = caller.messages.as_slice() else { panic!("{:?}", caller.messages) };
    assert_eq!(
        warning.message,
        "CALLER is compiled natively and CALLs THEIRS, which is hosted (programs/THEIRS.cbl line 10: the native compiler does not \
         know FUNCTION CONTENT-OF of an address yet): that CALL is abend 4038"
    );
    assert_eq!(
        built(&toolchain, "THEIRS").refuses_native_callers().as_deref(),
        Some(
            "it is compiled by the hosted compiler (programs/THEIRS.cbl line 10: the native compiler does not know FUNCTION CONTENT-OF \
             of an address yet), and its caller natively: name both in `gnucobol` of [cobol], or both in `native`"
        )
    );
    assert_eq!(built(&toolchain, "OURS").refuses_native_callers(), None);
    assert!(toolchain.calls_across("OTHER").is_empty() && toolchain.calls_across("THEIRS").is_empty());
    // With `auto` alone there is no such pair: the caller is hosted, too.
    let toolchain = application.toolchain(CobolCompiler::Auto, &[]);
    assert!(built(&toolchain, "CALLER").hosted_because.is_some());
    assert!(toolchain.calls_across("CALLER").is_empty());
}
