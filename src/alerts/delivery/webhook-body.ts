/** Bodies of webhooks, in the form that each receiver documents. */
import { trimEndOf } from '../../base/index.ts'
import type { ChannelPreset } from '../channel/channel-shape.ts'
import type { NoticeContent } from '../notice.ts'
import { type Delivery, isSummary } from './delivery.ts'
import { cutText, type MessageText, messageText } from './message-text.ts'

/** Where a message goes, with the secrets of its channel. */
interface WebhookTarget {
  readonly preset: ChannelPreset
  readonly url: string
  readonly token: string
  /** TELEGRAM: the chat ID. */
  readonly recipient: string
}

/** One request, not yet signed. */
interface WebhookRequest {
  readonly url: string
  readonly body: string
}

/** Discord's limit of a description is 4,096 characters; Telegram's of a text, too, and ntfy's in bytes. */
const TEXT_LENGTH_MAX = 3_000
/** Discord shows a bar of this color. */
const COLORS = { info: 0x3b82f6, warning: 0xf59e0b, critical: 0xdc2626, resolved: 0x16a34a }
/** ntfy: 3 is default, 4 vibrates, 5 rings even if the phone is quiet. */
const NTFY_PRIORITIES = { info: 3, warning: 4, critical: 5, resolved: 3 }
const NTFY_TAGS = {
  info: 'information_source',
  warning: 'warning',
  critical: 'rotating_light',
  resolved: 'white_check_mark',
}

type Look = keyof typeof COLORS

/** The request that carries a message. */
export function webhookRequest(
  delivery: Delivery,
  target: WebhookTarget,
  publicUrl: string | undefined,
): WebhookRequest {
  const text = messageText(delivery, publicUrl)
  const { url, body } = presets[target.preset]({ delivery, target, text })
  return { url, body: JSON.stringify(body) }
}

interface Parts {
  readonly delivery: Delivery
  readonly target: WebhookTarget
  readonly text: MessageText
}

type Preset = (parts: Parts) => { readonly url: string; readonly body: object }

const presets: Readonly<Record<ChannelPreset, Preset>> = {
  JSON: ({ delivery, target, text }) => ({
    url: target.url,
    body: {
      ...flatFields(delivery, text),
      ...(isSummary(delivery.content) ? { keys: delivery.content.keys } : {}),
    },
  }),
  HOME_ASSISTANT: ({ delivery, target, text }) => ({
    url: target.url,
    body: flatFields(delivery, text),
  }),
  SLACK: ({ target, text }) => ({
    url: target.url,
    body: { text: `*${slackText(text.title)}*\n${slackText(plainText(text))}` },
  }),
  DISCORD: ({ delivery, target, text }) => ({
    url: target.url,
    body: {
      embeds: [
        {
          title: text.title,
          description: cutText(text.lines.join('\n'), TEXT_LENGTH_MAX),
          color: COLORS[lookOf(delivery)],
          timestamp: new Date(delivery.createdMs).toISOString(),
          ...(text.link === undefined ? {} : { url: text.link }),
        },
      ],
      // A name in a message must not notify everyone.
      allowed_mentions: { parse: [] },
    },
  }),
  TELEGRAM: ({ target, text }) => ({
    url: `${trimEndOf(target.url, '/')}/bot${target.token}/sendMessage`,
    body: { chat_id: target.recipient, text: `${text.title}\n${plainText(text)}` },
  }),
  NTFY: ({ delivery, target, text }) => {
    const { server, topic } = ntfyPlace(target.url)
    const look = lookOf(delivery)
    return {
      url: server,
      body: {
        topic,
        title: text.title,
        message: cutText(text.lines.join('\n'), TEXT_LENGTH_MAX),
        priority: NTFY_PRIORITIES[look],
        tags: [NTFY_TAGS[look]],
        ...(text.link === undefined ? {} : { click: text.link }),
      },
    }
  },
}

/** ntfy takes JSON at the address of the server, and the topic in the body. */
export function ntfyPlace(text: string): { readonly server: string; readonly topic: string } {
  const url = new URL(text)
  const segments = trimEndOf(url.pathname, '/').split('/')
  const topic = segments.pop() ?? ''
  url.pathname = `${segments.join('/')}/`
  return { server: url.href, topic }
}

function lookOf({ content }: Delivery): Look {
  if (isSummary(content)) return content.firing > 0 ? 'warning' : 'resolved'
  return content.state === 'FIRING' ? content.severity : 'resolved'
}

function plainText({ lines, link }: MessageText): string {
  const text = cutText(lines.join('\n'), TEXT_LENGTH_MAX)
  return link === undefined ? text : `${text}\n${link}`
}

/** Slack reads these three characters as its own signs. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Fields on one level, as templates of Home Assistant and Node-RED read them most easily. */
function flatFields({ content, createdMs, idempotencyKey, isTest }: Delivery, text: MessageText) {
  const kind = isTest ? 'test' : isSummary(content) ? 'summary' : 'alert'
  const shown = { kind, title: text.title, text: text.lines.join('\n'), link: text.link ?? '' }
  const common = { ...shown, idempotencyKey, time: createdMs }
  if (!isSummary(content)) return { ...common, ...changeFields(content) }
  const { changes, firing, resolved } = content
  return { ...common, firing, resolved, changes: changes.map(changeFields) }
}

function changeFields(content: NoticeContent) {
  const { sampleTime = null, value = null, startedMs, eventUid, ...rest } = content
  return { ...rest, sampleTime, value, since: startedMs, event: eventUid }
}
