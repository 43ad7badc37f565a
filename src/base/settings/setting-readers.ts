import { X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { dirname, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'

/** Reads the text of one setting; throws a SettingMistake that says what to write instead. */
export type SettingReader<T> = (text: string) => T

/** A setting that cannot be used; the message completes "WEIR_X …". */
export class SettingMistake extends Error {}

/** Any text that is not blank. */
export function readText(text: string): string {
  if (text.trim() === '') throw new SettingMistake('must not be blank')
  return text
}

/** A whole number within bounds, both included. */
export function readInteger(bounds: { min: number; max: number }): SettingReader<number> {
  return (text) => {
    const value = Number(text)
    const fits = /^\d{1,16}$/.test(text) && value >= bounds.min && value <= bounds.max
    if (!fits) {
      throw new SettingMistake(
        `must be an integer from ${bounds.min} to ${bounds.max}, got "${text}"`,
      )
    }
    return value
  }
}

/** One of a few words. */
export function readOneOf<T extends string>(choices: readonly T[]): SettingReader<T> {
  return (text) => {
    const chosen = choices.find((choice) => choice === text)
    if (chosen === undefined) {
      throw new SettingMistake(`must be one of ${choices.join(', ')}, got "${text}"`)
    }
    return chosen
  }
}

/** A path, made absolute from the working folder. */
function readPath(text: string): string {
  return resolve(readText(text))
}

/** A path of a folder that exists and can be written, or that can be made. */
export function readFolderPath(text: string): string {
  const path = readPath(text)
  let existing = path
  while (!existsSync(existing)) existing = dirname(existing)
  try {
    if (!statSync(existing).isDirectory()) throw new SettingMistake('')
    accessSync(existing, constants.W_OK | constants.X_OK)
  } catch (error) {
    // A read-only disk is no mistake of the setting: the start refuses it with the exit code of a disk's trouble.
    if ((error as NodeJS.ErrnoException).code === 'EROFS') return path
    throw new SettingMistake(
      `must be a folder that exists or can be created, and is writable, got "${text}"`,
    )
  }
  return path
}

/** A path of a file that can be read. */
export function readFilePath(text: string): string {
  const path = readPath(text)
  try {
    accessSync(path, constants.R_OK)
    if (!statSync(path).isFile()) throw new SettingMistake('')
  } catch {
    throw new SettingMistake(`must be the path of a readable file, got "${text}"`)
  }
  return path
}

/** Characters that do not show, or change how others show. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]/u

/** An e-mail address that looks like no other, in lower case: accounts are found whatever the case. */
export function readEmail(text: string): string {
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text)) {
    throw new SettingMistake(`must be an email address, got "${text}"`)
  }
  if (UNSEEN.test(text) || text !== text.normalize('NFKC')) {
    // Not repeated: what is wrong with it would not be seen, or would turn the message around.
    const forms = 'control, invisible, direction, full-width, or compatibility characters'
    throw new SettingMistake(`must be an email address without ${forms}`)
  }
  return text.toLowerCase()
}

/** The least characters of the first password; what people set later is held to more. */
const PASSWORD_LENGTH_MIN = 8
/** The most characters of a password: hashing must not become a way to keep the service busy. */
export const PASSWORD_LENGTH_MAX = 512

/** A password; the mistake never repeats it. */
export function readPassword(text: string): string {
  if (text.length < PASSWORD_LENGTH_MIN || text.length > PASSWORD_LENGTH_MAX) {
    throw new SettingMistake(
      `must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters (this one has ${text.length})`,
    )
  }
  return text
}

/** A secret that travels in URLs and cookies; the mistake never repeats it. */
export function readSecretKey(text: string): string {
  if (!/^[A-Za-z0-9_-]{16,128}$/.test(text)) {
    throw new SettingMistake('must have 16 to 128 letters, digits, hyphens, or underscores')
  }
  return text
}

/** An IANA time zone. */
export function readTimeZone(text: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone && text
  } catch {
    throw new SettingMistake(`must be an IANA time zone such as Europe/Berlin, got "${text}"`)
  }
}

/** Addresses and CIDR ranges with commas in between. */
export function readAddressList(text: string): readonly string[] {
  const items = itemsOf(text)
  const wrong = items.find((item) => !isAddressRange(item))
  if (wrong === undefined) return items
  throw new SettingMistake(`must list IP addresses or CIDR ranges, got "${wrong}"`)
}

/** A host name, each of its labels within what DNS takes; underscores are seen in private networks. */
const HOST_NAME = /^(?!-)[a-z0-9_-]{1,63}(?:\.(?!-)[a-z0-9_-]{1,63}){0,126}\.?$/i

/** Host names, addresses and CIDR ranges with commas in between. */
export function readHostList(text: string): readonly string[] {
  const items = itemsOf(text)
  // What looks like an address and is none would be looked up as a name that nobody has.
  const isHost = (item: string) => HOST_NAME.test(item) && !/^[\d.]+$/.test(item)
  const wrong = items.find((item) => !isAddressRange(item) && !isHost(item))
  if (wrong === undefined) return items
  throw new SettingMistake(`must list host names, IP addresses, or CIDR ranges, got "${wrong}"`)
}

function itemsOf(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

function isAddressRange(item: string): boolean {
  const [address, prefix] = item.split('/')
  if (isIP(address) === 0) return false
  try {
    const bits = Number(prefix ?? (isIPv4(address) ? 32 : 128))
    new BlockList().addSubnet(address, bits, isIPv4(address) ? 'ipv4' : 'ipv6')
    return true
  } catch {
    return false
  }
}

/** The object in a JSON file of settings, as texts by name. */
export function readSettingsFile(path: string): Record<string, string> {
  let parsed: unknown
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new SettingMistake(`must be a readable JSON file: ${(error as Error).message}`)
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new SettingMistake(
      'must contain one JSON object of settings, such as {"WEIR_PORT": 8080}',
    )
  }
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => [name, settingText(value)]),
  )
}

function settingText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What is wrong with a certificate and its key, or undefined when a server can use them. */
export function findTlsMistake(certFile: string, keyFile: string): string | undefined {
  try {
    createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
    return undefined
  } catch (error) {
    return `must contain a PEM certificate and its private key: ${(error as Error).message}`
  }
}

/** Describes the mistake in a file of certificate authorities; undefined when certificates can be verified with it. */
export function findAuthorityMistake(file: string): string | undefined {
  const text = readFileSync(file, 'utf8')
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const one of found) new X509Certificate(one)
    return found.length > 0 ? undefined : 'must contain certificates in PEM format, but has none'
  } catch (error) {
    return `must contain certificates in PEM format: ${(error as Error).message}`
  }
}
