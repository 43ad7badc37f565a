import { Readable } from 'node:stream'

/** Encodes a stream of bytes as one base64 text, padded only at its very end. */
export async function* base64Text(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    const bytes = held.length === 0 ? asBuffer(chunk) : Buffer.concat([held, chunk])
    // Three bytes make four characters; what does not fill a group waits for the next chunk.
    const whole = bytes.length - (bytes.length % 3)
    if (whole > 0) yield bytes.toString('base64', 0, whole)
    held = bytes.subarray(whole)
  }
  if (held.length > 0) yield held.toString('base64')
}

/** The same as a stream, which closes the source with itself: a generator that nobody has begun would leave it open. */
export function base64Stream(source: Readable): Readable {
  const text = Readable.from(base64Text(source))
  text.once('close', () => source.destroy())
  return text
}

/** How many characters the base64 text of a number of bytes has. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

function asBuffer(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
}
