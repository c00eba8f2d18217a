//! DOCUMENT CREATE, INSERT, SET, RETRIEVE, DELETE.

use std::sync::Arc;

use ebcdic::{Characters, CodePage};
use spec::{OptionId, cmd, cond, opt};

use super::Documents;
use super::symbols::{self, Symbols, unescaped};
use super::template::{NoText, Templates, expand};
use super::{Document, Piece, TOO_LONG, Token, library, missing};
use kernel::exec::{Answers, Call, Handler, Waiting};
use kernel::limits::{DOCUMENT_BYTES_MAX, ITEM_BYTES};
use kernel::meters::Figure;
use kernel::name::Name;
use kernel::raise::{Outcome, Raise, RaiseCondition};
use kernel::task::Task;

/// This domain's commands.
pub(crate) const HANDLERS: Answers = &[
    (cmd::DOCUMENT_CREATE, Handler::Waits(create)),
    (cmd::DOCUMENT_INSERT, Handler::Waits(insert)),
    (cmd::DOCUMENT_SET, Handler::Now(set)),
    (cmd::DOCUMENT_RETRIEVE, Handler::Now(retrieve)),
    (cmd::DOCUMENT_DELETE, Handler::Now(delete)),
];

/// RESP2 of LENGERR for a document that did not fit.
const CUT: i32 = 2;
/// RESP2 of INVREQ for a delimiter that none can be.
const DELIMITER: i32 = 1;

/// The contents that a command brings into a document.
enum Contents {
    /// A text with symbols and commands.
    Template(Vec<u8>, Templates),
    /// Pieces as they are.
    Pieces(Vec<Piece>),
}

/// Characters of a template's name, of a symbol's, and of a character set's.
const TEMPLATE_NAME: usize = 48;
const SYMBOL_NAME: usize = 32;
const CHARACTER_SET_NAME: usize = 40;

/// DOCUMENT CREATE. Order of checks: symbols, contents.
fn create<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let mut document = Document::default();
        if let Some(list) = call.outgoing(opt::SYMBOLLIST, opt::LISTLENGTH, DOCUMENT_BYTES_MAX)? {
            set_list(call, &mut document.symbols, &list)?;
        }
        let contents = contents(task, call).await?;
        let pieces = pieces(contents, &mut document.symbols)?;
        document.insert(pieces, None, None)?;
        let length = document.length();
        let dsa = Arc::clone(&task.region.dsa);
        let token = task.kept.part::<Documents>().add(&dsa, document)?;
        task.adds(Figure::DocumentBytes, length);
        call.put(opt::DOCTOKEN, &token)?;
        call.put_number(opt::DOCSIZE, length as i64)
    })
}

/// DOCUMENT INSERT. Order of checks: document, contents, bookmarks, length.
fn insert<'a>(task: &'a mut Task, call: &'a Call<'_>) -> Waiting<'a> {
    Box::pin(async move {
        let token = token(call, opt::DOCTOKEN)?;
        task.kept.part::<Documents>().get(token)?;
        let contents = contents(task, call).await?;
        let symbol = call.name::<SYMBOL_NAME>(opt::SYMBOL)?;
        let bookmark = call.name(opt::BOOKMARK)?;
        let (at, to, dsa) = (call.name(opt::AT)?, call.name(opt::TO)?, Arc::clone(&task.region.dsa));
        let documents = task.kept.part::<Documents>();
        // A template may set symbols.
        let mut pieces =
            documents.change(&dsa, (token, 0), |document| pieces(contents, &mut document.symbols))?;
        if let Some(symbol) = symbol {
            let value = documents.get(token)?.symbols.get(symbol.trimmed());
            let value = value.ok_or_else(|| cond::NOTFND.raise(missing::SYMBOL))?;
            pieces.push(Piece::Text(value.to_vec()));
        }
        pieces.extend(bookmark.map(Piece::Bookmark));
        let wants = pieces.iter().map(|piece| piece.length() + ITEM_BYTES).sum();
        let (before, length) = documents.change(&dsa, (token, wants), |document| {
            let before = document.length();
            document.insert(pieces, at, to)?;
            Ok((before, document.length()))
        })?;
        task.adds(Figure::DocumentBytes, length.saturating_sub(before));
        call.put_number(opt::DOCSIZE, length as i64)
    })
}

/// TEXT, BINARY, FROM, FROMDOC or TEMPLATE; nothing for an empty document.
async fn contents(task: &mut Task, call: &Call<'_>) -> Outcome<Contents> {
    let data = |option| call.outgoing(option, opt::LENGTH, DOCUMENT_BYTES_MAX);
    if let Some(text) = data(opt::TEXT)? {
        return Ok(Contents::Pieces(vec![Piece::Text(text.to_vec())]));
    }
    if let Some(bytes) = data(opt::BINARY)? {
        return Ok(Contents::Pieces(vec![Piece::Binary(bytes.to_vec())]));
    }
    if call.has(opt::FROMDOC) {
        let source = task.kept.part::<Documents>().get(token(call, opt::FROMDOC)?);
        let source = source.map_err(|_| cond::NOTFND.raise(missing::FROM_DOCUMENT))?;
        return Ok(Contents::Pieces(source.pieces.clone()));
    }
    let text = match (call.name::<TEMPLATE_NAME>(opt::TEMPLATE)?, data(opt::FROM)?) {
        (Some(name), _) => library::named(task, name.trimmed()).await?,
        (None, Some(text)) => text.to_vec(),
        (None, None) => return Ok(Contents::Pieces(Vec::new())),
    };
    let templates = library::included(task, &text).await?;
    Ok(Contents::Template(text, templates))
}

fn pieces(contents: Contents, symbols: &mut Symbols) -> Outcome<Vec<Piece>> {
    match contents {
        Contents::Pieces(pieces) => Ok(pieces),
        Contents::Template(text, templates) => {
            let text = expand(&text, symbols, &templates);
            let text = text.map_err(|why| match why {
                NoText::Malformed(offset) => cond::TEMPLATERR.raise(offset as i32),
                NoText::TooLong => cond::LENGERR.raise(TOO_LONG),
            })?;
            Ok(vec![Piece::Text(text)])
        }
    }
}

fn token(call: &Call<'_>, option: OptionId) -> Outcome<Token> {
    let bytes = call.bytes(option)?.unwrap_or_default();
    bytes.first_chunk().copied().ok_or_else(|| cond::NOTFND.raise(missing::DOCUMENT))
}

/// DOCUMENT SET: one symbol, or a list of them.
fn set(task: &mut Task, call: &Call<'_>) -> Outcome {
    let (token, dsa) = (token(call, opt::DOCTOKEN)?, Arc::clone(&task.region.dsa));
    let documents = task.kept.part::<Documents>();
    documents.get(token)?;
    if let Some(list) = call.outgoing(opt::SYMBOLLIST, opt::LENGTH, DOCUMENT_BYTES_MAX)? {
        let definitions = list.iter().filter(|byte| **byte == b'=').count();
        let wants = list.len() + definitions * ITEM_BYTES;
        return documents
            .change(&dsa, (token, wants), |document| set_list(call, &mut document.symbols, &list));
    }
    let name: Name<SYMBOL_NAME> = call.need_name(opt::SYMBOL)?;
    let value = call.outgoing(opt::VALUE, opt::LENGTH, DOCUMENT_BYTES_MAX)?.unwrap_or_default();
    let value = if call.keyword(opt::UNESCAPED) { value.to_vec() } else { unescaped(&value) };
    let wants = SYMBOL_NAME + value.len() + ITEM_BYTES;
    documents.change(&dsa, (token, wants), |document| {
        document.symbols.set(name.trimmed(), value).map_err(symbol_error)
    })
}

fn set_list(call: &Call<'_>, symbols: &mut Symbols, list: &[u8]) -> Outcome {
    let delimiter = call.bytes_of(opt::DELIMITER, 1)?.map_or(b'&', |delimiter| delimiter[0]);
    if delimiter.is_ascii_whitespace() || matches!(delimiter, 0 | b'=' | b'+' | b'%') {
        return Err(cond::INVREQ.raise(DELIMITER));
    }
    symbols.set_list(list, delimiter, !call.keyword(opt::UNESCAPED)).map_err(symbol_error)
}

fn symbol_error(malformed: symbols::Malformed) -> Raise {
    cond::SYMBOLERR.raise(malformed.0 as i32)
}

/// DOCUMENT RETRIEVE: LENGTH is the whole length, also of what is cut.
fn retrieve(task: &mut Task, call: &Call<'_>) -> Outcome {
    let document = task.kept.part::<Documents>().get(token(call, opt::DOCTOKEN)?)?;
    let bytes = match call.name::<CHARACTER_SET_NAME>(opt::CHARACTERSET)? {
        None => document.bytes(<[u8]>::to_vec),
        Some(name) => document.bytes(character_set(name.trimmed())?),
    };
    let room = call.number(opt::MAXLENGTH)?.unwrap_or(call.size(opt::INTO) as i64);
    let room = usize::try_from(room).map_err(|_| cond::LENGERR.raise(1))?;
    let fits = bytes.len().min(room);
    call.put_area(opt::INTO, &bytes[..fits])?;
    call.put_number(opt::LENGTH, bytes.len() as i64)?;
    if fits < bytes.len() { Err(cond::LENGERR.raise(CUT)) } else { Ok(()) }
}

/// From program characters to those of a character set.
type Encode = fn(&[u8]) -> Vec<u8>;

/// Returns the function that encodes texts in a character set, by its name on the internet or the number of its code
/// page.
fn character_set(name: &[u8]) -> Outcome<Encode> {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    match (name.as_str(), CodePage::parse(&name)) {
        ("iso-8859-1" | "us-ascii" | "819", _) => Ok(<[u8]>::to_vec),
        ("utf-8" | "1208", _) => Ok(|text| Characters::default().text(text).into_bytes()),
        (_, Some(CodePage::Ibm037)) => Ok(|text| CodePage::Ibm037.from_program(text)),
        (_, Some(CodePage::Ibm1047)) => Ok(|text| CodePage::Ibm1047.from_program(text)),
        _ => Err(cond::NOTFND.raise(missing::CHARACTER_SET)),
    }
}

/// DOCUMENT DELETE.
fn delete(task: &mut Task, call: &Call<'_>) -> Outcome {
    let dsa = Arc::clone(&task.region.dsa);
    task.kept.part::<Documents>().delete(&dsa, token(call, opt::DOCTOKEN)?)
}
