/** UIDs as the tables of components and streams have them: 16 bytes. */
import { invariant, readUid, UID_WORDS } from '../../../../base/plain.ts'

const words = new Uint32Array(UID_WORDS)

const BYTES = 16

/** The bytes of UIDs, one buffer for all, and their words. */
export class UidBytes {
  readonly words: Uint32Array
  readonly #bytes: Buffer

  /** Refuses what is no UID. */
  constructor(uids: readonly string[]) {
    this.words = new Uint32Array(uids.length * UID_WORDS)
    for (const [at, uid] of uids.entries()) {
      invariant(readUid(uid, words), `${uid} is no UID`)
      this.words.set(words, at * UID_WORDS)
    }
    this.#bytes = Buffer.from(this.words.slice().buffer).swap32()
  }

  /** All of them, one after the other. */
  toBase64(): string {
    return this.#bytes.toString('base64')
  }

  bytesAt(at: number): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, at * BYTES, BYTES)
  }
}

/** The bytes of a UID; undefined for a text that is none. */
export function uidBytes(uid: string): Buffer | undefined {
  return readUid(uid, words) ? Buffer.from(uid.replaceAll('-', ''), 'hex') : undefined
}

/** The UID of some bytes. */
export function uidOfBytes(bytes: Uint8Array): string {
  return uidOfHex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex'))
}

/** The UID of 32 lower-case hex digits. */
export function uidOfHex(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
