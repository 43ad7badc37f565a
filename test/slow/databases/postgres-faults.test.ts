/** A catalog in PostgreSQL whose server is killed, full, away, or older than it was. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../src/base/index.ts'
import { CatalogConflict, type CatalogWrite, StoreUnusable } from '../../../src/store/index.ts'
import { openPostgres, PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { createOf } from '../../contract/catalog-components.ts'
import { scanAll } from '../../contract/catalog-scanned.ts'
import {
  handleReserve,
  makePostgresHome,
  type PostgresHome,
  urlOf,
} from '../../support/postgres-home.ts'
import { type PostgresProxy, startPostgresProxy } from '../../support/postgres-proxy.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { eventually } from '../../support/settle.ts'
import { fillDisk, mountDisk } from '../../support/small-disk.ts'

const skip = postgresqlSkip()
/** A caller that is refused waits before it tries again. */
const REFUSED_MS = 50

interface Faulty {
  readonly home: PostgresHome
  readonly proxy: PostgresProxy
  readonly catalog: PostgresCatalog
  /** Called when the database lost commits. */
  readonly lost: Error[]
  /** Opens the catalog as another process. */
  openOther(): Promise<PostgresCatalog>
}

/** A catalog that reaches its server through a proxy. */
async function withFaults(run: (faulty: Faulty) => Promise<void>): Promise<void> {
  const home = await makePostgresHome()
  const proxy = await startPostgresProxy(home.server.port)
  const url = home.url.replace(`:${home.server.port}/`, `:${proxy.port}/`)
  const reserveHandles = handleReserve()
  const lost: Error[] = []
  await using opened = new AsyncDisposableStack()
  const open = async (at: string) => {
    const database = await openPostgres(at)
    opened.defer(() => database.close())
    const onHistoryLost = (error: Error) => void lost.push(error)
    const catalog = new PostgresCatalog(database, { reserveHandles, onHistoryLost })
    opened.defer(() => catalog.close())
    return catalog
  }
  opened.defer(() => home.dispose())
  opened.defer(async () => proxy.close())
  const catalog = await open(url)
  await run({ home, proxy, catalog, lost, openOther: () => open(home.url) })
}

const put = (uid: string, expectedRevision: number | 'any' = 0): CatalogWrite => {
  return { op: 'put', orgUid: 'org', kind: 'board', uid, body: {}, expectedRevision }
}
const isAway = (error: unknown) =>
  error instanceof Refusal && error.code === 'store_away' && error.status === 503

test('a commit whose answer is lost is made once, and its caller is answered', {
  skip,
}, async () => {
  await withFaults(async ({ catalog, proxy }) => {
    await catalog.commit([put('a', 'any')])
    for (let round = 1; round <= 5; round++) {
      const isLost = proxy.loseNextCommit()
      const committing = Promise.all([
        catalog.commit([put('a', 'any')]),
        catalog.commit([createOf([[`device ${round}`, ['s', 't']]])]),
        assert.rejects(catalog.commit([put('a', 99)]), CatalogConflict),
      ])
      await isLost
      const [{ records }, { firstHandles }] = await committing
      assert.equal(records[0].revision, 1 + round)
      const scanned = [...(await scanAll(catalog)).streams.values()]
      assert.ok(scanned.some(({ handle }) => handle === firstHandles[0]))
      assert.equal(scanned.length, 2 * round)
    }
    const { changes } = await catalog.changesSince(0, 100)
    assert.equal(changes.length, 11)
    assert.ok(changes.every(({ isOwn }) => isOwn === true))
  })
})

test('a commit that never got to the server is made by another try', { skip }, async () => {
  await withFaults(async ({ catalog, proxy }) => {
    await catalog.commit([put('a', 'any')])
    const isLost = proxy.loseNextRequest()
    const committing = catalog.commit([put('a', 'any'), createOf([['d', ['s']]])])
    await isLost
    assert.equal((await committing).records[0].revision, 2)
    assert.equal((await catalog.changesSince(0, 100)).changes.length, 3)
  })
})

test('calls are refused while nobody answers, and served again after', { skip }, async () => {
  await withFaults(async ({ catalog, home, proxy }) => {
    await catalog.commit([put('a')])
    await home.server.kill()
    const outcomes = await Promise.allSettled([
      catalog.commit([put('b')]),
      catalog.get({ orgUid: 'org', kind: 'board', uid: 'a' }),
      catalog.changesSince(0, 10),
      catalog.acquireLease('job', 'me', 1_000),
      catalog.components.scan({ onCount: () => {}, onComponents: () => {}, onStreams: () => {} }),
    ])
    for (const outcome of outcomes) {
      assert.ok(outcome.status === 'rejected' && isAway(outcome.reason), JSON.stringify(outcome))
      assert.ok((outcome.reason as Refusal).retryAfterSeconds)
    }
    await home.server.restart()
    proxy.cut()
    await eventually(() => catalog.commit([put('b')]))
    assert.equal((await catalog.changesSince(0, 10)).changes.length, 2)
  })
})

test('calls are refused while the server does not let the process in, and served again after', {
  skip,
}, async () => {
  const home = await makePostgresHome()
  const role = `guest_${process.pid}`
  await home.ask(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'the-password'`)
  const proxy = await startPostgresProxy(home.server.port)
  const url = home.url
    .replace(`:${home.server.port}/`, `:${proxy.port}/`)
    .replace('//weir:', `//${role}:`)
  const database = await openPostgres(url)
  const catalog = new PostgresCatalog(database, { reserveHandles: handleReserve() })
  await catalog.commit([put('a')])
  for (const [at, [change, back]] of [
    [`PASSWORD 'another'`, `PASSWORD 'the-password'`],
    ['NOLOGIN', 'LOGIN'],
  ].entries()) {
    await home.ask(`ALTER ROLE ${role} ${change}`)
    proxy.cut()
    const key = { orgUid: 'org', kind: 'board', uid: 'a' }
    for (const call of [() => catalog.get(key), () => catalog.commit([put(`b${at}`)])]) {
      await assert.rejects(call(), (error) => isAway(error))
    }
    await home.ask(`ALTER ROLE ${role} ${back}`)
    await eventually(() => catalog.commit([put(`b${at}`)]))
  }
  await catalog.close()
  await database.close()
  proxy.close()
  await home.dispose()
  await home.server.ask(`DROP ROLE ${role}`)
})

test('a server killed amid commits keeps all that were acknowledged, each once', {
  skip,
}, async () => {
  await withFaults(async ({ catalog, home }) => {
    const acknowledged: string[] = []
    let at = 0
    let isOver = false
    const work = async () => {
      while (!isOver) {
        const id = `device ${at++}`
        try {
          await catalog.commit([createOf([[id, ['s']]])])
          acknowledged.push(id)
        } catch (error) {
          assert.ok(isAway(error), String(error))
          await pause(REFUSED_MS)
        }
      }
    }
    const working = [work(), work(), work()]
    for (let round = 0; round < 3; round++) {
      const before = acknowledged.length
      await eventually(() => assert.ok(acknowledged.length > before + 20))
      await home.server.restart()
    }
    isOver = true
    await Promise.all(working)
    const { components, streams } = await scanAll(catalog)
    const ids = [...components.values()].map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.deepEqual(
      acknowledged.filter((id) => !ids.includes(id)),
      [],
    )
    assert.equal(streams.size, ids.length)
    const usage = await catalog.usage('org')
    assert.deepEqual(
      usage.map(({ kind, documents }) => [kind, documents]),
      [
        ['component', ids.length],
        ['stream', ids.length],
      ],
    )
    const { changes } = await catalog.changesSince(0, 1_000_000)
    assert.deepEqual(
      changes.map(({ cursor }) => cursor),
      ids.map((_, index) => index + 1),
    )
  })
})

test('a process that stands still amid a commit does not stop the others for good', {
  skip,
}, async () => {
  await withFaults(async ({ catalog, home, openOther }) => {
    await catalog.commit([put('a')])
    const other = await openOther()
    const { default: pg } = await import('pg')
    const stuck = new pg.Client({ connectionString: home.url })
    stuck.on('error', () => {})
    await stuck.connect()
    // As every connection of the service has it.
    await stuck.query('SET idle_in_transaction_session_timeout = 1000')
    await stuck.query('BEGIN')
    await stuck.query('SELECT last_change FROM head FOR UPDATE')
    await other.commit([put('b')])
    await stuck.end().catch(() => {})
  })
})

test('a server without a free connection refuses calls, which are served again later', {
  skip,
}, async () => {
  await withFaults(async ({ home }) => {
    await home.ask(`DO $$ BEGIN CREATE ROLE few LOGIN PASSWORD 'the-password' CONNECTION LIMIT 2;
      EXCEPTION WHEN duplicate_object THEN NULL; END $$`)
    const [[schema]] = await home.ask('SELECT current_schema()')
    await home.ask(
      `GRANT ALL ON SCHEMA ${schema} TO few; GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO few`,
    )
    const { default: pg } = await import('pg')
    const url = home.url.replace('//weir:', '//few:')
    const database = await openPostgres(url)
    const catalog = new PostgresCatalog(database, { reserveHandles: handleReserve() })
    await catalog.commit([put('a')])
    // The pool has one connection and wants more; another program has the last one.
    const last = new pg.Client({ connectionString: url })
    await last.connect()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => catalog.get({ orgUid: 'org', kind: 'board', uid: 'a' })),
    )
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.ok(isAway(outcome.reason), String(outcome.reason))
    }
    await last.end()
    await eventually(() => catalog.commit([put('b')]))
    await catalog.close()
    await database.close()
    await home.ask(`DROP OWNED BY few; DROP ROLE few`)
  })
})

test('a full disk refuses commits, keeps nothing of them, and takes them once there is room', {
  skip,
}, async (t) => {
  const disk = mountDisk(t)
  if (disk === undefined) return
  const folder = join(disk.folder, 'tables')
  mkdirSync(folder)
  chmodSync(dirname(disk.folder), 0o755)
  spawnSync('chown', ['postgres', disk.folder, folder])
  const home = await makePostgresHome()
  await home.server.ask(`CREATE TABLESPACE small LOCATION '${folder}'`)
  const url = home.url.replace(
    'options=',
    `options=${encodeURIComponent('-c default_tablespace=small ')}`,
  )
  const database = await openPostgres(url)
  const catalog = new PostgresCatalog(database, { reserveHandles: handleReserve() })
  await catalog.commit([put('a')])
  const filler = fillDisk(disk.folder)
  const ids = Array.from({ length: 20_000 }, (_, at) => `stream ${at}`)
  await assert.rejects(catalog.commit([createOf([['gateway', ids]])]), isAway)
  assert.equal((await catalog.get({ orgUid: 'org', kind: 'board', uid: 'a' }))?.revision, 1)
  assert.equal(await catalog.components.findById('org', 'gateway'), undefined)
  rmSync(filler)
  await eventually(() => catalog.commit([createOf([['gateway', ids]])]))
  assert.equal((await scanAll(catalog)).streams.size, ids.length)
  await catalog.close()
  await database.close()
  await home.dispose()
  await home.server.ask('DROP TABLESPACE small')
})

test('commits that a database has forgotten are noticed, and their handles never given again', {
  skip,
}, async () => {
  await withFaults(async ({ catalog, home, lost, openOther }) => {
    await catalog.commit([createOf([['kept', ['s']]])])
    const backup = await copyOf(home)
    const given: number[] = []
    for (let round = 0; round < 3; round++) {
      const { firstHandles } = await catalog.commit([createOf([[`lost ${round}`, ['s', 't']]])])
      given.push(firstHandles[0], firstHandles[0] + 1)
    }
    await backup.restore()
    const other = await openOther()
    const { firstHandles } = await other.commit([
      createOf([['new', ['s', 't', 'u', 'v', 'w', 'x']]]),
    ])
    const again = firstHandles.flatMap((first) => [0, 1, 2, 3, 4, 5].map((step) => first + step))
    assert.deepEqual(
      given.filter((handle) => again.includes(handle)),
      [],
    )
    // The process that knew of the lost ones serves no more: what it has in memory is wrong.
    await assert.rejects(catalog.changesSince(0, 10), { name: 'HistoryLost' })
    await assert.rejects(catalog.commit([put('a')]), { name: 'HistoryLost' })
    assert.equal(lost.length, 2)
    assert.equal((await scanAll(other)).components.size, 2)
  })
})

test('a database of a later schema is refused unchanged', { skip }, async () => {
  const home = await makePostgresHome()
  await (await home.open()).close()
  await home.ask(`UPDATE meta SET value = '999' WHERE name = 'schema'`)
  await assert.rejects(home.open(), (error) => {
    assert.ok(error instanceof StoreUnusable && error.why === 'schema')
    return /has schema 999/.test(error.message)
  })
  await home.dispose()
})

test('a wrong password, user, or database ends the start, and a URL with none of them too', {
  skip,
}, async () => {
  const home = await makePostgresHome()
  for (const wrong of [
    home.url.replace('the-password', 'another'),
    home.url.replace('//weir:', '//nobody:'),
    home.url.replace('/weir?', '/nothing?'),
    'postgres://weir@/weir',
    'http://weir@host/weir',
    '',
  ]) {
    await assert.rejects(openPostgres(wrong), (error) => {
      assert.ok(error instanceof StoreUnusable, String(error))
      assert.doesNotMatch(error.message, /the-password/)
      return error.why === 'settings'
    })
  }
  const wait = new AbortController()
  const reported: string[] = []
  const nobody = urlOf(1, 'public')
  const waiting = openPostgres(nobody, {
    signal: wait.signal,
    onWaiting: (what) => {
      reported.push(what)
      wait.abort()
    },
  })
  await assert.rejects(waiting, { name: 'AbortError' })
  assert.match(reported[0], /waits for PostgreSQL: .*ECONNREFUSED/)
  await home.dispose()
})

/** The rows of all tables, and how they are put back in place of what is there. */
async function copyOf(home: PostgresHome): Promise<{ restore(): Promise<void> }> {
  const tables = [
    'head',
    'component',
    'stream',
    'document',
    'claim',
    'tally',
    'change',
    'commit_key',
  ]
  for (const table of tables)
    await home.ask(`CREATE TABLE copy_of_${table} AS SELECT * FROM ${table}`)
  return {
    restore: async () => {
      const steps = tables.map(
        (table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM copy_of_${table}`,
      )
      await home.ask(`BEGIN; ${steps.join('; ')}; COMMIT`)
    },
  }
}
