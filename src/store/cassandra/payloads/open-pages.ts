/**
 * The pages that this process writes payloads to: its own, one per connector at a time, so that their length is
 * known here. A page is in the map of its connector, where readers find it, before anything is in it.
 */
import type { Clock } from '../../../base/index.ts'
import type { Cluster } from '../connection/cluster.ts'
import { pageWriterOf } from './ordered-uids.ts'

/** Rows of a page, and the bytes of their payloads, before another is opened. */
const PAGE_ROWS_MAX = 1_000
const PAGE_BYTES_MAX = 8 * 1024 * 1024

/** A page is written to for so long. */
const PAGE_MS_MAX = 24 * 3_600_000

/** Whoever drops a page that its writer has not closed waits for this much longer than it is written to. */
const MARGIN_MS = 3_600_000

/** Connectors with an open page; beyond this the one opened first is closed. */
const OPEN_MAX = 10_000

/** A page to which rows may be written once `opened` has resolved. */
interface OpenPage {
  readonly page: string
  readonly opened: Promise<void>
}

interface CountedPage extends OpenPage {
  readonly openedAtMs: number
  rows: number
  bytes: number
}

/** What goes into a page next: whose it is, its UID and how long it is. */
interface NextRow {
  readonly orgUid: string
  readonly connectorUid: string
  readonly uid: string
  readonly bytes: number
}

interface OpenPagesDeps {
  readonly cluster: Cluster
  readonly clock: Clock
  readonly writer: string
}

/** The open pages of one writer. */
export class OpenPages {
  readonly #deps: OpenPagesDeps
  readonly #pages = new Map<string, CountedPage>()
  /** Connectors that are known as ones that this writer writes to. */
  readonly #known = new Set<string>()
  readonly #closing = new Set<Promise<unknown>>()

  constructor(deps: OpenPagesDeps) {
    this.#deps = deps
  }

  /** The page that a row goes to, which is counted in it. */
  pageFor(row: NextRow): OpenPage {
    const page = this.#current(row.connectorUid) ?? this.#open(row)
    page.rows += 1
    page.bytes += row.bytes
    return page
  }

  /** Whether a page of a connector is one that this writer wrote to and does not any more. */
  hasClosed(connectorUid: string, page: string): boolean {
    return pageWriterOf(page) === this.#deps.writer && this.#pages.get(connectorUid)?.page !== page
  }

  /** Writes no more to the page of a connector; it may be dropped by anybody. */
  forget(connectorUid: string): void {
    this.#pages.delete(connectorUid)
    this.#known.delete(connectorUid)
  }

  /** Closes all pages. */
  async close(): Promise<void> {
    for (const [connectorUid, page] of this.#pages) this.#close(connectorUid, page)
    await Promise.all(this.#closing)
  }

  #current(connectorUid: string): CountedPage | undefined {
    const page = this.#pages.get(connectorUid)
    if (page === undefined) return undefined
    const isOver =
      page.rows >= PAGE_ROWS_MAX ||
      page.bytes >= PAGE_BYTES_MAX ||
      this.#deps.clock.elapsed() - page.openedAtMs >= PAGE_MS_MAX
    if (!isOver) return page
    this.#close(connectorUid, page)
    return undefined
  }

  #open(row: NextRow): CountedPage {
    if (this.#pages.size >= OPEN_MAX) {
      for (const [first, page] of this.#pages.entries().take(1)) this.#close(first, page)
    }
    const page: CountedPage = {
      ...{ page: row.uid, openedAtMs: this.#deps.clock.elapsed(), rows: 0, bytes: 0 },
      opened: this.#register(row),
    }
    this.#pages.set(row.connectorUid, page)
    page.opened.catch(() => {
      if (this.#pages.get(row.connectorUid) === page) this.forget(row.connectorUid)
    })
    return page
  }

  async #register({ orgUid, connectorUid, uid }: NextRow): Promise<void> {
    const { clock, cluster, writer } = this.#deps
    const isKnown = this.#known.has(connectorUid)
    this.#known.add(connectorUid)
    const page = cluster.run(
      'INSERT INTO payload_page (connector, page, org, opened_at, is_closed) VALUES (?, ?, ?, ?, false)',
      [connectorUid, uid, orgUid, BigInt(clock.now())],
    )
    const known = isKnown
      ? undefined
      : cluster.run('INSERT INTO payload_writer (writer, connector) VALUES (?, ?)', [
          ...[writer, connectorUid],
        ])
    await Promise.all([page, known])
  }

  #close(connectorUid: string, { page, opened }: CountedPage): void {
    this.#pages.delete(connectorUid)
    const cql = 'UPDATE payload_page SET is_closed = true WHERE connector = ? AND page = ?'
    // One that could not be closed is dropped when it is a day old.
    const closing = opened
      .then(() => this.#deps.cluster.run(cql, [connectorUid, page]))
      .catch(() => undefined)
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}

/** Whether nobody writes to a page any more. */
export function isPageOver(
  page: { readonly isClosed: boolean; readonly openedAtMs: number },
  nowMs: number,
): boolean {
  return page.isClosed || nowMs - page.openedAtMs > PAGE_MS_MAX + MARGIN_MS
}
