//! A terminal's reply to a query: its own description.

use super::address::Size;
use super::command::structured_field::QUERY_REPLY;

/// Parts of an answer to a query, as far as they are used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryCode {
    /// Which parts there are.
    Summary = 0x80,
    /// The size of the screen.
    UsableArea = 0x81,
    /// Character sets and code pages.
    CharacterSets = 0x85,
    /// Colours.
    Colour = 0x86,
    /// Highlighting.
    Highlighting = 0x87,
    /// Reply modes.
    ReplyModes = 0x88,
    /// Field validation.
    Validation = 0x8A,
    /// Field outlining.
    Outlining = 0x8C,
    /// Default and alternate size.
    ImplicitPartitions = 0xA6,
}

/// A coded character set as IBM numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharacterSet {
    /// The graphic character set, as in 697 (X'02B9').
    pub set: u16,
    /// The code page, as in 37 or 1047.
    pub page: u16,
}

/// The capabilities of a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The size after Erase/Write.
    pub default_size: Size,
    /// The size after Erase/Write Alternate.
    pub alternate_size: Size,
    /// True if it shows extended colours.
    pub colour: bool,
    /// True if it blinks, reverses and underscores.
    pub highlight: bool,
    /// True if fields may be outlined.
    pub outlining: bool,
    /// True if it checks typed data: mandatory fill, mandatory enter, trigger.
    pub validation: bool,
    /// True if it has the graphic set of Graphic Escape.
    pub graphic_escape: bool,
    /// Reply modes beyond field mode: extended field mode and character mode.
    pub reply_modes: bool,
    /// Its code page, if it names one.
    pub character_set: Option<CharacterSet>,
    /// True if this is the terminal's own answer, false if it is derived from its device type.
    pub queried: bool,
}

impl Capabilities {
    /// The capabilities of a terminal that cannot be queried.
    pub fn unqueried(alternate_size: Size) -> Self {
        Self {
            default_size: Size::MODEL_2,
            alternate_size,
            colour: false,
            highlight: false,
            outlining: false,
            validation: false,
            graphic_escape: false,
            reply_modes: false,
            character_set: None,
            queried: false,
        }
    }
}

/// Takes the structured fields of an answer (identifier first) into account; capabilities that they do not mention
/// stay.
///
/// A part that is cut short or makes no sense is skipped: a terminal is not refused for it.
pub fn read_query_reply(capabilities: &mut Capabilities, fields: &[Vec<u8>]) {
    let parts =
        || fields.iter().filter_map(|field| field.strip_prefix(&[QUERY_REPLY])).filter(|p| !p.is_empty());
    capabilities.queried |= parts().next().is_some();
    // The sizes of the usable area are overruled by the implicit partition's, whichever comes first.
    let order = |part: &&[u8]| part[0] == QueryCode::ImplicitPartitions as u8;
    let mut sorted: Vec<&[u8]> = parts().collect();
    sorted.sort_by_key(order);
    for part in sorted {
        read_part(capabilities, part[0], &part[1..]);
    }
}

fn read_part(capabilities: &mut Capabilities, code: u8, body: &[u8]) {
    const USABLE_AREA: u8 = QueryCode::UsableArea as u8;
    const CHARACTER_SETS: u8 = QueryCode::CharacterSets as u8;
    const COLOUR: u8 = QueryCode::Colour as u8;
    const HIGHLIGHTING: u8 = QueryCode::Highlighting as u8;
    const REPLY_MODES: u8 = QueryCode::ReplyModes as u8;
    const VALIDATION: u8 = QueryCode::Validation as u8;
    const OUTLINING: u8 = QueryCode::Outlining as u8;
    const IMPLICIT_PARTITIONS: u8 = QueryCode::ImplicitPartitions as u8;
    match code {
        USABLE_AREA => {
            // Two bytes of flags, then the width and the height in cells.
            if let Some(size) = size_at(body, 2) {
                capabilities.alternate_size = size;
            }
        }
        CHARACTER_SETS => read_character_sets(capabilities, body),
        COLOUR => capabilities.colour = has_more_than_default(body, 1),
        HIGHLIGHTING => capabilities.highlight = has_more_than_default(body, 0),
        REPLY_MODES => capabilities.reply_modes = body.iter().any(|&mode| mode > 0),
        VALIDATION => capabilities.validation = true,
        OUTLINING => capabilities.outlining = true,
        IMPLICIT_PARTITIONS => read_implicit_partitions(capabilities, body),
        _ => {}
    }
}

/// A count at an offset, then that many pairs: a code and its display, where 0 means no display of its own.
fn has_more_than_default(body: &[u8], offset: usize) -> bool {
    let Some(pairs) = body.get(offset + 1..) else { return false };
    pairs.chunks_exact(2).take(usize::from(body[offset])).any(|pair| pair[0] >= 0xF1 && pair[1] != 0)
}

fn size_at(body: &[u8], at: usize) -> Option<Size> {
    let &[w1, w2, h1, h2] = body.get(at..)?.first_chunk()?;
    Size::checked(u16::from_be_bytes([h1, h2]), u16::from_be_bytes([w1, w2]))
}

/// Two bytes of flags, then self-defining parts; the part 01 has the default and the alternate size.
fn read_implicit_partitions(capabilities: &mut Capabilities, body: &[u8]) {
    const SIZES: u8 = 0x01;
    let mut rest = body.get(2..).unwrap_or_default();
    while let [len, kind, ..] = *rest {
        let len = usize::from(len);
        let Some(part) = rest.get(..len).filter(|part| part.len() >= 2) else { return };
        // Length, kind, flags; then both sizes, width first.
        if kind == SIZES
            && let (Some(default), Some(alternate)) = (size_at(part, 3), size_at(part, 7))
        {
            capabilities.default_size = default;
            capabilities.alternate_size = alternate;
        }
        rest = &rest[len..];
    }
}

fn read_character_sets(capabilities: &mut Capabilities, body: &[u8]) {
    const GRAPHIC_ESCAPE: u8 = 0x80;
    const CELL_SIZES_GIVEN: u8 = 0x08;
    const TWO_BYTE_SETS: u8 = 0x04;
    const CODE_PAGES_GIVEN: u8 = 0x02;
    /// Flags (2), the character cell (2), the form of loaded sets (4), the length of a descriptor (1).
    const DESCRIPTORS: usize = 9;
    let (Some(&flags), Some(descriptors)) = (body.first(), body.get(DESCRIPTORS..)) else { return };
    capabilities.graphic_escape = flags & GRAPHIC_ESCAPE != 0;
    // A descriptor has the set's number, flags and local identifier; then the items that the flags announce, two bytes
    // each; then the numbers of the character set and the code page. Anything may follow.
    let at = 3 + [CELL_SIZES_GIVEN, TWO_BYTE_SETS].iter().filter(|&&flag| flags & flag != 0).count() * 2;
    let len = usize::from(body[DESCRIPTORS - 1]);
    if flags & CODE_PAGES_GIVEN == 0 || len < at + 4 {
        return;
    }
    let base = descriptors.chunks_exact(len).find(|descriptor| descriptor[2] == 0);
    if let Some(&[s1, s2, p1, p2]) = base.and_then(|descriptor| descriptor[at..].first_chunk()) {
        let (set, page) = (u16::from_be_bytes([s1, s2]), u16::from_be_bytes([p1, p2]));
        capabilities.character_set = Some(CharacterSet { set, page });
    }
}

/// A terminal's answer to a query: a whole record, AID first.
pub fn write_query_reply(capabilities: &Capabilities) -> Vec<u8> {
    let [default, alternate] = [capabilities.default_size, capabilities.alternate_size].map(width_and_height);
    let mut parts: Vec<(QueryCode, Vec<u8>)> = Vec::new();
    // 12- and 14-bit addresses; measures of a cell as a 3279 has them.
    let cells = [0x00, 0x0A, 0x02, 0xE5, 0x00, 0x02, 0x00, 0x6F, 0x09, 0x0C];
    let positions = capabilities.alternate_size.addresses().to_be_bytes();
    parts
        .push((QueryCode::UsableArea, [&[0x01, 0x00][..], &alternate, &[0x01], &cells, &positions].concat()));
    if let Some(CharacterSet { set, page }) = capabilities.character_set {
        let flags = if capabilities.graphic_escape { 0x82 } else { 0x02 };
        let head = [flags, 0x00, 0x09, 0x0C, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x10, 0x00];
        parts.push((QueryCode::CharacterSets, [&head[..], &set.to_be_bytes(), &page.to_be_bytes()].concat()));
    }
    if capabilities.colour {
        let colours = (0xF1..=0xF7).flat_map(|colour| [colour, colour]);
        let pairs: Vec<u8> = [0x00, 0x08, 0x00, 0xF4].into_iter().chain(colours).collect();
        parts.push((QueryCode::Colour, pairs));
    }
    if capabilities.highlight {
        let pairs = vec![0x04, 0x00, 0xF0, 0xF1, 0xF1, 0xF2, 0xF2, 0xF4, 0xF4];
        parts.push((QueryCode::Highlighting, pairs));
    }
    if capabilities.reply_modes {
        parts.push((QueryCode::ReplyModes, vec![0x00, 0x01, 0x02]));
    }
    if capabilities.validation {
        parts.push((QueryCode::Validation, vec![0x07]));
    }
    if capabilities.outlining {
        parts.push((QueryCode::Outlining, vec![0x00; 6]));
    }
    let sizes = [&[0x00, 0x00, 0x0B, 0x01, 0x00][..], &default, &alternate].concat();
    parts.push((QueryCode::ImplicitPartitions, sizes));
    let codes: Vec<u8> = std::iter::once(QueryCode::Summary)
        .chain(parts.iter().map(|part| part.0))
        .map(|code| code as u8)
        .collect();
    parts.insert(0, (QueryCode::Summary, codes));
    let mut record = vec![super::Aid::StructuredField.code()];
    for (code, body) in parts {
        record.extend(((body.len() + 4) as u16).to_be_bytes());
        record.extend([QUERY_REPLY, code as u8]);
        record.extend(body);
    }
    record
}

fn width_and_height(size: Size) -> [u8; 4] {
    let ([w1, w2], [h1, h2]) = (size.columns.to_be_bytes(), size.rows.to_be_bytes());
    [w1, w2, h1, h2]
}
