//! PARM: what the program gets, and the run-time options behind it.

use cobol_ir::program::SWITCHES;

/// The text that the program gets, and what `/UPSI(…)` behind it says of the switches. A slash with anything else behind it belongs
/// to the text.
pub(crate) fn switches_of(parm: Option<&str>) -> (Option<&str>, [u8; SWITCHES]) {
    let found = parm.and_then(|parm| {
        let (text, options) = parm.rsplit_once('/')?;
        Some((text, upsi(options.trim())?))
    });
    match found {
        Some((text, switches)) => (Some(text), switches),
        None => (parm, [0; SWITCHES]),
    }
}

fn upsi(option: &str) -> Option<[u8; SWITCHES]> {
    let option = option.to_ascii_uppercase();
    let written = option.strip_prefix("UPSI(")?.strip_suffix(')')?;
    let mut switches = [0; SWITCHES];
    if written.is_empty() || written.len() > SWITCHES {
        return None;
    }
    for (switch, character) in switches.iter_mut().zip(written.bytes()) {
        *switch = match character {
            b'0' => 0,
            b'1' => 1,
            _ => return None,
        };
    }
    Some(switches)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_stand_behind_the_last_slash() {
        let check = |parm: &str, text: &str, switches: [u8; SWITCHES]| {
            assert_eq!(switches_of(Some(parm)), (Some(text), switches), "{parm}");
        };
        check("A/B/UPSI(101)", "A/B", [1, 0, 1, 0, 0, 0, 0, 0]);
        check("/upsi(00000001)", "", [0, 0, 0, 0, 0, 0, 0, 1]);
        check("12/31/2026", "12/31/2026", [0; SWITCHES]);
        check("A/UPSI(2)", "A/UPSI(2)", [0; SWITCHES]);
        check("A/UPSI()", "A/UPSI()", [0; SWITCHES]);
        check("A/UPSI(000000001)", "A/UPSI(000000001)", [0; SWITCHES]);
        assert_eq!(switches_of(None), (None, [0; SWITCHES]));
    }
}
