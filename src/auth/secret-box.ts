import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { invariant } from '../base/index.ts'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Keeps secrets that must be shown again: AES-256-GCM under a key that lies outside the database. */
export class SecretBox {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    invariant(key.byteLength === KEY_BYTES, `a secret box needs a key of ${KEY_BYTES} bytes`)
    this.#key = key
  }

  /** Encrypts a text; it opens only under the same owner, so that records cannot be swapped. */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(owner))
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
  }

  /** The text that was sealed; throws when the key, the owner or a byte differs. */
  open(sealed: string, owner: string): string {
    const [version, text] = sealed.split('.')
    invariant(version === 'v1' && text !== undefined, 'a sealed secret of an unknown version')
    const bytes = Buffer.from(text, 'base64url')
    const nonce = bytes.subarray(0, NONCE_BYTES)
    const decipher = createDecipheriv(CIPHER, this.#key, nonce).setAAD(Buffer.from(owner))
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
    const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  }
}
