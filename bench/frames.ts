/**
 * Frames of a chart of 10,000,000 samples while it is dragged, panned and zoomed in Chromium, and of a list of 100,000
 * devices while it is opened and scrolled: `npm run bench:frames -- [samples] [devices]`. Prints how many frames were
 * drawn, how long the slow ones took, and their processor time on the thread of the page.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { seedComponent } from '../test/support/seeded-streams.ts'
import { openStudio } from '../test/support/studio.ts'

const SAMPLES = Number(process.argv[2] ?? 10_000_000)
const DEVICES = Number(process.argv[3] ?? 100_000)
const DEVICES_PER_CALL = 1_000
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

/** Processor time of the page's thread, which the work of other processes does not change. */
interface Metrics {
  readonly taskMs: number
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
    await seedDevices(studio.service.url, studio.service.feedKey)
    await measureDevices(page)
  } finally {
    await studio[Symbol.asyncDispose]()
  }
}

/** Opens the list of devices from another page, several times, and scrolls through it. */
async function measureDevices(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const times: number[] = []
  let taskMs = 0
  for (let round = 0; round < 5; round++) {
    await page.getByRole('link', { name: 'Boards', exact: true }).click()
    await page.getByRole('heading', { name: 'Boards' }).waitFor()
    // What is cached for a moment is shown at once.
    await pause(11_000)
    const before = await metricsOf(session)
    times.push(await page.evaluate<number>(OPEN_LIST))
    taskMs += (await metricsOf(session)).taskMs - before.taskMs
  }
  times.sort((a, b) => a - b)
  const [first, median] = [times[0], times[2]].map((time) => time?.toFixed(0))
  const task = (taskMs / times.length).toFixed(0)
  process.stdout.write(
    `first rows of ${DEVICES} devices: best ${first} ms, median ${median} ms; processor ${task} ms\n`,
  )
  const box = await page.getByRole('list', { name: 'Devices' }).boundingBox()
  if (box === null) throw new Error('there is no list')
  const mouse = new Mouse(session, box)
  await measure(page, 'scroll the devices', () => mouse.scroll())
}

/** Clicks on Explore, and resolves with how long it takes until rows are drawn. */
const OPEN_LIST = `new Promise((resolve) => {
  const from = performance.now();
  document.querySelector('nav a[href$="/c"]').click();
  (function next() {
    const isThere = document.querySelector('[aria-label="Devices"] li a[href*="/c/"]');
    if (isThere) requestAnimationFrame(() => resolve(performance.now() - from));
    else requestAnimationFrame(next);
  })();
})`

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

  async scroll(): Promise<void> {
    for (let at = 0; at < MOVES; at++) {
      this.#send('mouseWheel', 0.5, { deltaX: 0, deltaY: at < MOVES / 2 ? 240 : -240 })
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

async function seedDevices(url: string, key: string): Promise<void> {
  for (let first = 0; first < DEVICES; first += DEVICES_PER_CALL) {
    const rows: object[] = []
    for (let at = first; at < Math.min(first + DEVICES_PER_CALL, DEVICES); at++)
      rows.push({ compId: `device ${at}`, streamId: 'level', data: at % 97 })
    const answer = await fetch(`${url}/api/feed?api_key=${key}`, {
      method: 'PUT',
      body: JSON.stringify(rows),
    })
    if (!answer.ok) throw new Error(await answer.text())
  }
}

async function measure(page: Page, name: string, act: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
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
  const task = (after.taskMs - before.taskMs) / lengths.length
  process.stdout.write(
    `${name}: ${lengths.length} frames in ${total.toFixed(0)} ms, median ${part(0.5)} ms, ` +
      `95 % ${part(0.95)} ms, over 25 ms ${slow}; processor ${task.toFixed(1)} ms a frame, of which ` +
      `script ${script.toFixed(1)} ms and layout ${layout.toFixed(1)} ms\n`,
  )
  await session.detach()
}

async function metricsOf(session: Session): Promise<Metrics> {
  const { metrics } = await session.send('Performance.getMetrics')
  const of = (name: string) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1_000
  return {
    taskMs: of('TaskDuration'),
    scriptMs: of('ScriptDuration'),
    layoutMs: of('LayoutDuration') + of('RecalcStyleDuration'),
  }
}

await main()
