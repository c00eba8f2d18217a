//! Views and other names of tables as bytes, which the catalogue keeps.
//!
//! ```text
//! 1  format
//! 1  'A' another name: the full name of the table
//!    'V' a view: 1 for CHECK OPTION, 4 length of the text, the text of the query, and three lists of texts: the names of its columns, the schemas in which
//!        it looks for names, the full names of what is below it; and of each column 1 + 4 + 1 its type, 1 true if it can be NULL. A list is
//!        2 for its length, and its texts.
//! ```

use db2_syntax::{CheckOption, Type, View, ViewQuery, full_name};

use super::bytes::{Reader, number, text};

const FORMAT: u8 = 1;

/// The definition as bytes; `None`: it is too long.
pub fn view_bytes(view: &View) -> Option<Vec<u8>> {
    let mut bytes = vec![FORMAT];
    match view {
        View::Alias { of, .. } => {
            bytes.push(b'A');
            text(&mut bytes, of);
        }
        View::Query(view) => {
            bytes.push(b'V');
            bytes.push(match view.check {
                None => 0,
                Some(CheckOption::Cascaded) => 1,
                Some(CheckOption::Local) => 2,
            });
            bytes.extend(u32::try_from(view.text.len()).ok()?.to_be_bytes());
            bytes.extend(view.text.as_bytes());
            for list in [&view.columns, &view.schemas, &view.uses] {
                u16::try_from(list.len()).ok()?;
                number(&mut bytes, list.len());
                list.iter().for_each(|one| text(&mut bytes, one));
            }
            for (kind, is_nullable) in &view.kinds {
                let (code, length, scale) = kind.coded();
                bytes.push(code);
                bytes.extend(length.to_be_bytes());
                bytes.extend([scale, u8::from(*is_nullable)]);
            }
        }
    }
    Some(bytes)
}

/// The view as statements name it; `None`: its definition is none of this version.
pub fn view(view: &db2_rows::View) -> Option<View> {
    let name = full_name(&view.name.schema, &view.name.name);
    let (&FORMAT, rest) = view.definition.split_first()? else { return None };
    let mut reader = Reader(rest);
    let found = match reader.take(1)? {
        b"A" => View::Alias { name, of: reader.text()? },
        b"V" => {
            let check = match reader.take(1)? {
                [0] => None,
                [1] => Some(CheckOption::Cascaded),
                [2] => Some(CheckOption::Local),
                _ => return None,
            };
            let length = u32::from_be_bytes(reader.take(4)?.try_into().ok()?);
            let text = String::from_utf8(reader.take(usize::try_from(length).ok()?)?.to_vec()).ok()?;
            let mut list = || (0..reader.number()?).map(|_| reader.text()).collect::<Option<Vec<_>>>();
            let (columns, schemas, uses) = (list()?, list()?, list()?);
            let mut kinds = Vec::new();
            for _ in &columns {
                let [code, length @ .., scale, is_nullable] = reader.take(7)? else { return None };
                let kind = Type::of_code(*code, u32::from_be_bytes(length.try_into().ok()?), *scale)?;
                kinds.push((kind, *is_nullable != 0));
            }
            View::Query(ViewQuery { name, columns, kinds, text, schemas, check, uses })
        }
        _ => return None,
    };
    reader.0.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use db2_rows::{Name, ViewId};

    use super::*;

    #[test]
    fn views_come_back_from_their_bytes_and_from_no_others() {
        let of = |one: &str| vec![one.to_owned()];
        let query = ViewQuery {
            name: "S.V".into(),
            columns: of("Ü"),
            kinds: vec![(Type::Decimal { precision: 7, scale: 2 }, true)],
            text: "SELECT 1 FROM T".into(),
            schemas: of("S"),
            check: Some(CheckOption::Local),
            uses: of("S.T"),
        };
        for kept in [View::Query(query), View::Alias { name: "S.V".into(), of: "S.T".into() }] {
            let definition = view_bytes(&kept).unwrap();
            let read = |definition: &[u8]| {
                view(&db2_rows::View {
                    id: ViewId(1),
                    name: Name::new("S", "V"),
                    definition: definition.to_vec(),
                })
            };
            assert_eq!(read(&definition), Some(kept));
            for end in 0..definition.len() {
                assert_eq!(read(&definition[..end]), None, "{end} bytes");
            }
        }
    }
}
