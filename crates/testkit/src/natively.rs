//! The compiler of all tests: our own, or GnuCOBOL for a second run.

use std::env;
use std::sync::OnceLock;

use config::CobolCompiler;
use parking_lot::Mutex;
use toolchain::{Member, Toolchain};

/// Says which compiler the tests' programs go through.
const COMPILER: &str = "SYNCPOINT_COMPILER";

/// What became of programs so far.
static COUNTED: Mutex<Counted> = Mutex::new(Counted { natively: 0, hosted: 0 });

struct Counted {
    natively: usize,
    hosted: usize,
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
        "gnucobol" => Some(CobolCompiler::Hosted),
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
        match program.own {
            Some(_) => counted.natively += 1,
            None => counted.hosted += 1,
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

/// Returns the counts as a line; `None` if no compiler was chosen.
pub fn told() -> Option<String> {
    compiler()?;
    let counted = COUNTED.lock();
    Some(format!("{} programs compiled natively, {} by GnuCOBOL", counted.natively, counted.hosted))
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
