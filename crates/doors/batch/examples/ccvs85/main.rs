//! Runs the COBOL-85 validation suite (CCVS85) through our own compiler, and through GnuCOBOL, and counts.
//!
//! `cargo run --release -p batch --example ccvs85 -- PATH/newcob.val [MODULE …] [--cobc | --beside] [--show]`

mod run;
mod suite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use suite::{Member, Suite};

/// The modules that programs of Enterprise COBOL can be measured by.
const MODULES: [&str; 10] = ["NC", "SM", "IC", "IF", "ST", "SQ", "RL", "IX", "SG", "OB"];
/// Greatest time of a program.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Options of GnuCOBOL: IBM's dialect, and the suite's numbers are cut by their pictures.
const COBC_OPTIONS: [&str; 6] =
    ["-x", "-fbinary-truncate", "-std=ibm", "-fno-arithmetic-osvs", "-fsign=EBCDIC", "-ffold-call=UPPER"];
/// One more for a module whose programs define a name that is no word of the language.
const COBC_OPTION_OF: (&str, &str) = ("ST", "-fnot-reserved=CHAR");
/// The first two switches of the suite are on and off when a program begins.
const COBC_SWITCHES: [(&str, &str); 2] = [("COB_SWITCH_0", "ON"), ("COB_SWITCH_1", "OFF")];

/// Whose programs run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compiler {
    Own,
    Gnucobol,
}

/// Counts of a module.
#[derive(Clone, Debug, Default)]
struct Count {
    programs: usize,
    accepted: usize,
    /// Programs that ended well, without a failed test.
    right: usize,
    passed: usize,
    failed: usize,
    deleted: usize,
    inspected: usize,
}

/// Ends of a program.
#[derive(Debug)]
enum End {
    Refused(String),
    Abnormal(String),
    Done,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, folder, name] = arguments.as_slice()
        && flag == "--one"
    {
        return run::run(Path::new(folder), name).unwrap_or_else(|error| {
            eprintln!("{error}");
            ExitCode::from(2)
        });
    }
    let mut flag = |name: &str| {
        let found = arguments.iter().position(|argument| argument == name);
        found.map(|at| arguments.remove(at)).is_some()
    };
    let (cobc, beside, show) = (flag("--cobc"), flag("--beside"), flag("--show"));
    let compilers: &[Compiler] = match (beside, cobc) {
        (true, _) => &[Compiler::Own, Compiler::Gnucobol],
        (false, true) => &[Compiler::Gnucobol],
        (false, false) => &[Compiler::Own],
    };
    let Some(path) = arguments.first().map(PathBuf::from).filter(|path| path.exists()) else {
        println!("skipped: the suite's file newcob.val is not there; say where it is");
        return ExitCode::SUCCESS;
    };
    let wanted = &arguments[1..];
    match Suite::read(&path) {
        Ok(suite) => {
            all(&suite, wanted, compilers, show);
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn all(suite: &Suite, wanted: &[String], compilers: &[Compiler], show: bool) {
    let mut counts: BTreeMap<usize, Vec<Count>> = BTreeMap::new();
    for main in suite.programs.iter().filter(|member| member.main.is_none()) {
        let meant = wanted.is_empty() || wanted.iter().any(|prefix| main.name.starts_with(prefix.as_str()));
        let Some(module) = MODULES.iter().position(|name| main.name.starts_with(name)).filter(|_| meant)
        else {
            continue;
        };
        if is_for_flagging(&main.name) {
            continue;
        }
        let counts = counts.entry(module).or_insert_with(|| vec![Count::default(); compilers.len()]);
        for (compiler, count) in compilers.iter().zip(counts) {
            chain(suite, main, *compiler, show, count);
        }
    }
    let names = compilers.iter().map(|compiler| format!("  | {:43}", compiler.name()));
    println!("       programs{}", names.collect::<String>());
    let columns = "  | accepted right passed failed deleted inspect";
    println!("               {}", columns.repeat(compilers.len()));
    for (module, counts) in counts {
        let programs = counts.first().map_or(0, |count| count.programs);
        let rows = counts.iter().map(|count| {
            let Count { accepted, right, passed, failed, deleted, inspected, .. } = count;
            format!("  | {accepted:8} {right:5} {passed:6} {failed:6} {deleted:7} {inspected:7}")
        });
        println!("{:6} {programs:8}{}", MODULES[module], rows.collect::<String>());
    }
}

impl Compiler {
    fn name(self) -> &'static str {
        match self {
            Self::Own => "our own compiler",
            Self::Gnucobol => "GnuCOBOL",
        }
    }
}

/// Programs that only a compiler's messages are looked at of.
fn is_for_flagging(name: &str) -> bool {
    name.as_bytes().get(2).is_some_and(|level| matches!(level, b'3' | b'4'))
}

/// A main program, with what it CALLs, and the programs that run behind it on the same files.
fn chain(suite: &Suite, main: &Member, compiler: Compiler, show: bool, count: &mut Count) {
    let Ok(folder) = tempfile::tempdir() else { return };
    let folder = folder.path();
    let _ = std::fs::create_dir(folder.join(suite::LIBRARY));
    let of_main = |member: &&Member| member.main.as_ref() == Some(&main.name);
    let copies = suite.copybooks.iter().map(|(name, text)| (format!("{name}.cpy"), text));
    let sources = suite.programs.iter().filter(|member| member.name == main.name || of_main(member));
    // Numbers are cut by their pictures, for either compiler.
    let option = if compiler == Compiler::Own { "       CBL TRUNC(STD)\n" } else { "" };
    let sources: Vec<_> =
        sources.map(|member| (format!("{}.cbl", member.name), format!("{option}{}", member.text))).collect();
    let sources = sources.iter().map(|(name, text)| (name.clone(), text));
    let data = suite.data.iter().map(|(name, text)| (format!("{name}.data"), text));
    for (name, text) in copies.chain(sources).chain(data) {
        if let Err(error) = std::fs::write(folder.join(&name), text) {
            eprintln!("{name}: {error}");
        }
    }
    let called: Vec<&str> = suite
        .programs
        .iter()
        .filter(|member| of_main(member) && member.is_called)
        .map(|member| member.name.as_str())
        .collect();
    let behind = suite.programs.iter().filter(|member| of_main(member) && !member.is_called);
    for member in std::iter::once(main).chain(behind) {
        let _ = std::fs::remove_file(folder.join(run::PRINTED));
        let end = match compiler {
            Compiler::Gnucobol => gnucobol(folder, &member.name, &called),
            Compiler::Own => own(folder, &member.name),
        };
        let printed = std::fs::read(folder.join(run::PRINTED)).unwrap_or_default();
        counted(member, &end, &String::from_utf8_lossy(&printed), show, count);
    }
}

fn own(folder: &Path, name: &str) -> End {
    let Ok(program) = std::env::current_exe() else { return End::Abnormal("no program".into()) };
    let mut command = Command::new(program);
    command.arg("--one").arg(folder).arg(name);
    ended(&mut command, Stdio::null(), |code| code == Some(1))
}

fn gnucobol(folder: &Path, name: &str, called: &[&str]) -> End {
    let mut compile = Command::new("cobc");
    compile.args(COBC_OPTIONS).args(["-o", "program"]).current_dir(folder);
    compile
        .args(Some(COBC_OPTION_OF).filter(|(module, _)| name.starts_with(module)).map(|(_, option)| option));
    compile.arg(format!("{name}.cbl")).args(called.iter().map(|name| format!("{name}.cbl")));
    match ended(&mut compile, Stdio::null(), |_| true) {
        End::Done => {}
        other => return other,
    }
    let mut run = Command::new(folder.join("program"));
    run.current_dir(folder).env(format!("DD_{}", run::PRINTER), run::PRINTED).envs(COBC_SWITCHES);
    let input = std::fs::File::open(folder.join(format!("{name}.data")));
    ended(&mut run, input.map_or_else(|_| Stdio::null(), Stdio::from), |_| false)
}

/// Runs a command within its time.
fn ended(command: &mut Command, input: Stdio, is_refused: impl Fn(Option<i32>) -> bool) -> End {
    let Ok(messages) = tempfile::tempfile() else { return End::Abnormal("no file".into()) };
    let Ok(errors) = messages.try_clone() else { return End::Abnormal("no file".into()) };
    let child = command.stdin(input).stdout(Stdio::null()).stderr(errors).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return End::Abnormal(error.to_string()),
    };
    let begun = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if begun.elapsed() < TIME_MAX => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return End::Abnormal("it does not end".into());
            }
        }
    };
    if status.success() {
        return End::Done;
    }
    let text = text_of(messages);
    if is_refused(status.code()) { End::Refused(text) } else { End::Abnormal(format!("{status} {text}")) }
}

fn text_of(mut messages: std::fs::File) -> String {
    use std::io::{Read, Seek};
    let mut bytes = Vec::new();
    let _ = messages.rewind();
    let _ = messages.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Printed output of a program, counted.
fn counted(member: &Member, end: &End, printed: &str, show: bool, count: &mut Count) {
    const TOLD: &str = "TESTS WERE EXECUTED";
    let name = &member.name;
    count.programs += 1;
    if let End::Refused(why) = end {
        if show {
            println!("{name} refused");
            why.lines().for_each(|line| println!("    {line}"));
        }
        return;
    }
    count.accepted += 1;
    let number = |text: &str| text.split_whitespace().last().and_then(|word| word.parse::<usize>().ok());
    let of = |phrase: &str| {
        let lines = printed.lines().filter_map(|line| line.split_once(phrase));
        lines.map(|(before, _)| number(before).unwrap_or(0)).sum::<usize>()
    };
    let passed = printed.lines().filter_map(|line| line.split_once(" TESTS WERE EXECUTED SUCCESSFULLY"));
    let passed: usize =
        passed.filter_map(|(before, _)| number(before.split(" OF ").next().unwrap_or_default())).sum();
    let failed = of("TEST(S) FAILED");
    count.passed += passed;
    count.failed += failed;
    count.deleted += of("TEST(S) DELETED");
    count.inspected += of("TEST(S) REQUIRE INSPECTION");
    // Some only make files for the programs behind them.
    let is_told = printed.contains(TOLD) || !member.text.contains(TOLD);
    let is_right = matches!(end, End::Done) && failed == 0 && is_told;
    count.right += usize::from(is_right);
    if show && !is_right {
        let how = match end {
            End::Abnormal(why) => why.lines().last().unwrap_or_default(),
            _ => "",
        };
        println!("{name} passed {passed} failed {failed} {how}");
        let lines = printed.lines().filter(|line| line.contains("FAIL*"));
        lines.for_each(|line| println!("    {}", line.trim_end()));
    }
}
