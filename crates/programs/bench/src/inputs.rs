//! Inputs that several measurements share: sizes of tables and messages, and texts of the application.

/// Rows of the table of contacts.
pub(crate) const CONTACTS: usize = 1_000;
/// Bytes of a message of the direct path.
pub(crate) const DIRECT_MESSAGE: usize = 8;
/// Bytes of its answer's body.
pub(crate) const DIRECT_ANSWER: usize = 100;
/// Bytes of an answer about a contact: the programs' COMMAREA.
pub(crate) const CONTACT_ANSWER: usize = 80;
/// Bytes of a key of a data table, and of a record with it.
pub(crate) const TABLE_KEY: usize = 16;
pub(crate) const TABLE_RECORD: usize = 64;
/// The options of both bindings.
const BINDING: &str =
    "PGMNAME=NULL1\nOPERATION-NAME=call\nREQUEST-NAMESPACE=urn:b\nRESPONSE-NAMESPACE=urn:b\n";

/// The table of contacts, as the region's first start makes it.
pub(crate) fn contacts_script() -> String {
    let rows: String =
        (0..CONTACTS).map(|id| format!("INSERT INTO CONTACT VALUES ({id}, 'CONTACT {id:08}');\n")).collect();
    format!("CREATE TABLE CONTACT (ID INTEGER NOT NULL PRIMARY KEY, NAME CHAR(30) NOT NULL);\n{rows}")
}

/// The lines of which a data table is loaded.
pub(crate) fn table_lines(count: usize) -> String {
    (0..count).map(|number| format!("{number:0TABLE_KEY$}{:<1$}\n", "", TABLE_RECORD - TABLE_KEY)).collect()
}

/// The files of the application that only web services need.
pub(crate) fn web_files() -> Vec<(&'static str, String)> {
    let (ten, order) = (include_str!("../programs/ten.cpy"), include_str!("../programs/order.cpy"));
    vec![
        ("web.csd", include_str!("../programs/web.csd").to_owned()),
        ("soap.xml", include_str!("../programs/soap.xml").to_owned()),
        ("TEN.cpy", ten.to_owned()),
        ("TENC.cbl", include_str!("../programs/tenc.cbl").to_owned()),
        ("ten.wsbind", binding_file("/ten", ten)),
        ("order.wsbind", binding_file("/order", order)),
    ]
}

/// A binding file of a service at a path.
pub(crate) fn binding_file(path: &str, copybook: &str) -> String {
    format!(
        "format = 1\norigin = \"copybook\"\noptions = \"\"\"\n{BINDING}URI={path}\n\"\"\"\n[description]\nname = \"RECORD.cpy\"\n\
         text = \"\"\"\n{copybook}\"\"\"\n"
    )
}
