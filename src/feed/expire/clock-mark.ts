import type { CatalogStore } from '../../store/index.ts'
import type { ClockMark } from './clock-watch.ts'

const KEY = { orgUid: '', kind: 'clock_mark', uid: 'delete_profiles' }

/** The mark of the clock, as a document of the catalog. */
export function catalogClockMark(catalog: Pick<CatalogStore, 'get' | 'commit'>): ClockMark {
  return {
    read: async () => {
      const time = (await catalog.get(KEY))?.body.time
      return typeof time === 'number' ? time : undefined
    },
    write: async (time) => {
      await catalog.commit([{ op: 'put', ...KEY, body: { time }, expectedRevision: 'any' }])
    },
  }
}
