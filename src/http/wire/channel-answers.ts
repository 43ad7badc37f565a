/** Channels of alerts as they are answered. */

import { CHANNEL_KINDS, CHANNEL_PRESETS, SEND_REASONS } from '../../alerts/index.ts'
import { Type } from '../../base/index.ts'
import { EXAMPLE_UID, named, oneOf } from '../openapi/answer-schema.ts'

const status = Type.Union([Type.Integer(), Type.Null()], {
  description: 'HTTP status of the answer; null without an answer',
})

/** A channel; its secrets are never shown. */
export const channelRecord = named(
  'Channel',
  {
    uid: Type.String({ description: 'Assigned by the service, blank before the record is saved' }),
    id: Type.String({ description: 'Chosen by users, optional' }),
    name: Type.String(),
    kind: oneOf(CHANNEL_KINDS),
    preset: oneOf(CHANNEL_PRESETS),
    origin: Type.String({
      description: 'Scheme, host, and port of the webhook URL. The rest is never returned',
    }),
    recipient: Type.String({ description: 'TELEGRAM: the chat ID' }),
    emails: Type.Array(Type.String()),
    perMinute: Type.Integer({ description: 'Notices a minute. More are summed up in one' }),
    hasToken: Type.Boolean({
      description: 'Whether a token is stored (encrypted, never returned)',
    }),
    hasSecret: Type.Boolean({ description: 'Whether webhooks are signed' }),
    revision: Type.Integer({ description: 'Number of changes' }),
  },
  {
    uid: EXAMPLE_UID,
    id: '',
    name: 'Night shift',
    kind: 'WEBHOOK',
    preset: 'SLACK',
    origin: 'https://hooks.slack.com',
    recipient: '',
    emails: [],
    perMinute: 20,
    hasToken: false,
    hasSecret: false,
    revision: 1,
  },
)

/** The result of a test message. */
export const channelTest = named(
  'ChannelTest',
  {
    isOk: Type.Boolean(),
    message: Type.String({ description: 'The answer of the receiver, or why there is none' }),
    reason: oneOf(SEND_REASONS),
    status,
    tookMs: Type.Integer(),
  },
  { isOk: true, message: 'Answered with 200', reason: 'ok', status: 200, tookMs: 132 },
)

/** One try to deliver. */
export const channelAttempt = named(
  'ChannelAttempt',
  {
    time: Type.Integer({ description: 'Epoch milliseconds' }),
    idempotencyKey: Type.String({ description: 'Equal for every try of a notice' }),
    tries: Type.Integer({ description: 'Number of this try, from 1' }),
    isOk: Type.Boolean(),
    reason: oneOf([...SEND_REASONS, 'expired']),
    message: Type.String(),
    status,
    tookMs: Type.Integer(),
    alertUid: Type.String({ description: 'Blank for a summary' }),
    alertName: Type.String(),
    state: oneOf(['FIRING', 'OK', 'SUMMARY']),
    noticeCount: Type.Integer({ description: 'Notices that the message stands for' }),
    nextTime: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Epoch milliseconds of the next try; null if there is none',
    }),
  },
  {
    time: 1_760_000_000_000,
    idempotencyKey: EXAMPLE_UID,
    tries: 2,
    isOk: false,
    reason: 'status',
    message: 'Answered with 500',
    status: 500,
    tookMs: 41,
    alertUid: EXAMPLE_UID,
    alertName: 'Too hot',
    state: 'FIRING',
    noticeCount: 1,
    nextTime: 1_760_000_005_000,
  },
)
