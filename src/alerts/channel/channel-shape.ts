import type { Static } from 'typebox'
import { Type } from '../../base/index.ts'
import { idShape, nameShape, revisionShape } from '../../catalog/shape/index.ts'

/** The kind of the documents of channels, and their resource. */
export const CHANNEL_KIND = 'channel'

/** How a channel delivers. */
export const CHANNEL_KINDS = ['WEBHOOK', 'EMAIL'] as const
/** Whose form the body of a webhook has. */
export const CHANNEL_PRESETS = [
  'JSON',
  'SLACK',
  'DISCORD',
  'TELEGRAM',
  'NTFY',
  'HOME_ASSISTANT',
] as const

type ChannelKind = (typeof CHANNEL_KINDS)[number]
export type ChannelPreset = (typeof CHANNEL_PRESETS)[number]

/** Bounds of the fields of a channel. */
export const CHANNEL_BOUNDS = {
  /** What proxies and servers take in a request line. */
  url: 2_000,
  token: 1_024,
  secret: 256,
  /** Shorter secrets can be guessed. */
  secretMin: 16,
  recipient: 128,
  emails: 20,
  email: 254,
  /** Slack takes one message a second. The attempts of a minute fit into the log of a channel. */
  perMinute: 60,
} as const

/** Discord takes 30 a minute, and Telegram 20 in a group. */
export const PER_MINUTE_DEFAULT = 20

/** What a caller may say about a channel. */
export const channelShape = Type.Object({
  id: idShape('Optional, unique in the organization'),
  name: nameShape,
  kind: Type.Optional(Type.Enum([...CHANNEL_KINDS])),
  preset: Type.Optional(
    Type.Enum([...CHANNEL_PRESETS], { description: 'Form of the body of a webhook' }),
  ),
  url: Type.Optional(
    Type.String({
      maxLength: CHANNEL_BOUNDS.url,
      description:
        'Webhook URL, never returned. For TELEGRAM, the address of the Bot API; blank: https://api.telegram.org',
    }),
  ),
  token: Type.Optional(
    Type.String({
      maxLength: CHANNEL_BOUNDS.token,
      description:
        'Never returned. TELEGRAM: the token of the bot. Others: sent as Authorization: Bearer. Must be sent again when the host of url changes',
    }),
  ),
  secret: Type.Optional(
    Type.String({
      maxLength: CHANNEL_BOUNDS.secret,
      description: `Signs every webhook (Weir-Signature). At least ${CHANNEL_BOUNDS.secretMin} characters, or blank: unsigned. Never returned`,
    }),
  ),
  recipient: Type.Optional(
    Type.String({ maxLength: CHANNEL_BOUNDS.recipient, description: 'TELEGRAM: the chat ID' }),
  ),
  emails: Type.Optional(
    Type.Array(Type.String({ maxLength: CHANNEL_BOUNDS.email }), {
      maxItems: CHANNEL_BOUNDS.emails,
      description: 'EMAIL: the recipients',
    }),
  ),
  perMinute: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: CHANNEL_BOUNDS.perMinute,
      description: `Notices a minute. More are summed up in one. Default: ${PER_MINUTE_DEFAULT}`,
    }),
  ),
  revision: revisionShape,
})

export type ChannelInput = Static<typeof channelShape>

/** A channel as the catalog keeps it. */
export type ChannelBody = {
  readonly id: string
  readonly name: string
  readonly kind: ChannelKind
  readonly preset: ChannelPreset
  /** Scheme, host, and port of the URL. The rest may be a secret. */
  readonly origin: string
  readonly sealedUrl: string
  readonly sealedToken: string
  readonly sealedSecret: string
  readonly recipient: string
  readonly emails: readonly string[]
  readonly perMinute: number
}
