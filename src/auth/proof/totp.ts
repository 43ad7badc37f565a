/** Codes that an authenticator app shows: RFC 6238 with the figures that all apps know. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 20
const STEP_MS = 30_000
const DIGITS = 6
/** Clocks of telephones are off, and people type slowly: one step before and after. */
const STEPS_AROUND = 1
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A secret for an authenticator app, in base32. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES))
}

/** What an authenticator app reads from a QR code. */
export function totpAddress(secret: string, account: string): string {
  const label = encodeURIComponent(`Weir:${account}`)
  return `otpauth://totp/${label}?secret=${secret}&issuer=Weir&algorithm=SHA1&digits=${DIGITS}&period=30`
}

/** The code of a secret at a step. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const tag = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const at = tag[tag.length - 1] & 0xf
  const number = (tag.readUInt32BE(at) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

/** The step that a code belongs to, when it is good at the time and later than `after`; undefined: it is not. */
export function findTotpStep(
  secret: string,
  code: string,
  { nowMs, after }: { readonly nowMs: number; readonly after: number },
): number | undefined {
  const current = Math.floor(nowMs / STEP_MS)
  let found: number | undefined
  for (let step = current - STEPS_AROUND; step <= current + STEPS_AROUND; step += 1) {
    if (step > after && isSame(totpCode(secret, step), code)) found ??= step
  }
  return found
}

function isSame(right: string, given: string): boolean {
  const [a, b] = [Buffer.from(right), Buffer.from(given)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function toBase32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(held >> bits) & 31]
    }
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31]
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (const character of text) {
    held = ((held << 5) | ALPHABET.indexOf(character)) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 255)
  }
  return Buffer.from(bytes)
}
