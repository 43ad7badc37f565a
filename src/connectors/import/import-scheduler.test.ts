import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog, refuse, systemClock } from '../../base/index.ts'
import { openCatalogStore } from '../../store/embedded/index.ts'
import type { CatalogStore } from '../../store/index.ts'
import type { ImportRuns } from './import-runs.ts'
import { ImportScheduler } from './import-scheduler.ts'

test('ImportScheduler reports a store that is away once for as long as it lasts', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-scheduler-'))
  const store = await openCatalogStore({ folder, clock: systemClock })
  t.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  let isAway = true
  const catalogStore: CatalogStore = Object.create(store, {
    list: {
      value: async (query: Parameters<CatalogStore['list']>[0]) =>
        isAway ? refuse('store_away', { retryAfterSeconds: 1 }) : store.list(query),
    },
  })
  const lines: string[] = []
  const scheduler = new ImportScheduler({
    catalogStore,
    clock: systemClock,
    find: async () => undefined,
    log: createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } }),
    newestRunOf: async () => undefined,
    // Nothing is due.
    runs: { hasRoom: true } as ImportRuns,
  })
  for (let look = 0; look < 3; look += 1) await scheduler.look()
  assert.equal(lines.length, 1, lines.join(''))
  isAway = false
  await scheduler.look()
  assert.equal(lines.length, 1)
  isAway = true
  for (let look = 0; look < 3; look += 1) await scheduler.look()
  assert.equal(lines.length, 2, lines.join(''))
  await scheduler.close()
})
