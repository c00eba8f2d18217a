//! A Markdown file as a test: its fenced blocks with their places, and the lines of its prose that say how it is run.

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
    lines: Vec<String>,
}

/// A block that is not closed.
#[derive(Debug, thiserror::Error)]
#[error("line {0}: the block that begins here is never closed")]
pub struct Unclosed(pub usize);

const FENCE: &str = "```";
impl Document {
    /// Reads a file.
    ///
    /// # Errors
    /// See [`Unclosed`].
    pub fn parse(name: &str, text: &str) -> Result<Self, Unclosed> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut blocks = Vec::new();
        let mut at = 0;
        while at < lines.len() {
            let line = &lines[at];
            at += 1;
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
        Ok(Self { name: name.to_owned(), blocks, lines })
    }

    /// Some blocks of this file, as a file of their own.
    pub fn part(&self, name: String, blocks: Vec<Block>) -> Self {
        Self { name, blocks, lines: self.lines.clone() }
    }

    /// Its lines.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The rests of the lines that begin with a marker.
    pub fn said<'a>(&'a self, marker: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(move |line| line.strip_prefix(marker))
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
        assert_eq!(document.said("command:").collect::<Vec<_>>(), [" READ, WRITE"]);
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
