import type { SampleColumns } from '../../ports/sample-port.ts'

/** Texts below this total size are not examined one by one. */
export const FREE_TEXT_BYTES = 64 * 1024

/** At least the bytes that a text takes as a string. */
export function bytesOfText(text: string): number {
  // Strings of Latin letters take a byte for each; ASCII is quick to detect.
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length
}

/** At least the bytes that the texts of some samples take as strings. */
export function bytesOfTexts({ count, texts }: SampleColumns): number {
  if (texts === undefined) return 0
  let bytes = 0
  for (let at = 0; at < count; at++) bytes += 2 * (texts[at]?.length ?? 0)
  if (bytes <= FREE_TEXT_BYTES) return bytes
  bytes = 0
  for (let at = 0; at < count; at++) {
    const text = texts[at]
    if (text !== undefined) bytes += bytesOfText(text)
  }
  return bytes
}
