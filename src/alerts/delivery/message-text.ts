/** Notices as people read them. */
import type { NoticeContent } from '../notice.ts'
import { type Delivery, isSummary, type NoticeSummary } from './delivery.ts'

/** A message in words. */
export interface MessageText {
  readonly title: string
  readonly lines: readonly string[]
  /** The page of the alert in the studio; undefined while the service does not know its address. */
  readonly link: string | undefined
}

/** Changes that a summary lists in words: more than a phone shows. */
const LISTED_MAX = 10
/** A title fits into the limits of every receiver. Discord allows 256 characters. */
const TITLE_LENGTH_MAX = 200

/** The title and lines of a message. */
export function messageText(
  { content, isTest }: Pick<Delivery, 'content' | 'isTest'>,
  publicUrl: string | undefined,
): MessageText {
  if (isSummary(content)) return summaryText(content, publicUrl)
  const title = isTest ? content.alertName : `${stateWord(content)}: ${content.alertName}`
  const lines = [content.message, ...(isTest ? [] : [sourceLine(content), sinceLine(content)])]
  return {
    title: cutText(title, TITLE_LENGTH_MAX),
    lines: lines.filter((line) => line !== ''),
    link: isTest || publicUrl === undefined ? publicUrl : alertLink(publicUrl, content),
  }
}

/** A text cut to a length. It never ends in half a character. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return `${text
    .slice(0, lengthMax - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`
}

function stateWord({ state, reason }: NoticeContent): string {
  if (state === 'OK') return 'Resolved'
  return reason === 'change' ? 'Firing' : 'Still firing'
}

function sourceLine(content: NoticeContent): string {
  const { componentName, componentId, componentUid, streamId, streamUid, value } = content
  const component = componentName || componentId || componentUid
  const place = `${component} / ${streamId || streamUid}`
  return value === undefined ? place : `${place} = ${value}`
}

function sinceLine({ startedMs, state }: NoticeContent): string {
  return `${state === 'FIRING' ? 'Since' : 'Resolved at'} ${timeText(startedMs)}`
}

function summaryText(summary: NoticeSummary, publicUrl: string | undefined): MessageText {
  const { keys, firing, resolved, changes, fromMs, untilMs } = summary
  const listed = changes
    .slice(0, LISTED_MAX)
    .map((change) => `${stateWord(change)}: ${change.alertName}, ${sourceLine(change)}`)
  const rest = keys.length - listed.length
  return {
    title: `${keys.length} alert changes: ${firing} firing, ${resolved} resolved`,
    lines: [
      `From ${timeText(fromMs)} to ${timeText(untilMs)}. Summed up because this channel has a limit of notices a minute.`,
      ...listed,
      ...(rest > 0 ? [`… and ${rest} more`] : []),
    ],
    link: publicUrl === undefined ? undefined : `${publicUrl}/alerts`,
  }
}

function alertLink(publicUrl: string, { alertUid }: NoticeContent): string {
  return `${publicUrl}/alerts/${encodeURIComponent(alertUid)}`
}

function timeText(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
}
