//! Plain data as the bytes of a message: what ranks bring to a meeting, and what it decides.

use crate::lost::Lost;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// As it is sent.
pub fn written(message: &(impl Serialize + ?Sized)) -> Vec<u8> {
    serde_json::to_vec(message).expect("plain data in memory is written")
}

/// As this rank sent it.
///
/// # Errors
/// [`Lost::Foreign`] if the rank runs another program.
pub fn read<M: DeserializeOwned>(message: &[u8], from: u32) -> Result<M, Lost> {
    serde_json::from_slice(message).map_err(|_| Lost::Foreign { from })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_program_sent_is_foreign() {
        let sent = written(&Some(7));
        assert_eq!(read::<Option<u32>>(&sent, 3), Ok(Some(7)));
        assert_eq!(read::<Vec<String>>(&sent, 3), Err(Lost::Foreign { from: 3 }));
        assert_eq!(read::<u32>(b"", 2), Err(Lost::Foreign { from: 2 }));
    }
}
