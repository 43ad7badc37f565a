/** The mail server: how WEIR_SMTP_URL and WEIR_SMTP_FROM are read. */
import { isIP } from 'node:net'
import { SettingMistake } from './setting-readers.ts'

/** A mail server, and how to sign in to it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Encrypted from the first byte (smtps). Else STARTTLS is used if the server offers it. */
  readonly isTls: boolean
  /** Refuses a server without STARTTLS. */
  readonly requiresTls: boolean
  readonly verifiesTls: boolean
  /** Blank: without signing in. */
  readonly user: string
  readonly password: string
}

const OPTIONS = ['requireTls', 'verifyTls']
const FORM = 'smtps://user:password@mail.example.com'

/** Reads a URL such as smtp://user:password@host:587?requireTls=true. Mistakes do not repeat it: it holds a password. */
export function readSmtpUrl(text: string): SmtpServer {
  const url = URL.parse(text)
  // The parser knows smtp as a scheme without rules, so the host is checked here.
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isHost = isIP(host) !== 0 || /^[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?$/i.test(host)
  if (url === null || !/^smtps?:$/.test(url.protocol) || !isHost) {
    throw new SettingMistake(`must be a URL of a mail server, such as ${FORM}`)
  }
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '') {
    throw new SettingMistake(`must not have a path, such as ${FORM}`)
  }
  const isTls = url.protocol === 'smtps:'
  const unknown = [...url.searchParams.keys()].find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) {
    throw new SettingMistake(`has an unknown option. Known are ${OPTIONS.join(', ')}`)
  }
  return {
    host,
    port: Number(url.port || (isTls ? 465 : 587)),
    isTls,
    requiresTls: readFlag(url, 'requireTls', false),
    verifiesTls: readFlag(url, 'verifyTls', true),
    user: decoded(url.username),
    password: decoded(url.password),
  }
}

function readFlag(url: URL, name: string, fallback: boolean): boolean {
  const text = url.searchParams.get(name) ?? String(fallback)
  if (text !== 'true' && text !== 'false') {
    throw new SettingMistake(`must have true or false for ${name}`)
  }
  return text === 'true'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new SettingMistake('must have user and password percent-encoded')
  }
}

/** Reads a sender: an address, or a name with an address in angle brackets. */
export function readSmtpFrom(text: string): string {
  const address = /<([^<>]*)>$/.exec(text)?.[1] ?? text
  if (!/^[^\s@<>]{1,64}@[^\s@<>]{1,190}$/.test(address) || /\p{Cc}/u.test(text)) {
    throw new SettingMistake(
      `must be an email address, such as Weir <weir@example.com>, got "${text}"`,
    )
  }
  return text
}

/** Mistakes of the two settings together. */
export function findSmtpMistakes(given: ReadonlyMap<string, string>): string[] {
  if (given.has('WEIR_SMTP_URL') === given.has('WEIR_SMTP_FROM')) return []
  return ['WEIR_SMTP_URL and WEIR_SMTP_FROM must be set together']
}
