/** Several processes write to one catalog in PostgreSQL at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newOrderedUid } from '../../../src/base/index.ts'
import { openCatalog } from '../../../src/catalog/index.ts'
import {
  type CatalogChange,
  CatalogConflict,
  CatalogLimitReached,
  type CatalogWrite,
} from '../../../src/store/index.ts'
import { type Database, PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { createOf } from '../../contract/catalog-components.ts'
import { scanAll } from '../../contract/catalog-scanned.ts'
import { people } from '../../support/catalog.ts'
import { handleReserve, makePostgresHome } from '../../support/postgres-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { comesTrue } from '../../support/settle.ts'

const skip = postgresqlSkip()

interface Opened {
  readonly catalogs: readonly PostgresCatalog[]
  readonly databases: readonly Database[]
}

/** Opens a catalog as some processes do, each with connections of its own. */
async function withCatalogs(count: number, run: (opened: Opened) => Promise<void>): Promise<void> {
  const home = await makePostgresHome()
  const reserveHandles = handleReserve()
  // At once: the tables are made by one of them.
  const databases = await Promise.all(Array.from({ length: count }, () => home.open()))
  const catalogs = databases.map((database) => new PostgresCatalog(database, { reserveHandles }))
  try {
    await run({ catalogs, databases })
  } finally {
    for (const catalog of catalogs) await catalog.close()
    for (const database of databases) await database.close()
    await home.dispose()
  }
}

const put = (uid: string): CatalogWrite => {
  return { op: 'put', orgUid: 'org', kind: 'board', uid, body: {}, expectedRevision: 0 }
}

test('100 devices created at once through three processes meet no conflict', { skip }, async () => {
  await withCatalogs(3, async ({ catalogs }) => {
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        catalogs[at % 3].commit([createOf([[`device ${at}`, ['a', 'b', 'c']]])]),
      ),
    )
    const handles = made.flatMap(({ firstHandles: [first] }) => [first, first + 1, first + 2])
    assert.equal(new Set(handles).size, 300)
    const { components, streams } = await scanAll(catalogs[0])
    assert.deepEqual([components.size, streams.size], [100, 300])
  })
})

test('one device created at once through three processes is made once', { skip }, async () => {
  await withCatalogs(3, async ({ catalogs }) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) => catalogs[at % 3].commit([createOf([['only', ['s']]])])),
    )
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue
      assert.ok(outcome.reason instanceof CatalogConflict)
      assert.equal(outcome.reason.claim, 'component_id:only')
    }
  })
})

test('devices that add streams to one component through three processes are never told to retry', {
  skip,
}, async () => {
  await withCatalogs(3, async ({ catalogs }) => {
    const opened = await Promise.all(
      catalogs.map((store) => openCatalog({ store, people, isShared: true })),
    )
    const wanted = (at: number) => [
      {
        compId: 'gateway',
        rules: {},
        streams: [`device ${at}`, 'common'].map((streamId) => ({
          streamId,
          valueType: 'DOUBLE' as const,
        })),
      },
    ]
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        opened[at % 3].autoCreate('org', wanted(at), async () => []),
      ),
    )
    assert.equal(new Set(made.map(([one]) => one.handleAt(0))).size, 60)
    assert.equal(new Set(made.map(([one]) => one.handleAt(1))).size, 1)
    assert.equal((await scanAll(catalogs[0])).streams.size, 61)
  })
})

test('10,000 streams of one component, and 10,000 components, are each created in one call', {
  skip,
}, async () => {
  await withCatalogs(1, async ({ catalogs: [catalog] }) => {
    const ids = Array.from({ length: 10_000 }, (_, at) => `stream ${at}`)
    await catalog.commit([createOf([['gateway', ids]])])
    const devices = ids.map((id) => [id, [id]] as const)
    await catalog.commit([createOf(devices)])
    assert.equal((await scanAll(catalog)).streams.size, 20_000)
  })
})

test('a limit holds across processes', { skip }, async () => {
  await withCatalogs(3, async ({ catalogs }) => {
    const limit = { orgUid: 'org', kinds: ['stream', 'board'], of: 'documents', max: 25 } as const
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, at) => {
        const write = at % 2 === 0 ? createOf([[`d${at}`, ['s']]]) : put(`b${at}`)
        return catalogs[at % 3].commit([write], undefined, [limit])
      }),
    )
    const refused = outcomes.filter((one) => one.status === 'rejected')
    assert.ok(refused.every(({ reason }) => reason instanceof CatalogLimitReached))
    assert.equal(refused.length, 35)
    const usage = await catalogs[1].usage('org')
    const counted = usage.filter(({ kind }) => kind !== 'component')
    assert.equal(
      counted.reduce((sum, { documents }) => sum + documents, 0),
      25,
    )
  })
})

test('readers see every change once and in order while three processes commit', {
  skip,
}, async () => {
  await withCatalogs(4, async ({ catalogs: [reader, ...writers] }) => {
    let isDone = false
    const seen: CatalogChange[] = []
    const reading = (async () => {
      for (let cursor = 0; ; ) {
        const wasDone = isDone
        const page = await reader.changesSince(cursor, 7)
        seen.push(...page.changes)
        cursor = page.cursor
        if (page.changes.length === 0 && wasDone) return
      }
    })()
    const uids: string[] = []
    await Promise.all(
      writers.map(async (writer) => {
        for (let round = 0; round < 40; round++) {
          const some = Array.from({ length: 1 + (round % 5) * 3 }, () => newOrderedUid())
          uids.push(...some)
          // Some commits are refused in between: their numbers are given to others.
          const refused = writer.commit([put(newOrderedUid()), put(uids[0]), put(uids[0])])
          await Promise.all([writer.commit(some.map(put)), assert.rejects(refused)])
        }
      }),
    )
    isDone = true
    await reading
    assert.deepEqual(
      seen.map(({ cursor }) => cursor),
      seen.map((_, at) => at + 1),
    )
    assert.deepEqual(seen.map(({ uid }) => uid).toSorted(), uids.toSorted())
    assert.ok(seen.every(({ isOwn }) => isOwn === undefined))
    const own = await writers[0].changesSince(0, 10_000)
    const ownCount = own.changes.filter(({ isOwn }) => isOwn === true).length
    assert.ok(ownCount > 0 && ownCount < own.changes.length)
  })
})

test('a commit wakes the other processes', { skip }, async () => {
  await withCatalogs(2, async ({ catalogs: [one, other] }) => {
    let calls = 0
    one.onCommits(() => {
      calls += 1
    })
    // It is called once when it listens, for what was committed before.
    await comesTrue(() => calls > 0)
    const before = calls
    await other.commit([put('a')])
    await comesTrue(() => calls > before)
  })
})

test('what one process has committed the next read through another sees', { skip }, async () => {
  await withCatalogs(2, async ({ catalogs }) => {
    for (let round = 0; round < 10; round++) {
      const [from, to] = round % 2 === 0 ? catalogs : catalogs.toReversed()
      const create = createOf([[`device ${round}`, ['s']]])
      await from.commit([put(`b${round}`), create])
      const key = { orgUid: 'org', kind: 'board', uid: `b${round}` }
      assert.equal((await to.get(key))?.revision, 1)
      assert.equal((await to.components.findById('org', `device ${round}`))?.uid, create.uid)
      const { changes } = await to.changesSince(2 * round, 10)
      assert.deepEqual(
        changes.map(({ uid }) => uid),
        [`b${round}`, create.uid],
      )
    }
  })
})

test('a lease that many processes want at once is one of theirs', { skip }, async () => {
  await withCatalogs(2, async ({ catalogs: [one, other] }) => {
    const inferred = Array.from({ length: 8 }, (_, at) =>
      (at % 2 === 0 ? one : other).acquireLease('wanted', `p${at}`, 60_000),
    )
    const got = (await Promise.all(inferred)).filter((lease) => lease !== undefined)
    assert.equal(got.length, 1)
    assert.equal(await other.holderOf('wanted', 60_000), got[0].holder)
  })
})

test('a lease that another process takes over ends the commits under it', { skip }, async () => {
  await withCatalogs(2, async ({ catalogs: [one, other] }) => {
    const lease = await one.acquireLease('job', 'one', 300)
    assert.equal(await other.acquireLease('job', 'two', 300), undefined)
    await comesTrue(async () => (await other.acquireLease('job', 'two', 60_000)) !== undefined)
    await assert.rejects(one.commit([put('a')], lease), CatalogConflict)
  })
})
