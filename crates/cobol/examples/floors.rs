//! What the host costs beside what nothing could undercut, measured in one run on one machine.
//!
//! `cargo run --release -p cobol --example floors [exec|code|straight|swap|waiting]`
//!
//! Processor time, medians of several rounds.

use std::path::Path;
use std::process::Command;

use cobol::{CompiledModule, Host, Installation, Program, Run, Step};

/// Rounds of which the median is taken.
const ROUNDS: usize = 9;

fn main() {
    let workshop = tempfile::tempdir().expect("a directory");
    let directory = workshop.path();
    let part = std::env::args().nth(1);
    let wanted = |name: &str| part.as_deref().is_none_or(|p| p == name);
    std::fs::write(directory.join("empty.c"), "int EMPTYC(void *a, void *b) { return 0; }\n")
        .expect("a C file");
    let host = Host::new(&Installation::find().expect("libcob"), directory, &[]).expect("a host");

    for options in [
        &["-O"][..],
        &["-O2"],
        &["-O", "-fstack-check", "-fsource-location"],
        &["-O", "-fstack-check", "-fec=EC-DATA-INCOMPATIBLE"],
        &["-O", "-fstack-check", "-fec=EC-BOUND-SUBSCRIPT", "-fec=EC-BOUND-REF-MOD"],
        &["-O", "-debug"],
    ] {
        println!("cobc {}", options.join(" "));
        let load = |name: &str, code: &str, rows: usize| {
            host.load(&compile(directory, name, code, rows, options)).expect("a program")
        };
        if wanted("exec") {
            exec(&host, &load("CALLS", COMMANDS, 300), &load("EMPTIES", EMPTIES, 300));
        }
        if wanted("code") {
            code(&host, &load("CODE", STATEMENTS, 300));
        }
        if wanted("straight") {
            straight(&host, &load("ONCE", ONE_COMMAND, 300));
        }
        if wanted("swap") {
            swap(&host, &load("LOOPS", COMMANDS, 300));
            swap(&host, &load("BIG", COMMANDS, 3000));
        }
    }
    if wanted("waiting") {
        waiting(&host, &host.load(&compile(directory, "WAITS", COMMANDS, 300, &["-O"])).expect("a program"));
    }
}

const ONE_COMMAND: &str = "CALL 'DFHEI1' USING X'010001000000000000' RETURNING DFHEIGO.\nGOBACK.";
const COMMANDS: &str = "PERFORM 1000000 TIMES\n\
    CALL 'DFHEI1' USING X'01000100010000000003DF'\nWS-A RETURNING DFHEIGO\n\
    END-PERFORM. GOBACK.";
const STATEMENTS: &str = "PERFORM 1000000 TIMES\n\
    ADD 1 TO WS-I IF WS-I > 300 MOVE 1 TO WS-I END-IF\n\
    ADD 1 TO WS-P\n\
    MOVE WS-A TO WS-X(WS-I)\n\
    IF WS-N(WS-I) = 7 MOVE 7 TO WS-N(WS-I) END-IF\n\
    MOVE WS-A(1:4) TO WS-X(WS-I)(3:4)\n\
    END-PERFORM. GOBACK.";
const EMPTIES: &str = "PERFORM 1000000 TIMES\n\
    CALL 'EMPTYC' USING X'01000100010000000003DF'\nWS-A RETURNING DFHEIGO\n\
    END-PERFORM. GOBACK.";

/// Compiles a program with a table of so many 29-byte rows.
fn compile(directory: &Path, name: &str, code: &str, rows: usize, options: &[&str]) -> CompiledModule {
    let code: String = code.lines().map(|l| format!("           {}\n", l.trim())).collect();
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. {name}.\n       DATA DIVISION.\n       \
         WORKING-STORAGE SECTION.\n       01 DFHEIGO PIC S9(9) COMP-5.\n       01 SPEIB USAGE POINTER.\n       \
         01 WS-A PIC X(8) VALUE 'A'.\n       \
         01 WS-I PIC S9(8) COMP VALUE 0.\n       01 WS-P PIC S9(9)V99 COMP-3 VALUE 0.\n       01 WS-T.\n          05 WS-ROW OCCURS {rows} TIMES.\n             \
         10 WS-X PIC X(20) VALUE 'HELLO'.\n             10 WS-N PIC 9(9) VALUE 7.\n       LINKAGE SECTION.\n       \
         01 DFHEIBLK PIC X(85).\n       01 DFHCOMMAREA PIC X(1).\n       PROCEDURE DIVISION USING DFHEIBLK \
         DFHCOMMAREA.\n       MAIN-PARA.\n           CALL 'DFHEIN' USING '{name}' SPEIB RETURNING DFHEIGO.\n{code}"
    );
    let source = format!("{name}.cbl");
    let module = format!("{name}.so");
    std::fs::write(directory.join(&source), text).expect("a source");
    let output = Command::new("cobc")
        .current_dir(directory)
        .args(["-b", "-std=ibm", "-fsign=EBCDIC", "-K", "EMPTYC"])
        .args(options)
        .args(["-o", &module, &source, "empty.c"])
        .output()
        .expect("cobc");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    CompiledModule { path: directory.join(module), name: name.to_owned() }
}

fn start(host: &Host, program: &Program) -> Run {
    host.task().start(program, 0, 0).expect("a stack")
}

/// Runs to the end; returns the number of commands.
fn finish(run: &mut Run) -> u64 {
    let mut commands = 0;
    while let Step::Exec(_) = run.resume(0) {
        commands += 1;
    }
    commands
}

fn exec(host: &Host, commands: &Program, empties: &Program) {
    const CALLS: f64 = 1e6;
    let exec = median(|| assert_eq!(finish(&mut start(host, commands)), CALLS as u64)) / CALLS;
    let in_place = median(|| {
        assert!(matches!(
            start(host, commands).resume_answering(0, &mut |_: &cobol::ExecCall<'_>| Some(0)),
            Step::Returned(0)
        ));
    }) / CALLS;
    let floor = median(|| assert_eq!(finish(&mut start(host, empties)), 0)) / CALLS;
    report("EXEC call answered in place / CALL of an empty C function", in_place, floor);
    report("EXEC call with a trivial reply / CALL of an empty C function", exec, floor);
}

fn code(host: &Host, program: &Program) {
    const PASSES: f64 = 1e6;
    let each = median(|| assert_eq!(finish(&mut start(host, program)), 0)) / PASSES;
    println!("  eight plain statements: {each:.1} ns");
}

fn straight(host: &Host, program: &Program) {
    const TASKS: u32 = 50_000;
    let task = median(|| (0..TASKS).for_each(|_| assert_eq!(finish(&mut start(host, program)), 1)));
    let size = program.image_size();
    let copy = median(|| copies(size, TASKS));
    report(
        &format!("task of one EXEC call / memcpy of its {size} bytes"),
        task / f64::from(TASKS),
        copy / f64::from(TASKS),
    );
}

fn swap(host: &Host, program: &Program) {
    const SWAPS: u32 = 20_000;
    let mut tasks = [start(host, program), start(host, program)];
    let mut turn = || {
        for task in &mut tasks {
            assert!(matches!(task.resume(0), Step::Exec(_)));
        }
    };
    turn();
    let swap = median(|| (0..SWAPS / 2).for_each(|_| turn())) / f64::from(SWAPS);
    let size = program.image_size();
    // Out and in.
    let floor = median(|| copies(size, 2 * SWAPS)) / f64::from(SWAPS);
    report(&format!("forced swap of an image / memcpy of its {size} bytes out and in"), swap, floor);
}

fn copies(size: usize, times: u32) {
    let (from, mut to) = (vec![1u8; size], vec![0u8; size]);
    for _ in 0..times {
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&mut to);
    }
}

fn waiting(host: &Host, program: &Program) {
    const TASKS: usize = 2000;
    let before = resident();
    let mut tasks: Vec<_> = (0..TASKS).map(|_| start(host, program)).collect();
    for task in &mut tasks {
        assert!(matches!(task.resume(0), Step::Exec(_)));
    }
    let each = (resident() - before) / TASKS;
    let floor = 2 * 4096 + program.image_size();
    println!(
        "memory of a waiting task: {each} bytes; two stack pages and its image: {floor}; {:.2} x",
        each as f64 / floor as f64
    );
}

fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("/proc");
    4096 * statm.split(' ').nth(1).and_then(|p| p.parse::<usize>().ok()).expect("a number")
}

fn report(what: &str, cost: f64, floor: f64) {
    println!("  {what}: {cost:.1} ns / {floor:.1} ns = {:.2} x", cost / floor);
}

/// Nanoseconds of processor time that the work takes.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let before = processor_time();
            work();
            processor_time() - before
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

/// Nanoseconds of processor time of this thread.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills the structure.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}
