//! Descriptions that several tests use.

use copybook::Layout;
use diagnostics::Source;
use mapping::{Mapping, Options, compile};

/// An order: counted lines, packed amounts, a date.
#[allow(dead_code, reason = "not every test has orders")]
pub const ORDER: &str = "
       01  ORDER-IN.
           05  ORDER-NO         PIC 9(6).
           05  CUSTOMER         PIC X(20).
           05  PLACED           PIC 9(8).
           05  TOTAL            PIC S9(7)V99 COMP-3.
           05  FILLER           PIC X(3).
           05  LINE-COUNT       PIC S9(4) COMP.
           05  LINES OCCURS 1 TO 4 DEPENDING ON LINE-COUNT.
               10  ITEM         PIC X(12).
               10  QUANTITY     PIC S9(5).
               10  PRICE        PIC S9(5)V99 COMP-3.
               10  RATE         PIC S9(4) COMP-5.
";

/// A source of chance: `MAPPING_SEEDS` begins with its seed, or it has its own.
#[allow(dead_code, reason = "not every test is of chance")]
pub fn random(seed: u64) -> fastrand::Rng {
    let named = std::env::var("MAPPING_SEEDS").ok();
    let named = named.and_then(|seeds| seeds.split("..").next()?.parse().ok());
    fastrand::Rng::with_seed(named.unwrap_or(seed))
}

/// The number of rounds of a random test: `MAPPING_ROUNDS`, or the test's own number.
#[allow(dead_code, reason = "not every test is of chance")]
pub fn rounds(rounds: usize) -> usize {
    std::env::var("MAPPING_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(rounds)
}

pub fn layout(text: &str) -> Layout {
    let parsed = copybook::parse(&Source::new("TEST.cpy", text));
    assert!(!diagnostics::any_error(&parsed.messages), "{:?}", parsed.messages);
    parsed.layouts.into_iter().next().expect("a record")
}

pub fn mapping(text: &str, root: &str, options: &Options) -> Mapping {
    match compile(&layout(text), root, options) {
        Ok(mapping) => mapping,
        Err(problems) => {
            panic!("{}", problems.iter().map(|problem| problem.render(false)).collect::<String>())
        }
    }
}
