//! Zips for tests.

/// A zip with stored files.
pub fn zip(files: &[(&str, String)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let (size, name_size) = ((content.len() as u32).to_le_bytes(), (name.len() as u16).to_le_bytes());
        let crc = crc32fast::hash(content.as_bytes()).to_le_bytes();
        let common: Vec<u8> =
            [&[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..], &crc, &size, &size, &name_size, &[0; 2]].concat();
        let at = (bytes.len() as u32).to_le_bytes();
        bytes.extend([&b"PK\x03\x04"[..], &common, name.as_bytes(), content.as_bytes()].concat());
        directory.extend([&b"PK\x01\x02\x14\x03"[..], &common, &[0; 10], &at, name.as_bytes()].concat());
    }
    let [at, size] = [bytes.len(), directory.len()].map(|length| (length as u32).to_le_bytes());
    let count = (files.len() as u16).to_le_bytes();
    bytes.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &size, &at, &[0; 2]].concat());
    bytes
}
