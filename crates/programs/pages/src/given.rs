//! `data` blocks: the records with which data sets begin, in the place of those that the application would load.

use std::fs;
use std::path::Path;

use config::{Load, LoadFormat, Located, RegionConfig};

use crate::document::{Block, Document};
use crate::layout;
use crate::player::Failure;
use crate::records::Words;
use crate::text::bytes;

/// Puts the files of a page's records into a folder, and has the configuration load them.
///
/// # Errors
/// The line, and what is wrong with it.
pub fn put(
    root: &Path,
    config: &mut RegionConfig,
    folder: &Path,
    document: &Document,
) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure { line: 0, what: error.to_string() })?;
    for block in document.blocks.iter().filter(|block| block.kind == "data") {
        let at_fence = |what: String| Failure { line: block.line - 1, what };
        let words = Words::read(block).map_err(at_fence)?;
        let name = words.data_set.to_ascii_uppercase();
        config.loads.retain(|load| !load.dataset.value.eq_ignore_ascii_case(&name));
        let (content, format) = content(root, config, block, &words)?;
        if content.is_empty() {
            continue;
        }
        let file = folder.join(&name);
        fs::write(&file, content).map_err(|error| at_fence(format!("{}: {error}", file.display())))?;
        config.loads.push(Load {
            dataset: Located::default_value(name),
            file: Located::default_value(file.to_string_lossy().into_owned()),
            format,
            code_page: None,
            copybook: None,
        });
    }
    Ok(())
}

/// The bytes of a block's records, and how they are divided.
fn content(
    root: &Path,
    config: &RegionConfig,
    block: &Block,
    words: &Words<'_>,
) -> Result<(Vec<u8>, LoadFormat), Failure> {
    let fault = |at: usize, what: String| Failure { line: block.line + at, what };
    let Some(copybook) = words.copybook else {
        let mut content = Vec::new();
        for (at, line) in block.text.iter().enumerate() {
            let record = bytes(line).map_err(|what| fault(at, what))?;
            if record.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
                return Err(fault(at, String::from("a record with this byte needs a copybook")));
            }
            content.extend(record);
            content.push(b'\n');
        }
        return Ok((content, LoadFormat::Lines));
    };
    let layout =
        layout::layout(root, config, copybook).map_err(|what| Failure { line: block.line - 1, what })?;
    let records = layout::records(&layout, &block.text).map_err(|(at, what)| fault(at, what))?;
    let length = records.first().map_or(0, Vec::len);
    if let Some(at) = records.iter().position(|record| record.len() != length) {
        return Err(fault(at + 1, String::from("the records of a block have one length")));
    }
    let length = u32::try_from(length).map_err(|_| fault(0, String::from("the records are too long")))?;
    Ok((records.concat(), LoadFormat::Fixed { length: Some(length) }))
}
