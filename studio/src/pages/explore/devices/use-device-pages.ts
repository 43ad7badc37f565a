import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../../api/client.ts'
import { onFound } from '../../../api/connection.ts'
import type { Schema } from '../../../api/paths.ts'
import { usePerson } from '../../../api/session.ts'
import { reasonOf } from '../reason.ts'
import { type DeviceFilters, parametersOf } from './device-filters.ts'

type Device = Schema<'Device'>

/** Rows of one call. */
const PAGE = 50
/** Pages that stay: more than anyone has on the screen, and the way back. */
const PAGES_MAX = 40
const REFRESH_MS = 10_000
const POINTS = 48

/** What is known of the list. */
interface Found {
  readonly key: string
  readonly totalCount: number | undefined
  readonly pages: ReadonlyMap<number, readonly Device[]>
  readonly error: string | undefined
}

/** The devices of a list, read page by page as they are seen, and again every ten seconds. */
export interface DevicePages {
  /** Names the list: other filters, another list. */
  readonly key: string
  readonly totalCount: number | undefined
  readonly error: string | undefined
  at(index: number): Device | undefined
  need(range: { readonly from: number; readonly until: number }): void
}

/** Reads the pages that are seen. What was shown stays until the answer for new filters is there. */
export function useDevicePages(filters: DeviceFilters): DevicePages {
  const { orgUid } = usePerson()
  const key = JSON.stringify([orgUid, filters])
  const [found, setFound] = useState<Found>({
    key,
    totalCount: undefined,
    pages: new Map(),
    error: undefined,
  })
  const asked = useRef({ key, filters, seen: { from: 0, until: 1 } })
  asked.current = { ...asked.current, key, filters }
  const [pending] = useState(() => new Set<string>())
  const read = useCallback(
    async (page: number, isLater: boolean) => {
      const about = asked.current
      const name = `${about.key}\u0001${page}`
      if (pending.has(name)) return
      pending.add(name)
      try {
        const answer = await call('get', '/api/device', {
          query: {
            ...parametersOf(about.filters),
            start: page * PAGE,
            limit: PAGE,
            sparkPoints: POINTS,
          },
        })
        if (asked.current.key === about.key) {
          setFound((before) => withPage(before, { key: about.key, page, ...answer }))
        }
      } catch (thrown) {
        const error = reasonOf(thrown)
        // The next round tries again what fails in the background.
        if (asked.current.key === about.key && !isLater) {
          setFound((before) => ({ ...before, error }))
        }
      } finally {
        pending.delete(name)
      }
    },
    [pending],
  )
  const readSeen = useCallback(
    (isLater: boolean) => {
      const { from, until } = asked.current.seen
      const last = Math.max(from, until - 1)
      for (let page = Math.floor(from / PAGE); page <= Math.floor(last / PAGE); page++) {
        void read(page, isLater)
      }
    },
    [read],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters have other rows.
  useEffect(() => readSeen(false), [key, readSeen])
  useEffect(() => {
    const refresh = () => document.visibilityState === 'visible' && readSeen(true)
    const timer = setInterval(refresh, REFRESH_MS)
    const end = onFound(() => readSeen(false))
    return () => {
      clearInterval(timer)
      end()
    }
  }, [readSeen])
  const need = useCallback(
    (range: { readonly from: number; readonly until: number }) => {
      asked.current.seen = range
      const last = Math.max(range.from, range.until - 1)
      for (let page = Math.floor(range.from / PAGE); page <= Math.floor(last / PAGE); page++) {
        if (!found.pages.has(page) || found.key !== asked.current.key) void read(page, false)
      }
    },
    [found, read],
  )
  return {
    key: found.key,
    totalCount: found.totalCount,
    error: found.error,
    at: (index) => found.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    need,
  }
}

function withPage(
  before: Found,
  answer: {
    readonly key: string
    readonly page: number
    readonly device: readonly Device[]
    readonly totalCount: number
  },
): Found {
  const { key, page, device, totalCount } = answer
  const pages = new Map(before.key === key ? before.pages : [])
  pages.delete(page)
  pages.set(page, device)
  for (const old of pages.keys()) {
    if (pages.size <= PAGES_MAX) break
    pages.delete(old)
  }
  return { key, totalCount, pages, error: undefined }
}
