/** The text of a body, whatever it is. */

const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]+)/i

/** Nearly all bodies are UTF-8; a mark at the beginning is no part of the text. */
const utf8 = new TextDecoder('utf-8')

/**
 * A body as text: by the mark at its beginning, else by the charset that its type names, else as UTF-8.
 * Invalid bytes become U+FFFD, as nobody can be asked. Null for an empty body.
 */
export function bodyText(bytes: Buffer, contentType: string | undefined): string | null {
  if (bytes.length === 0) return null
  const marked = markedCharset(bytes)
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes)
  const charset = contentType === undefined ? undefined : CHARSET.exec(contentType)?.[1]
  return decoderOf(charset).decode(bytes)
}

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

function decoderOf(charset: string | undefined): TextDecoder {
  if (charset === undefined || /^utf-?8$/i.test(charset)) return utf8
  try {
    return new TextDecoder(charset)
  } catch {
    // A name that nobody knows says nothing.
    return utf8
  }
}
