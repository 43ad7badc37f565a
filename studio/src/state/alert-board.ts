/** Alerts as pages show them. What is asked for together is one request, whichever panel or badge asks. */
import { ApiError } from '../api/api-error.ts'
import { call } from '../api/client.ts'
import type { Schema } from '../api/paths.ts'

type Body = Schema<'BoardAlertsBody'>
type AskedEvents = NonNullable<Body['event']>[number]
type AskedList = NonNullable<Body['list']>[number]

export type AlertEvent = Schema<'BoardAlertEvent'>
export type AlertList = Schema<'BoardAlertList'>
export type BoardAlert = Schema<'BoardAlert'>

/** Events of some streams. */
interface FoundEvents {
  readonly event: readonly AlertEvent[]
  readonly isCut: boolean
}

interface Waiting {
  readonly events: readonly AskedEvents[]
  readonly lists: readonly AskedList[]
  readonly resolve: (found: FoundEvents & { readonly list: readonly AlertList[] }) => void
  readonly reject: (error: unknown) => void
}

/** What is asked for within this time goes together. */
const GATHER_MS = 10
/** As many streams and lists as the service answers at once. */
const STREAMS_MAX = 1_000
const LISTS_MAX = 100

let waiting: Waiting[] = []

/** When alerts fired on streams. */
export async function askEvents(asked: readonly AskedEvents[]): Promise<FoundEvents> {
  return await ask({ events: asked.slice(0, STREAMS_MAX), lists: [] })
}

/** A list of alerts. */
export async function askAlerts(asked: AskedList): Promise<AlertList> {
  const { list } = await ask({ events: [], lists: [asked] })
  const [found] = list
  const { error: message } = found
  if (message !== '') throw new ApiError({ status: 400, code: 'bad_input', message })
  return found
}

function ask(asked: Pick<Waiting, 'events' | 'lists'>) {
  return new Promise<Parameters<Waiting['resolve']>[0]>((resolve, reject) => {
    waiting.push({ ...asked, resolve, reject })
    if (waiting.length === 1) setTimeout(sendAll, GATHER_MS)
  })
}

function sendAll(): void {
  const gathered = waiting
  waiting = []
  for (const part of partsOf(gathered)) {
    sendOne(part).catch((error: unknown) => {
      for (const { reject } of part) reject(error)
    })
  }
}

function partsOf(all: readonly Waiting[]): Waiting[][] {
  const parts: Waiting[][] = []
  let [streams, lists] = [0, 0]
  for (const one of all) {
    streams += one.events.length
    lists += one.lists.length
    const part = parts.at(-1)
    if (part === undefined || streams > STREAMS_MAX || lists > LISTS_MAX) {
      parts.push([one])
      streams = one.events.length
      lists = one.lists.length
    } else part.push(one)
  }
  return parts
}

async function sendOne(part: readonly Waiting[]): Promise<void> {
  const event = part.flatMap(({ events }) => [...events])
  const list = part.flatMap(({ lists }) => [...lists])
  const found = await call('post', '/api/alert/board', { body: { event, list } })
  let at = 0
  for (const { events, lists, resolve } of part) {
    const own = found.event.filter(({ streamUid, time }) =>
      events.some((one) => one.streamUid === streamUid && time >= one.from && time < one.until),
    )
    resolve({
      event: own,
      isCut: found.isCut,
      list: found.list.slice(at, at + lists.length),
    })
    at += lists.length
  }
}
