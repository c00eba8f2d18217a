//! The kinds of blocks that a page of an application may have, and their faults before anything runs.

use diagnostics::nearest;

use crate::document::Block;
use crate::records::Words;
use crate::{calls, client, script, sqlcodes, stubs};

/// The kinds, in the order of the alphabet, each with the words that may stand behind it.
const KINDS: &[(&str, Behind)] = &[
    ("call", Behind::Program),
    ("called", Behind::Program),
    ("captured", Behind::Names),
    ("client", Behind::Names),
    ("commands", Behind::Nothing),
    ("conditions", Behind::Nothing),
    ("data", Behind::DataSet),
    ("exception", Behind::Names),
    ("fields", Behind::Terminal(&[])),
    ("identity", Behind::Names),
    ("keys", Behind::Terminal(&[])),
    ("log", Behind::Nothing),
    ("messages", Behind::Nothing),
    ("performance", Behind::Names),
    ("printer", Behind::Names),
    ("records", Behind::DataSet),
    ("request", Behind::Names),
    ("resource", Behind::Names),
    ("resp", Behind::Nothing),
    ("response", Behind::OneOf(&["json", "head"])),
    ("returned", Behind::Anything),
    ("rows", Behind::Names),
    ("screen", Behind::Terminal(&["rows", "has", "lacks"])),
    ("sql", Behind::Nothing),
    ("sqlcodes", Behind::Nothing),
    ("statistics", Behind::Names),
    ("stub", Behind::Program),
    ("text", Behind::Anything),
];

/// Words that may stand behind a kind.
#[derive(Clone, Copy)]
enum Behind {
    Nothing,
    Anything,
    /// One at least.
    Names,
    DataSet,
    Program,
    /// One of these, or nothing.
    OneOf(&'static [&'static str]),
    /// The letter of a terminal, and one of these.
    Terminal(&'static [&'static str]),
}

/// Returns the faults of a block, with the numbers of their lines.
pub fn faults(block: &Block) -> Vec<(usize, String)> {
    let fence = block.line - 1;
    let Some((kind, behind)) = KINDS.iter().find(|(kind, _)| *kind == block.kind) else {
        return vec![(fence, unknown(&block.kind))];
    };
    let mut faults = Vec::new();
    if let Err(what) = words(kind, *behind, block) {
        faults.push((fence, what));
    }
    faults.extend(lines(block));
    faults
}

fn unknown(kind: &str) -> String {
    if kind.is_empty() {
        return String::from("a block without a word: what is not tested is a block of the kind text");
    }
    let help = nearest(kind, KINDS.iter().map(|(kind, _)| *kind)).map_or_else(
        || String::from("what is not tested is a block of the kind text"),
        |near| format!("did you mean {near}?"),
    );
    format!("there is no block of the kind {kind}; {help}")
}

fn words(kind: &str, behind: Behind, block: &Block) -> Result<(), String> {
    let words = || block.words.iter().map(String::as_str);
    let is_terminal = |word: &str| word.len() == 1 && word.bytes().all(|letter| letter.is_ascii_uppercase());
    let wrong = |word: &str| Err(format!("{kind} knows no word {word}"));
    match behind {
        Behind::Anything => Ok(()),
        Behind::Nothing => words().next().map_or(Ok(()), wrong),
        Behind::Names if block.words.is_empty() => Err(format!("{kind} needs a name behind it")),
        Behind::Names => Ok(()),
        Behind::DataSet => Words::read(block).map(drop),
        Behind::Program => calls::Words::read(block).map(drop),
        Behind::OneOf(known) => words().find(|word| !known.contains(word)).map_or(Ok(()), wrong),
        Behind::Terminal(known) => {
            let is_known = |word: &&str| known.contains(word) || is_terminal(word);
            words().find(|word| !is_known(word)).map_or(Ok(()), wrong)
        }
    }
}

/// Returns the faults of the lines of a block.
fn lines(block: &Block) -> Vec<(usize, String)> {
    let numbered = (block.line..).zip(&block.text);
    match block.kind.as_str() {
        "keys" => numbered
            .filter_map(|(number, line)| Some((number, script::parse(std::slice::from_ref(line)).err()?)))
            .collect(),
        "client" => numbered.filter_map(|(number, line)| Some((number, client::fault(line)?))).collect(),
        "conditions" => numbered.filter_map(|(number, line)| Some((number, stubs::fault(line)?))).collect(),
        "sqlcodes" => sqlcodes::fault(block).into_iter().collect(),
        "screen" if block.says("rows") => numbered
            .filter(|(_, line)| {
                let number = line.split_once('|').and_then(|(number, _)| number.trim().parse::<usize>().ok());
                number.is_none_or(|number| number == 0)
            })
            .map(|(number, line)| (number, format!("{line}: a row is NUMBER|TEXT")))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(fence: &str, text: &str) -> Option<String> {
        let mut words = fence.split_whitespace().map(str::to_owned);
        let kind = words.next().unwrap_or_default();
        let block =
            Block { kind, words: words.collect(), line: 8, text: text.lines().map(str::to_owned).collect() };
        faults(&block).into_iter().next().map(|(line, what)| format!("{line}: {what}"))
    }

    #[test]
    fn what_has_no_meaning_is_refused_at_its_line() {
        for (fence, text, told) in [
            ("scren", "", "7: there is no block of the kind scren; did you mean screen?"),
            ("", "", "7: a block without a word: what is not tested is a block of the kind text"),
            ("screen here", "", "7: screen knows no word here"),
            ("screen rows", "1|A\nB", "9: B: a row is NUMBER|TEXT"),
            ("keys", "ENTER\nPF99", "9: what is PF99?"),
            ("request", "GET /", "7: request needs a name behind it"),
            ("records", "", "7: records names its data set"),
            ("response xml", "", "7: response knows no word xml"),
            ("client TALK", "> A\nB", "9: B: a line begins with > or <, or says closed"),
        ] {
            assert_eq!(fault(fence, text).as_deref(), Some(told), "{fence}");
        }
        for fence in
            ["screen B has", "keys C", "log", "text of any kind", "records A.B COPY key=1", "response json"]
        {
            assert_eq!(fault(fence, ""), None, "{fence}");
        }
    }
}
