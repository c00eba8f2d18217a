//! Files of a state folder: in clear, or encrypted where the folder has a key.
//!
//! A folder is *protected* once per process ([`protect`]). From then on whatever is created or appended to below it is sealed,
//! and whatever is read is opened, wherever it was sealed by a folder that this process has protected. Files elsewhere stay
//! what they are. So everybody who writes a file of the state writes it through [`File`], and need not know of keys.
//!
//! In scope: how a sealed file lies on the disk, and the keys of a folder ([`mod@ring`]). Out of scope: records
//! and log (`records` seals them itself), and where the user's key comes from.

mod beginning;
mod block;
mod file;
mod ring;
mod take_over;

pub use beginning::is_sealed;
pub use file::{File, read, read_to_string};
pub use ring::{KEYRING, KEYRING_TWIN, forget, protect, protect_for_now, protect_with, rotate, shut, unlock};
pub use take_over::{seal, seal_folder};

/// Bytes of a key.
pub const KEY: usize = 32;
