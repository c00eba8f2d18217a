//! A Markdown file as a test: its fenced blocks with their places, and the commands that its prose says it is about.

use std::fmt;

/// A fenced block of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first word behind the fence: what kind of block it is.
    pub kind: String,
    /// The other words.
    pub words: Vec<String>,
    /// The number of its first line within the file, from 1.
    pub line: usize,
    /// Its lines.
    pub text: Vec<String>,
}

impl Block {
    /// Returns true if a word follows the fence.
    pub fn says(&self, word: &str) -> bool {
        self.words.iter().any(|said| said == word)
    }
}

/// A test file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its path below the folder of tests, without the extension.
    pub name: String,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
    /// The commands of its `command:` lines.
    pub commands: Vec<String>,
    lines: Vec<String>,
}

/// A block that is not closed.
#[derive(Debug, thiserror::Error)]
#[error("line {0}: the block that begins here is never closed")]
pub struct Unclosed(pub usize);

const FENCE: &str = "```";
/// The first word of a block that belongs to the second region.
pub(crate) const PARTNER: &str = "partner";
const MARKER: &str = "command:";
/// The line of a file whose two regions are linked by TCP and TLS; attributes of the partner's IPCONN may follow.
const TLS: &str = "links: tls";
/// The line of a file whose regions have their records in a record server.
const SHARED: &str = "records: shared";

impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// See [`Unclosed`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Unclosed> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut blocks = Vec::new();
        let mut commands = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = &lines[at];
            at += 1;
            if let Some(names) = line.strip_prefix(MARKER) {
                commands.extend(names.split(',').map(|name| name.trim().to_owned()));
            }
            let Some(info) = line.strip_prefix(FENCE) else { continue };
            let end = lines[at..].iter().position(|line| line == FENCE).ok_or(Unclosed(at))?;
            let mut words = info.split_whitespace().map(str::to_owned);
            blocks.push(Block {
                kind: words.next().unwrap_or_default(),
                words: words.collect(),
                line: at + 1,
                text: lines[at..at + end].to_vec(),
            });
            at += end + 1;
        }
        Ok(Self { name: name.to_owned(), blocks, commands, lines })
    }

    /// The definitions and programs of a second region: the blocks whose first word is `partner`, without it. `None`: there is one region.
    pub fn partner(&self) -> Option<Self> {
        let of_partner = self.blocks.iter().filter(|block| block.kind == PARTNER);
        let without = |block: &Block| {
            let mut words = block.words.iter().cloned();
            let kind = words.next().unwrap_or_default();
            Block { kind, words: words.collect(), ..block.clone() }
        };
        let blocks: Vec<Block> = of_partner.map(without).collect();
        let (name, commands) = (format!("{}-partner", self.name), Vec::new());
        (!blocks.is_empty()).then(|| Self { name, blocks, commands, lines: self.lines.clone() })
    }

    /// Returns true if its regions share the records of a record server: a line of its prose says so.
    pub fn shares_records(&self) -> bool {
        self.lines.iter().any(|line| line == SHARED)
    }

    /// The attributes that the partner's IPCONN has, if its two regions are linked by TCP and TLS.
    pub fn tls(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| line.strip_prefix(TLS))
    }

    /// The file with other texts in some of its blocks: the block's number, and its new lines.
    pub fn with(&self, changes: &[(usize, Vec<String>)]) -> String {
        let mut lines = self.lines.clone();
        for (block, text) in changes.iter().rev() {
            let block = &self.blocks[*block];
            let first = block.line - 1;
            lines.splice(first..first + block.text.len(), text.iter().cloned());
        }
        lines.join("\n") + "\n"
    }
}

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.md", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# T\ncommand: READ, WRITE\n\n```cobol A run\nONE\nTWO\n```\nprose\n```resp\n```\n";

    #[test]
    fn blocks_have_their_words_and_places() {
        let document = Document::parse("t", TEXT).expect("closed");
        assert_eq!(document.commands, ["READ", "WRITE"]);
        let block = &document.blocks[0];
        assert_eq!((block.kind.as_str(), block.line, block.text.len()), ("cobol", 5, 2));
        assert!(block.says("run") && !block.says("B"));
        assert!(Document::parse("t", "```cobol\n").is_err());
    }

    #[test]
    fn a_block_is_rewritten_in_its_place() {
        let document = Document::parse("t", TEXT).expect("closed");
        let text = document.with(&[(1, vec!["NEW".to_owned()])]);
        assert_eq!(text, TEXT.replace("```resp\n", "```resp\nNEW\n"));
    }
}
