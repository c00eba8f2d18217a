//! Steps of programs that generated code leaves to the interpreter, by kind.
//!
//! `cargo run -p cobol-codegen --example left -- FOLDER …`. `lines` in front of the folders lists each step with its line instead.

#[path = "../../cobol-lower/examples/folders/mod.rs"]
mod folders;

use std::collections::{BTreeMap, BTreeSet};

use cobol_codegen::Compiler;
use cobol_ir::Program;
use folders::Folders;

/// Counts of all programs.
#[derive(Default)]
struct Found {
    programs: usize,
    refused: usize,
    inline: usize,
    /// Steps of each kind, counted, and the programs that have them.
    kinds: BTreeMap<String, (usize, BTreeSet<String>)>,
}

impl Found {
    fn add(&mut self, program: &Program, compiler: &Compiler, lines: bool) {
        let code = match compiler.compile(program) {
            Ok(code) => code,
            Err(error) => return println!("{error}"),
        };
        self.programs += 1;
        self.inline += code.inline;
        for left in code.left {
            let kind = left.kind(program);
            if lines && let Some(line) = program.lines.get(left.line(program) as usize) {
                let member = line.member.as_deref().unwrap_or_default();
                println!("{} {member} {}: {kind}", program.name, line.line);
            }
            let (count, programs) = self.kinds.entry(kind).or_default();
            *count += 1;
            programs.insert(program.name.clone());
        }
    }

    fn show(self) {
        let left: usize = self.kinds.values().map(|(count, _)| count).sum();
        println!(
            "{} programs, {} sources refused, {} steps in code, {left} left to the interpreter",
            self.programs, self.refused, self.inline
        );
        let mut kinds: Vec<_> = self.kinds.into_iter().collect();
        kinds.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        for (kind, (count, programs)) in kinds {
            println!("{count:6} steps in {:4} programs  {kind}", programs.len());
        }
    }
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let lines = arguments.first().is_some_and(|first| first == "lines");
    let compiler = Compiler::new().expect("this machine has a compiler");
    let mut found = Found::default();
    Folders::of(arguments.drain(usize::from(lines)..)).each(|_, lowered| match lowered {
        Some(Ok(programs)) => programs.iter().for_each(|program| found.add(program, &compiler, lines)),
        _ => found.refused += 1,
    });
    found.show();
}
