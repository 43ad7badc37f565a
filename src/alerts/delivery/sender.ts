import { type Clock, Refusal, version } from '../../base/index.ts'
import type { OutboundRules } from '../../connectors/index.ts'
import type { ChannelSecrets } from '../channel/channel-secrets.ts'
import type { ChannelBody } from '../channel/channel-shape.ts'
import type { Delivery, SendOutcome } from './delivery.ts'
import type { Mailer } from './mailer.ts'
import { messageText } from './message-text.ts'
import { type PostAnswer, PostFailure, postWebhook } from './post-webhook.ts'
import { signWebhook } from './sign-webhook.ts'
import { webhookRequest } from './webhook-body.ts'

/** What of an answer is shown: enough for the error messages of the presets. */
const SHOWN_LENGTH_MAX = 200
/** Shorter parts of a URL are words, and no secrets. */
const SECRET_LENGTH_MIN = 6

interface SenderDeps {
  readonly secrets: ChannelSecrets
  readonly rules: OutboundRules
  /** Undefined while the operator has named no mail server. */
  readonly mailer: Mailer | undefined
  readonly clock: Clock
  /** WEIR_PUBLIC_URL, for links to the studio. */
  readonly publicUrl: string | undefined
}

/** A message and where it goes. */
interface Message {
  readonly channel: ChannelBody
  readonly orgUid: string
  readonly delivery: Delivery
}

/** Sends messages to channels, one try each. */
export class Sender {
  readonly #deps: SenderDeps

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** Whether channels can send email. */
  get hasMail(): boolean {
    return this.#deps.mailer !== undefined
  }

  /** Tries once. Resolves with the outcome, and rejects only for a fault of the service itself. */
  async send(message: Message, signal: AbortSignal): Promise<SendOutcome> {
    try {
      if (message.channel.kind === 'EMAIL') return await this.#sendMail(message, signal)
      return await this.#sendWebhook(message, signal)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { isOk: false, reason: 'secret', message: error.message }
    }
  }

  async #sendMail({ channel, delivery }: Message, signal: AbortSignal): Promise<SendOutcome> {
    const { mailer, publicUrl } = this.#deps
    if (mailer === undefined) {
      const message = 'This service has no mail server. The operator has to set WEIR_SMTP_URL'
      return { isOk: false, reason: 'mail', message }
    }
    const { idempotencyKey } = delivery
    const text = messageText(delivery, publicUrl)
    return await mailer.send({ to: channel.emails, text, idempotencyKey }, signal)
  }

  async #sendWebhook(
    { channel, orgUid, delivery }: Message,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { clock, publicUrl, rules, secrets } = this.#deps
    const { preset, recipient } = channel
    const token = secrets.openToken(channel, orgUid)
    const secret = secrets.openSecret(channel, orgUid)
    const target = { preset, recipient, token, url: secrets.openUrl(channel, orgUid) }
    const { url, body } = webhookRequest(delivery, target, publicUrl)
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'User-Agent': `Weir/${version}`,
      'Idempotency-Key': delivery.idempotencyKey,
    }
    if (secret !== '') headers['Weir-Signature'] = signWebhook(body, secret, clock.now())
    if (token !== '' && preset !== 'TELEGRAM') headers.Authorization = `Bearer ${token}`
    try {
      const answer = await postWebhook(rules, { url, headers, body }, signal)
      return outcomeOf(answer, secretsOf(url, token, secret))
    } catch (error) {
      if (!(error instanceof PostFailure)) throw error
      return { isOk: false, reason: error.reason, message: error.message }
    }
  }
}

function outcomeOf(answer: PostAnswer, secrets: readonly string[]): SendOutcome {
  const { status, text, location, retryAfterMs } = answer
  if (status >= 200 && status < 300) {
    return { isOk: true, reason: 'ok', message: `Answered with ${status}`, status }
  }
  if (status >= 300 && status < 400) {
    const host = URL.parse(location ?? '')?.host
    const where = host === undefined ? '' : ` to ${host}`
    const message = `Answered with ${status}, a redirect${where}. Redirects are not followed: enter the final URL`
    return { isOk: false, reason: 'redirect', message, status }
  }
  const shown = shownText(text, secrets)
  const message = `Answered with ${status}${shown === '' ? '' : `: ${shown}`}`
  return { isOk: false, reason: 'status', message, status, retryAfterMs }
}

/** The texts that an answer may repeat and nobody must read. */
function secretsOf(url: string, token: string, secret: string): string[] {
  const { pathname, search } = new URL(url)
  const pieces = [token, secret, ...pathname.split('/'), ...search.split(/[?&=]/)]
  return pieces.filter((piece) => piece.length >= SECRET_LENGTH_MIN)
}

function shownText(text: string, secrets: readonly string[]): string {
  const masked = secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
  return masked
    .replaceAll(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, SHOWN_LENGTH_MAX)
    .toWellFormed()
}
