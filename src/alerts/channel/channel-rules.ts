import type { RecordRules } from '../../catalog/record/index.ts'
import { checkText, NAME_LENGTH_MAX, refuseField, shapeCheck } from '../../catalog/shape/index.ts'
import { ntfyPlace } from '../delivery/webhook-body.ts'
import type { ChannelSecrets } from './channel-secrets.ts'
import {
  CHANNEL_BOUNDS,
  CHANNEL_KIND,
  type ChannelBody,
  type ChannelInput,
  type ChannelPreset,
  channelShape,
  PER_MINUTE_DEFAULT,
} from './channel-shape.ts'

const TELEGRAM = 'https://api.telegram.org'
const NTFY_TOPIC = /^[\w-]{1,64}$/
/** A bot token is part of a URL. */
const TELEGRAM_TOKEN = /^[\w:-]+$/
const EMAIL = /^[^\s@<>(),;:\\"[\]]{1,64}@[^\s@<>(),;:\\"[\]]{1,190}$/

const defaults: ChannelBody = {
  id: '',
  name: '',
  kind: 'WEBHOOK',
  preset: 'JSON',
  origin: '',
  sealedUrl: '',
  sealedToken: '',
  sealedSecret: '',
  recipient: '',
  emails: [],
  perMinute: PER_MINUTE_DEFAULT,
}

/** The rules of channels. `hasMail` says whether the operator has named a mail server. */
export function channelRules(secrets: ChannelSecrets, hasMail: boolean): RecordRules<ChannelBody> {
  return {
    kind: CHANNEL_KIND,
    check: shapeCheck('channel', channelShape),
    read: (input, before, orgUid) => readChannel(input, before, { secrets, hasMail, orgUid }),
    defaults,
    fieldNames: { sealedUrl: 'url', sealedToken: 'token', sealedSecret: 'secret' },
  }
}

interface Context {
  readonly secrets: ChannelSecrets
  readonly hasMail: boolean
  readonly orgUid: string
}

function readChannel(input: ChannelInput, before: ChannelBody, context: Context): ChannelBody {
  const { id = before.id, kind = before.kind, perMinute = before.perMinute } = input
  const name = input.name ?? (before.name || id)
  checkText('channel.name', name, NAME_LENGTH_MAX)
  if (name === '') refuseField('channel.name', 'must not be blank')
  const named = { ...defaults, id, name, kind, perMinute }
  if (kind === 'EMAIL') return { ...named, ...readEmail(input, before, context) }
  return { ...named, ...readWebhook(input, before, context) }
}

function readEmail(
  input: ChannelInput,
  before: ChannelBody,
  { hasMail }: Context,
): Pick<ChannelBody, 'emails'> {
  for (const field of ['url', 'token', 'secret', 'recipient'] as const) {
    if ((input[field] ?? '') !== '') refuseField(`channel.${field}`, 'must be blank for EMAIL')
  }
  if (!hasMail && before.kind !== 'EMAIL') {
    const what = 'cannot be EMAIL: the operator of this service has to set WEIR_SMTP_URL'
    refuseField('channel.kind', what)
  }
  const emails = (input.emails ?? before.emails).map((email) => email.trim())
  if (emails.length === 0) refuseField('channel.emails', 'must have at least one email address')
  emails.forEach((email, at) => {
    if (EMAIL.test(email) && !/\p{C}/u.test(email)) return
    refuseField(`channel.emails[${at}]`, 'must be an email address, such as ops@example.com')
  })
  return { emails: [...new Set(emails)] }
}

function readWebhook(
  input: ChannelInput,
  before: ChannelBody,
  { secrets, orgUid }: Context,
): Omit<ChannelBody, 'id' | 'name' | 'kind' | 'perMinute'> {
  const { preset = before.preset } = input
  if ((input.emails ?? []).length > 0) refuseField('channel.emails', 'must be empty for WEBHOOK')
  const isTelegram = preset === 'TELEGRAM'
  checkText('channel.recipient', input.recipient ?? '', CHANNEL_BOUNDS.recipient)
  const recipient = isTelegram ? (input.recipient ?? before.recipient).trim() : ''
  if (isTelegram && recipient === '') refuseField('channel.recipient', 'must be the chat ID')
  const isKept = input.url === undefined && before.sealedUrl !== '' && before.preset === preset
  const url = isKept ? secrets.openUrl(before, orgUid) : readUrl(input.url ?? '', preset)
  const { origin } = new URL(url)
  const sealedUrl = isKept ? before.sealedUrl : secrets.seal(url, { orgUid, origin })
  const sealedToken = readToken(input, { before, origin, isTelegram }, { secrets, orgUid })
  const sealedSecret = readSecret(input, before, { secrets, orgUid })
  return { preset, origin, sealedUrl, sealedToken, sealedSecret, recipient, emails: [] }
}

function readUrl(text: string, preset: ChannelPreset): string {
  const given = text.trim()
  const url = URL.parse(given === '' && preset === 'TELEGRAM' ? TELEGRAM : given)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    refuseField('channel.url', 'must be an http or https URL')
  }
  if (url.username !== '' || url.password !== '') {
    refuseField('channel.url', 'must not have a user or password. Use channel.token')
  }
  if (url.hash !== '') refuseField('channel.url', 'must not have a fragment (#)')
  if (url.href.length > CHANNEL_BOUNDS.url) {
    refuseField('channel.url', `must have at most ${CHANNEL_BOUNDS.url} characters`)
  }
  if (preset === 'NTFY' && !NTFY_TOPIC.test(ntfyPlace(url.href).topic)) {
    refuseField('channel.url', 'must end with the topic, such as https://ntfy.sh/my-topic')
  }
  return url.href
}

function readToken(
  { token }: ChannelInput,
  place: { before: ChannelBody; origin: string; isTelegram: boolean },
  { secrets, orgUid }: Pick<Context, 'secrets' | 'orgUid'>,
): string {
  const { before, origin, isTelegram } = place
  if (token === undefined) {
    if (isTelegram && before.sealedToken === '') {
      refuseField('channel.token', 'must be the token of the bot')
    }
    // Anyone who may change a channel need not know its token, and must not learn it by a server of their own.
    if (before.sealedToken !== '' && origin !== before.origin) {
      refuseField('channel.token', 'must be given again because the host of channel.url changes')
    }
    return before.sealedToken
  }
  checkText('channel.token', token, CHANNEL_BOUNDS.token)
  const isPlain = /^[\x21-\x7e]*$/.test(token)
  if (!isPlain) refuseField('channel.token', 'must have printable ASCII characters only')
  if (isTelegram && !TELEGRAM_TOKEN.test(token)) {
    refuseField('channel.token', 'must be the token of the bot, such as 123456:ABC-DEF')
  }
  return token === '' ? '' : secrets.seal(token, { orgUid, origin })
}

function readSecret(
  { secret }: ChannelInput,
  before: ChannelBody,
  { secrets, orgUid }: Pick<Context, 'secrets' | 'orgUid'>,
): string {
  if (secret === undefined) return before.sealedSecret
  if (secret === '') return ''
  const { secretMin } = CHANNEL_BOUNDS
  if (secret.length < secretMin) {
    refuseField('channel.secret', `must have at least ${secretMin} characters, or be blank`)
  }
  checkText('channel.secret', secret, CHANNEL_BOUNDS.secret)
  return secrets.seal(secret, { orgUid, origin: '' })
}
