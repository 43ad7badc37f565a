/** Channels in the words of the pages. */
import type { Schema } from '../../../api/paths.ts'

export type Channel = Schema<'Channel'>
export type ChannelAttempt = Schema<'ChannelAttempt'>

/** What a person chooses: a preset of webhooks, or email. */
export type Target = Channel['preset'] | 'EMAIL'

/** The targets in the order of the list. */
export const TARGET_WORDS: Readonly<Record<Target, string>> = {
  JSON: 'Webhook (JSON)',
  SLACK: 'Slack',
  DISCORD: 'Discord',
  TELEGRAM: 'Telegram',
  NTFY: 'ntfy',
  HOME_ASSISTANT: 'Home Assistant',
  EMAIL: 'Email',
}

export function targetOf({ kind, preset }: Channel): Target {
  return kind === 'EMAIL' ? 'EMAIL' : preset
}

/** Where a channel leads, without its secrets. */
export function placeOf({ kind, emails, origin }: Channel): string {
  if (kind !== 'EMAIL') return origin
  return emails.length > 1 ? `${emails[0]} and ${emails.length - 1} more` : (emails[0] ?? '')
}

/** What to enter as the URL. */
export const URL_HINTS: Readonly<Record<Channel['preset'], string>> = {
  JSON: 'The service sends a POST with JSON',
  SLACK: 'The URL of an incoming webhook',
  DISCORD: 'The URL of a webhook from the settings of the Discord channel',
  TELEGRAM: 'Leave blank for api.telegram.org',
  NTFY: 'The address of the topic, such as https://ntfy.sh/my-topic',
  HOME_ASSISTANT:
    'The URL of a webhook trigger, such as http://homeassistant.local:8123/api/webhook/…',
}

/** The result of an attempt in one line. */
export function resultOf({ isOk, message, noticeCount }: ChannelAttempt): string {
  if (!isOk) return message
  return noticeCount > 1 ? `Delivered, ${noticeCount} notices in one` : 'Delivered'
}
