//! Lines and blocks of a test that only tests of the published interface have: the commands that it is about, and its second region.

use pages::document::{Block, Document};

/// The first word of a block that belongs to the second region.
pub(crate) const PARTNER: &str = "partner";
/// The line that names the commands which a file is about.
const COMMANDS: &str = "command:";
/// The line of a file whose two regions are linked by TCP and TLS; attributes of the partner's IPCONN may follow.
const TLS: &str = "links: tls";
/// The line of a file whose regions have their records in a record server.
const SHARED: &str = "records: shared";

/// The commands of a test's `command:` lines.
pub fn commands(document: &Document) -> Vec<&str> {
    document.said(COMMANDS).flat_map(|names| names.split(',')).map(str::trim).collect()
}

/// The definitions and programs of a second region: the blocks whose first word is `partner`, without it. `None`: there is one region.
pub fn partner(document: &Document) -> Option<Document> {
    let of_partner = document.blocks.iter().filter(|block| block.kind == PARTNER);
    let without = |block: &Block| {
        let mut words = block.words.iter().cloned();
        let kind = words.next().unwrap_or_default();
        Block { kind, words: words.collect(), ..block.clone() }
    };
    let blocks: Vec<Block> = of_partner.map(without).collect();
    (!blocks.is_empty()).then(|| document.part(format!("{}-partner", document.name), blocks))
}

/// Returns true if its regions share the records of a record server: a line of its prose says so.
pub(crate) fn shares_records(document: &Document) -> bool {
    document.said(SHARED).any(str::is_empty)
}

/// The attributes that the partner's IPCONN has, if its two regions are linked by TCP and TLS.
pub(crate) fn tls(document: &Document) -> Option<&str> {
    document.said(TLS).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_commands_and_blocks_a_second_region() {
        let text = "# T\ncommand: READ, WRITE\nrecords: shared\n```partner csd\nDEFINE\n```\n";
        let document = Document::parse("t", text).expect("closed");
        assert_eq!(commands(&document), ["READ", "WRITE"]);
        assert!(shares_records(&document) && tls(&document).is_none());
        let partner = partner(&document).expect("a partner");
        assert_eq!((partner.blocks[0].kind.as_str(), partner.blocks[0].line), ("csd", 5));
    }
}
