//! All tests by our own compiler, where it takes their programs: `SYNCPOINT_COMPILER=auto`.

use std::collections::BTreeMap;
use std::env;
use std::sync::OnceLock;

use config::CobolCompiler;
use parking_lot::Mutex;
use toolchain::{Member, Toolchain};

/// Says which compiler the tests' programs go through.
const COMPILER: &str = "SYNCPOINT_COMPILER";

/// What became of programs so far.
static COUNTED: Mutex<Counted> = Mutex::new(Counted { natively: 0, hosted: BTreeMap::new() });

struct Counted {
    natively: usize,
    /// By the reason.
    hosted: BTreeMap<String, usize>,
}

/// The compiler of this process, whatever the environment names.
static CHOSEN: OnceLock<CobolCompiler> = OnceLock::new();

/// Has all tests of this process go through a compiler.
pub fn choose(compiler: CobolCompiler) {
    let _ = CHOSEN.set(compiler);
}

/// The compiler that was chosen, or that the environment names.
pub fn compiler() -> Option<CobolCompiler> {
    if let Some(chosen) = CHOSEN.get() {
        return Some(*chosen);
    }
    match env::var(COMPILER).ok()?.as_str() {
        "native" => Some(CobolCompiler::Native),
        "auto" => Some(CobolCompiler::Auto),
        _ => None,
    }
}

/// Counts the programs of an application.
pub fn count(toolchain: &Toolchain, members: &[Member]) {
    if compiler().is_none() {
        return;
    }
    for member in members {
        let Member::Program(name) = member else { continue };
        let Ok(program) = toolchain.program(name) else { continue };
        let mut counted = COUNTED.lock();
        match program.hosted_because {
            None => counted.natively += 1,
            Some(why) => {
                let why = why.split_once(": ").map_or(why.as_str(), |(_, what)| what).to_owned();
                *counted.hosted.entry(why).or_default() += 1;
            }
        }
    }
}

/// Whether two texts are the same. Our own compiler shows a binary number with the digits of its picture, without a plus sign,
/// and with a minus sign in its last digit: where it is tried, plus signs and zeros are not looked at, and minus signs are
/// wherever they are.
pub fn is_same(got: &[String], expected: &[String]) -> bool {
    let bare = |lines: &[String]| -> Vec<String> {
        lines.iter().map(|line| with_minus_in_front(line).replace(['+', '0'], "")).collect()
    };
    got == expected || (compiler().is_some() && bare(got) == bare(expected))
}

/// The digits of zero to nine with a minus sign.
const NEGATIVE: &str = "}JKLMNOPQR";
/// Digits of a binary number that DISPLAY shows, at least.
const DIGITS_MIN: usize = 4;

/// Words of digits, the last of which has a minus sign, with that in front.
fn with_minus_in_front(line: &str) -> String {
    let words = line.split(' ').map(|word| {
        let last = word.chars().last().and_then(|last| NEGATIVE.find(last));
        let digits = &word[..word.len() - usize::from(last.is_some())];
        let is_number = digits.len() + 1 >= DIGITS_MIN && digits.bytes().all(|byte| byte.is_ascii_digit());
        match last.filter(|_| is_number) {
            Some(last) => format!("-{digits}{last}"),
            None => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What was counted; none where the environment names no compiler.
pub fn told() -> Option<String> {
    compiler()?;
    let counted = COUNTED.lock();
    let hosted: usize = counted.hosted.values().sum();
    let mut reasons: Vec<_> = counted.hosted.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let reasons: String = reasons.iter().map(|(why, count)| format!("\n{count:5} {why}")).collect();
    Some(format!(
        "{} programs compiled natively, {hosted} by the hosted compiler:{reasons}",
        counted.natively
    ))
}

#[cfg(test)]
mod tests {
    use super::with_minus_in_front;

    #[test]
    fn a_minus_sign_in_the_last_digit_is_that_in_front() {
        assert_eq!(with_minus_in_front("A 000000000J 12"), "A -0000000001 12");
        assert_eq!(with_minus_in_front("OR 3K 001K"), "OR 3K -0012");
    }
}
