/**
 * Frames of a chart of 10,000,000 samples while it is dragged, panned and zoomed in Chromium:
 * `npm run bench:frames -- [samples]`. Prints how many frames came, how long the slow ones took, and what of
 * that time scripts took, which is what the studio can be blamed for on a machine without a graphics card.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { seedComponent } from '../test/support/seeded-streams.ts'
import { openStudio } from '../test/support/studio.ts'

const SAMPLES = Number(process.argv[2] ?? 10_000_000)
const SAMPLES_PER_CALL = 500_000
const T0 = Date.parse('2026-01-01T00:00:00Z')
const STEP_MS = 1_000
const MOVES = 180
/** A mouse reports its place as often as a usual screen is drawn. */
const MOVE_MS = 16
/** What CDP calls the key. */
const SHIFT = 8

/** Counts frames and times what runs in each; the page's own scripts know nothing of it. */
const RECORDER = `globalThis.frames = { times: [], isOn: true };
(function next(at) {
  globalThis.frames.times.push(at);
  if (globalThis.frames.isOn) requestAnimationFrame(next);
})(performance.now())`

interface Metrics {
  readonly scriptMs: number
  readonly layoutMs: number
}

async function main(): Promise<void> {
  const studio = await openStudio()
  try {
    const hall = await seedComponent(studio.service, { id: 'hall', timeZoneId: 'UTC' }, [
      { id: 'many', name: 'Very many', valueType: 'DOUBLE' },
    ])
    await seed(studio.service.url, studio.service.feedKey)
    const { page } = await studio.open(`${hall.pageOf('many')}?range=all`)
    const chart = page.getByRole('group', { name: 'Chart of Very many' })
    await page
      .getByRole('row', { name: /^Very many/ })
      .first()
      .waitFor()
    const box = await chart.boundingBox()
    if (box === null) throw new Error('there is no chart')
    const mouse = new Mouse(await page.context().newCDPSession(page), box)
    await measure(page, 'crosshair', () => mouse.across(0.1, 0.9))
    await measure(page, 'pan (Shift)', () => mouse.drag(0.8, 0.2, SHIFT))
    await measure(page, 'wheel over the axis', () => mouse.wheel())
    await measure(page, 'drag to zoom', () => mouse.drag(0.2, 0.8))
  } finally {
    await studio[Symbol.asyncDispose]()
  }
}

type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>

/** A hand: events come when they come, whether the page has drawn those before or not. */
class Mouse {
  readonly #session: Session
  readonly #box: {
    readonly x: number
    readonly y: number
    readonly width: number
    readonly height: number
  }

  constructor(session: Session, box: { x: number; y: number; width: number; height: number }) {
    this.#session = session
    this.#box = box
  }

  async across(from: number, until: number, more: Record<string, unknown> = {}): Promise<void> {
    for (let at = 0; at <= MOVES; at++) {
      this.#send('mouseMoved', from + ((until - from) * at) / MOVES, more)
      await pause(MOVE_MS)
    }
  }

  async drag(from: number, until: number, modifiers = 0): Promise<void> {
    const held = { button: 'left', clickCount: 1, modifiers }
    this.#send('mouseMoved', from, { modifiers })
    this.#send('mousePressed', from, held)
    await this.across(from, until, { ...held, buttons: 1 })
    this.#send('mouseReleased', until, held)
    await pause(500)
  }

  async wheel(): Promise<void> {
    for (let at = 0; at < MOVES; at++) {
      this.#send('mouseWheel', 0.5, {
        deltaX: 0,
        deltaY: at < MOVES / 2 ? -20 : 20,
        isOverAxis: true,
      })
      await pause(MOVE_MS)
    }
  }

  #send(
    type: string,
    part: number,
    {
      isOverAxis = false,
      ...more
    }: { readonly isOverAxis?: boolean; readonly [name: string]: unknown },
  ): void {
    const { x, y, width, height } = this.#box
    const place = { x: x + width * part, y: isOverAxis ? y + height - 14 : y + 120 }
    const event = { type, ...place, ...more }
    void this.#session.send('Input.dispatchMouseEvent', event as never)
  }
}

async function seed(url: string, key: string): Promise<void> {
  for (let first = 0; first < SAMPLES; first += SAMPLES_PER_CALL) {
    const rows: string[] = []
    for (let at = first; at < Math.min(first + SAMPLES_PER_CALL, SAMPLES); at++) {
      const value = Math.round(2_000 + 500 * Math.sin(at / 40_000) + (at % 97)) / 100
      rows.push(`{"compId":"hall","streamId":"many","time":${T0 + at * STEP_MS},"data":${value}}`)
    }
    const body = `[${rows.join(',')}]`
    const answer = await fetch(`${url}/api/feed?api_key=${key}`, { method: 'PUT', body })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

async function measure(page: Page, name: string, act: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await metricsOf(session)
  await page.evaluate(RECORDER)
  await act()
  const times = await page.evaluate<number[]>('(frames.isOn = false, frames.times)')
  const after = await metricsOf(session)
  const lengths = times.slice(1).map((at, index) => at - times[index])
  lengths.sort((a, b) => a - b)
  const total = times[times.length - 1] - times[0]
  const part = (share: number) => lengths[Math.floor(lengths.length * share)]?.toFixed(1)
  const slow = lengths.filter((length) => length > 25).length
  const script = (after.scriptMs - before.scriptMs) / lengths.length
  const layout = (after.layoutMs - before.layoutMs) / lengths.length
  process.stdout.write(
    `${name}: ${lengths.length} frames in ${total.toFixed(0)} ms, median ${part(0.5)} ms, ` +
      `95 % ${part(0.95)} ms, over 25 ms ${slow}; script ${script.toFixed(1)} ms and layout ` +
      `${layout.toFixed(1)} ms a frame\n`,
  )
  await session.detach()
}

async function metricsOf(session: Session): Promise<Metrics> {
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1_000
  return {
    scriptMs: of('ScriptDuration'),
    layoutMs: of('LayoutDuration') + of('RecalcStyleDuration'),
  }
}

await main()
