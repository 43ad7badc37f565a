/** A standby of PostgreSQL is promoted while processes commit to the catalog. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '../../../src/base/index.ts'
import { openPostgres, PostgresCatalog } from '../../../src/store/postgres/index.ts'
import { createOf } from '../../contract/catalog-components.ts'
import { scanAll } from '../../contract/catalog-scanned.ts'
import { handleReserve, urlOf } from '../../support/postgres-home.ts'
import {
  type PostgresqlServer,
  postgresqlSkip,
  type StandbyServer,
  startPostgresql,
  startStandby,
} from '../../support/postgresql-server.ts'
import { eventually } from '../../support/settle.ts'

const skip = postgresqlSkip()
/** A caller that is refused waits before it tries again. */
const REFUSED_MS = 50

interface Pair {
  readonly primary: PostgresqlServer
  readonly standby: StandbyServer
  /** Opens the catalog as a process does, with both hosts. */
  open(): Promise<PostgresCatalog>
  /** Called when a process finds that the database has lost commits. */
  readonly lost: Error[]
}

async function withPair(run: (pair: Pair) => Promise<void>): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const primary = await startPostgresql()
  opened.defer(() => primary.stop())
  const standby = await startStandby(primary)
  opened.defer(() => standby.stop())
  const reserveHandles = handleReserve()
  const lost: Error[] = []
  const open = async () => {
    // The standby comes first: it takes no writes and is passed over.
    const database = await openPostgres(urlOf([standby.port, primary.port], 'public'))
    opened.defer(() => database.close())
    const onHistoryLost = (error: Error) => void lost.push(error)
    const catalog = new PostgresCatalog(database, { reserveHandles, onHistoryLost })
    opened.defer(() => catalog.close())
    return catalog
  }
  await run({ primary, standby, open, lost })
}

async function follows(primary: PostgresqlServer): Promise<void> {
  await eventually(async () => {
    const [[count]] = await primary.ask(
      `SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'`,
    )
    assert.equal(Number(count), 1)
  })
}

test('a synchronous standby that is promoted while calls run has all that was acknowledged', {
  skip,
}, async () => {
  await withPair(async ({ primary, standby, open, lost }) => {
    await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await primary.ask('SELECT pg_reload_conf()')
    await follows(primary)
    const catalogs = [await open(), await open()]
    const acknowledged = new Map<string, number>()
    const refused: unknown[] = []
    let at = 0
    let isOver = false
    const work = async (catalog: PostgresCatalog) => {
      while (!isOver) {
        const id = `device ${at++}`
        try {
          const { firstHandles } = await catalog.commit([createOf([[id, ['s', 't']]])])
          acknowledged.set(id, firstHandles[0])
        } catch (error) {
          assert.ok(error instanceof Refusal && error.code === 'store_away', String(error))
          assert.ok(Number(error.retryAfterSeconds) > 0)
          refused.push(error)
          await pause(REFUSED_MS)
        }
      }
    }
    const working = catalogs.flatMap((catalog) => [work(catalog), work(catalog)])
    await eventually(() => assert.ok(acknowledged.size > 50))
    await primary.kill()
    await standby.promote()
    const before = acknowledged.size
    await eventually(() => assert.ok(acknowledged.size > before + 50))
    isOver = true
    await Promise.all(working)
    const { components, streams } = await scanAll(catalogs[0])
    const uidOf = new Map([...components].map(([uid, { id }]) => [id, uid]))
    assert.equal(uidOf.size, components.size)
    const handles = [...streams.values()].map(({ handle }) => handle)
    assert.equal(new Set(handles).size, handles.length)
    for (const [id, handle] of acknowledged) {
      const uid = uidOf.get(id)
      assert.ok(uid !== undefined, `${id} is lost`)
      const own = [...streams.values()].filter(({ componentUid }) => componentUid === uid)
      assert.deepEqual(
        own.map((stream) => stream.handle).sort((a, b) => a - b),
        [handle, handle + 1],
      )
    }
    const { changes } = await catalogs[1].changesSince(0, 1_000_000)
    assert.deepEqual(
      changes.map(({ cursor }) => cursor),
      [...components].map((_, index) => index + 1),
    )
    assert.deepEqual(lost, [])
  })
})

test('a standby without the last commits gives none of their handles again', { skip }, async () => {
  await withPair(async ({ primary, standby, open, lost }) => {
    await follows(primary)
    const catalog = await open()
    const idle = await open()
    await catalog.commit([createOf([['kept', ['s']]])])
    await idle.changesSince(0, 10)
    await eventually(async () => {
      const [[count]] = await standby.ask('SELECT count(*) FROM component')
      assert.equal(Number(count), 1)
    })
    await standby.kill()
    const { firstHandles } = await catalog.commit([createOf([['lost', ['s', 't']]])])
    await primary.kill()
    await standby.restart()
    await standby.promote()
    // This one knew nothing of what is lost, and goes on.
    const again = await eventually(() => idle.commit([createOf([['lost', ['s', 't']]])]))
    assert.ok(
      again.firstHandles[0] > firstHandles[0] + 1 || again.firstHandles[0] + 1 < firstHandles[0],
    )
    assert.deepEqual(lost, [])
    await assert.rejects(catalog.changesSince(0, 10), { name: 'HistoryLost' })
    assert.equal(lost.length, 1)
  })
})
