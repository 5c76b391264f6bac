//! Steps before the reader of a format: decompression, and the check that text is UTF-8.

use crate::codes;
use crate::error::{Error, printable};
use crate::source::{Limits, Source};
use std::io::Read;

/// The limit on the memory of the xz decoder, in bytes. `xz -9` needs 65 MB.
const XZ_MEMORY: u64 = 80 << 20;
const XZ_MAGIC: &[u8] = &[0xFD, b'7', b'z', b'X', b'Z', 0];
const GZ_MAGIC: &[u8] = &[0x1F, 0x8B];

/// Decompresses `.xz` and `.gz`, recognised by the name or by the first bytes (no text begins with these bytes).
/// Returns the name without this extension, and the content. Other input is returned unchanged.
///
/// # Errors
/// Broken or truncated archives, and content beyond `limits.bytes`.
pub fn decompress(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<(String, Vec<u8>), Box<Error>> {
    let stem = |extension| name.strip_suffix(extension).map(str::to_owned);
    let (inner, xz, gz) = match (stem(".xz"), stem(".gz")) {
        (Some(inner), _) => (inner, true, false),
        (_, Some(inner)) => (inner, false, true),
        _ => (name.to_owned(), bytes.starts_with(XZ_MAGIC), bytes.starts_with(GZ_MAGIC)),
    };
    let content = if xz {
        let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, liblzma::stream::CONCATENATED)
            .map_err(|e| broken(name, "xz", &e.to_string()))?;
        bounded(liblzma::bufread::XzDecoder::new_stream(bytes.as_slice(), stream), name, "xz", limits)?
    } else if gz {
        bounded(flate2::bufread::MultiGzDecoder::new(bytes.as_slice()), name, "gzip", limits)?
    } else if bytes.len() > limits.bytes {
        return Err(too_large(name, limits));
    } else {
        bytes
    };
    Ok((inner, content))
}

/// Reads everything from `reader`, up to the limit on bytes.
fn bounded(reader: impl Read, name: &str, kind: &str, limits: &Limits) -> Result<Vec<u8>, Box<Error>> {
    let mut content = Vec::new();
    let most = (limits.bytes as u64).saturating_add(1);
    reader.take(most).read_to_end(&mut content).map_err(|e| broken(name, kind, &e.to_string()))?;
    if content.len() > limits.bytes { Err(too_large(name, limits)) } else { Ok(content) }
}

fn broken(name: &str, kind: &str, why: &str) -> Box<Error> {
    Error::whole(
        &codes::INPUT_BROKEN_ARCHIVE,
        name,
        format!("the {kind} data is broken or cut off: {}", printable(why)),
    )
    .hint(format!("expected {kind} data because of the name or the first bytes, and nothing after its end"))
}

/// The error that an input has more bytes than are read.
pub fn too_large(name: &str, limits: &Limits) -> Box<Error> {
    Error::whole(&codes::LIMIT_BYTES, name, format!("the input has more than {} bytes", limits.bytes))
        .hint("compressed input counts with its unpacked size")
}

/// Returns the source as text.
pub fn utf8(source: &Source) -> Result<&str, Box<Error>> {
    std::str::from_utf8(&source.bytes).map_err(|e| not_utf8(source, &source.bytes, e.valid_up_to()))
}

/// Makes the error about the byte at `at`. `shown` is the source from which the excerpt is taken.
pub fn not_utf8(source: &Source, shown: &[u8], at: usize) -> Box<Error> {
    let byte = shown.get(at).copied().unwrap_or_default();
    let message = format!("byte 0x{byte:02X} is not UTF-8 text");
    Error::at(&codes::INPUT_NOT_UTF8, &source.name, shown, at..at + 1, message)
        .label("expected UTF-8")
        .hint("is it a binary file, or text in another encoding?")
}
