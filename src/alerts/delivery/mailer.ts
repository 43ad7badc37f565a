/** Sends email through the mail server of the operator. */
import type { SmtpServer } from '../../base/index.ts'
import type { SendOutcome } from './delivery.ts'
import type { MessageText } from './message-text.ts'

/** A server that takes longer for a step is tried again later. */
const STEP_MS = 10_000
/** Bounds all steps together. */
const WHOLE_MS = 30_000
/** A message of a server that is shown. */
const SHOWN_LENGTH_MAX = 200
const TOO_LONG = 'The mail server took too long'

interface Mail {
  readonly to: readonly string[]
  readonly text: MessageText
  /** Equal for every try, so that servers and clients recognize a repeated message. */
  readonly idempotencyKey: string
}

/** The mail server that WEIR_SMTP_URL names. It is the operator's choice, so no outbound rule applies. */
export class Mailer {
  readonly #server: SmtpServer
  readonly #from: string

  constructor(server: SmtpServer, from: string) {
    this.#server = server
    this.#from = from
  }

  /** Sends a message; succeeds when the server takes it for at least one recipient. */
  async send({ to, text, idempotencyKey }: Mail, ending: AbortSignal): Promise<SendOutcome> {
    // Loaded on first use: most services send no email.
    const { createTransport } = await import('nodemailer')
    const { host, port, isTls, requiresTls, verifiesTls, user, password } = this.#server
    const transport = createTransport({
      host,
      port,
      secure: isTls,
      requireTLS: requiresTls,
      tls: { rejectUnauthorized: verifiesTls },
      auth: user === '' ? undefined : { user, pass: password },
      connectionTimeout: STEP_MS,
      greetingTimeout: STEP_MS,
      dnsTimeout: STEP_MS,
      socketTimeout: STEP_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    const signal = AbortSignal.any([ending, AbortSignal.timeout(WHOLE_MS)])
    const { promise: late, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(new Error(TOO_LONG))
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const sending = transport.sendMail({
        from: this.#from,
        to: [...to],
        subject: text.title,
        text: bodyOf(text),
        messageId: `<${idempotencyKey}@weir>`,
        headers: { 'Idempotency-Key': idempotencyKey, 'Auto-Submitted': 'auto-generated' },
      })
      sending.catch(() => {})
      const { rejected = [] } = await Promise.race([sending, late])
      const but = rejected.length === 0 ? '' : `. Refused: ${rejected.join(', ')}`
      const message = `The mail server accepted the message for ${to.length - rejected.length} of ${to.length}${but}`
      return { isOk: true, reason: 'ok', message: this.#shown(message) }
    } catch (error) {
      return this.#failure(error)
    } finally {
      signal.removeEventListener('abort', onAbort)
      late.catch(() => {})
      transport.close()
    }
  }

  #failure(error: unknown): SendOutcome {
    const { code, message } = error as { code?: string; message: string }
    const isTimeout = code === 'ETIMEDOUT' || message === TOO_LONG
    const what = `Cannot send the email: ${message}`
    return { isOk: false, reason: isTimeout ? 'timeout' : 'mail', message: this.#shown(what) }
  }

  /** Servers repeat what they were sent, and the password must not be shown. */
  #shown(text: string): string {
    const { password } = this.#server
    const masked = password === '' ? text : text.replaceAll(password, '[redacted]')
    return masked
      .replaceAll(/\p{Cc}+/gu, ' ')
      .slice(0, SHOWN_LENGTH_MAX)
      .toWellFormed()
  }
}

function bodyOf({ lines, link }: MessageText): string {
  return [...lines, ...(link === undefined ? [] : ['', link])].join('\n')
}
