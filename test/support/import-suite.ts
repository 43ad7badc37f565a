/** What imports do, on a real server of each kind. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startCuttingProxy } from './cutting-proxy.ts'
import { type ImportHome, INGEST, startImportHome } from './import-home.ts'
import type { Service } from './service.ts'
import { eventually, settlesLike, settlesTo } from './settle.ts'
import type { SharedServer } from './shared-databases.ts'

/** A kind of database, in its own words. */
export interface ImportedKind {
  readonly kind: 'POSTGRESQL' | 'MYSQL'
  start(): Promise<SharedServer>
  /** Numbers from 1 on as `n`. */
  numbers(count: number): string
  readonly sleeps: string
}

/** Rows of some 900 characters: 20,000 of them are more than a text may have. */
function wide(numbers: string): string {
  return `SELECT n, repeat('x', 900) AS t FROM (${numbers}) AS s`
}

/** Adds the tests of a kind. */
export function testImports({ kind, start, numbers, sleeps }: ImportedKind): void {
  let server: SharedServer
  let service: Service
  let home: ImportHome
  let reopen: (settings?: Readonly<Record<string, string>>) => Promise<ImportHome>
  before(async () => {
    server = await start()
    const started = await startImportHome(kind, server)
    service = started.service
    home = started.home
    reopen = started.reopen
    await server.ask('CREATE TABLE readings (device VARCHAR(40), at BIGINT, temp DOUBLE PRECISION)')
  })
  after(async () => {
    await service?.close()
  })

  test(`${kind}: rows become samples; the same rows again change nothing, over a restart too`, async () => {
    await server.ask(
      "INSERT INTO readings VALUES ('d1', 1000, 20.5), ('d1', 2000, 21), ('d2', 1000, 5)",
    )
    const uid = await home.insert({ id: 'first' })
    const first = await home.run(uid)
    assert.deepEqual(
      { ...first, uid: '', start: 0, end: 0 },
      {
        uid: '',
        start: 0,
        end: 0,
        status: 'DONE',
        message: '',
        rowsFetched: 3,
        rowsIngested: 3,
        rowsSkipped: 0,
        samples: 3,
      },
    )
    assert.deepEqual(await home.samplesOf('d1'), [
      [1000, 20.5],
      [2000, 21],
    ])
    home = await reopen()
    await server.ask("DELETE FROM readings WHERE at < 2000 AND device = 'd1'")
    const second = await home.run(uid)
    assert.deepEqual([second.rowsFetched, second.rowsIngested, second.rowsSkipped], [2, 0, 2])
    await server.ask("INSERT INTO readings VALUES ('d1', 3000, 22)")
    const third = await home.run(uid)
    assert.deepEqual([third.rowsIngested, third.rowsSkipped, third.samples], [1, 2, 1])
    assert.equal((await home.samplesOf('d1')).length, 3)
    assert.equal((await home.runsOf(uid)).length, 3)
  })

  test(`${kind}: Ingest SQL sees when the last run was; a failed one does not count`, async () => {
    await server.ask('CREATE TABLE runs (at BIGINT)')
    await server.ask('INSERT INTO runs VALUES (1)')
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT @CONNECTOR_ID, 'last', at, @LAST_RUN_DATE FROM CSV_TABLE(@JDBC_RESULT) WITH (1 at LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await home.insert({ id: 'since', externalSql: 'SELECT at FROM runs', procs })
    assert.equal((await home.run(uid)).status, 'DONE')
    assert.deepEqual(await home.samplesOf('since', 'last'), [[1, 0]])
    const [{ start }] = (await home.runsOf(uid)) as unknown as { start: number }[]
    const path = `/api/connector/${uid}`
    await home.owner('POST', path, { connector: { externalSql: 'SELECT nothing FROM runs' } })
    const failed = await home.run(uid)
    assert.equal(failed.status, 'FAILED')
    assert.match(failed.message, /^External SQL.*nothing/)
    await home.owner('POST', path, { connector: { externalSql: 'SELECT at FROM runs' } })
    assert.equal((await home.run(uid)).status, 'DONE')
    assert.deepEqual(await home.samplesOf('since', 'last'), [[1, start]])
  })

  test(`${kind}: a row that cannot be stored stops the run, and nothing of it is stored`, async () => {
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'bad', 'temp', CASE WHEN n = 500 THEN -99999999999999999 ELSE n END, n
      FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await home.insert({ id: 'bad', externalSql: numbers(1_000), procs })
    const { status, message, samples } = await home.run(uid)
    assert.equal(status, 'FAILED')
    assert.match(message, /row 500/)
    assert.equal(samples, 0)
    assert.deepEqual(await home.samplesOf('bad'), [])
  })

  test(`${kind}: no rows, a thousand of many, and too many for a text`, async () => {
    const none = await home.insert({
      id: 'none',
      externalSql: 'SELECT device, at, temp FROM readings WHERE at < 0',
    })
    const nothing = await home.run(none)
    assert.deepEqual([nothing.status, nothing.rowsFetched, nothing.samples], ['DONE', 0, 0])
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'many', 'n', n, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const many = { externalSql: numbers(10_000_000), procs }
    const some = await home.run(await home.insert({ id: 'some', ...many, maxRows: 1_000 }))
    assert.deepEqual(
      [some.status, some.rowsFetched, some.samples],
      ['DONE', 1_000, 1_000],
      some.message,
    )
    // What reads the result otherwise than by CSV_TABLE needs all of it as one text.
    const text = `SET @first = parseCsv(@JDBC_RESULT, 1); ${sql}`
    const long = await home.insert({
      id: 'all',
      externalSql: wide(numbers(20_000)),
      procs: [{ timeZoneId: 'UTC', sql: text }],
    })
    const all = await home.run(long)
    assert.equal(all.status, 'FAILED')
    assert.match(all.message, /longer than 16000000 characters/)
  })

  test(`${kind}: functions take a result as one text up to its limit`, async () => {
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'long', 'len', 1, len(@JDBC_RESULT)
      UNION ALL SELECT 'long', 'left', 1, left(@JDBC_RESULT, 1)
      UNION ALL SELECT 'long', 'cell', 1, parseCsv(@JDBC_RESULT, 3);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const externalSql = wide(numbers(16_000))
    const done = await home.run(await home.insert({ id: 'long', externalSql, procs }))
    assert.equal(done.status, 'DONE', done.message)
    const [[, length]] = await home.samplesOf('long', 'len')
    assert.ok(Number(length) > 14_000_000 && Number(length) < 16_000_000, `${length}`)
    assert.deepEqual(await home.samplesOf('long', 'left'), [[1, 'n']])
  })

  test(`${kind}: rows beyond what a text may have reach every CSV_TABLE`, async () => {
    const externalSql = wide(numbers(20_000))
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'wide', 'n', n, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG)
      UNION ALL SELECT 'wide', 'sum', 1, sum(n) FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG)
      UNION ALL SELECT 'wide', 'text', 1, max(t) FROM CSV_TABLE(@JDBC_RESULT) WITH (2 t STRING);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const done = await home.run(await home.insert({ id: 'wide', externalSql, procs }))
    assert.deepEqual(
      [done.status, done.rowsFetched, done.samples],
      ['DONE', 20_000, 20_002],
      done.message,
    )
    assert.deepEqual(await home.samplesOf('wide', 'sum'), [[1, 200_010_000]])
    assert.deepEqual(await home.samplesOf('wide', 'text'), [[1, 'x'.repeat(900)]])
    assert.equal((await home.samplesOf('wide', 'n')).at(-1)?.[0], 20_000)
  })

  test(`${kind}: one run at a time, told as it goes, and called off`, async () => {
    const procs = [{ timeZoneId: 'UTC', sql: INGEST }]
    const uid = await home.insert({ id: 'slow', externalSql: sleeps, procs })
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => home.owner('POST', `/api/connector/${uid}/run`)),
    )
    const first = begun.find(({ status }) => status === 200)
    assert.ok(first)
    const refusals = begun.filter((one) => one !== first)
    assert.deepEqual(new Set(refusals.map(({ status }) => status)), new Set([409]))
    const runUid = first.body.run.uid
    assert.deepEqual(
      (await home.runsOf(uid)).map(({ status }) => status),
      ['RUNNING'],
    )
    // A run is over for who asks a moment before it counts no more.
    const metrics = async () => await (await fetch(`${service.url}/metrics`)).text()
    await settlesLike(metrics, /weir_imports_running 1\n/)
    const called = await home.owner('DELETE', `/api/connector/${uid}/run`)
    assert.equal(called.status, 200, called.text)
    const { status, message } = await home.ended(uid, runUid)
    assert.deepEqual([status, message], ['FAILED', 'The run was canceled'])
    assert.equal((await home.owner('DELETE', `/api/connector/${uid}/run`)).status, 404)
    await eventually(async () => assert.equal((await home.runsOf(uid)).length, 1))
  })

  test(`${kind}: imports of an organization beyond three at a time are refused until one is over`, async () => {
    const uids = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) => home.insert({ id: `of6-${number}`, externalSql: sleeps })),
    )
    const begun = await Promise.all(
      uids.map((uid) => home.owner('POST', `/api/connector/${uid}/run`)),
    )
    const statuses = begun.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 429, 429, 429])
    // One is deleted while it runs.
    const running = uids.filter((_, at) => statuses[at] === 200)
    assert.equal((await home.owner('DELETE', `/api/connector/${running[0]}`)).status, 200)
    const waiting = uids[statuses.indexOf(429)]
    assert.equal((await home.owner('POST', `/api/connector/${waiting}/run`)).status, 200)
    for (const uid of [...running.slice(1), waiting]) {
      assert.equal((await home.owner('DELETE', `/api/connector/${uid}/run`)).status, 200)
    }
  })

  test(`${kind}: a connection that is lost amid rows leaves nothing, and the next run has all`, async () => {
    const proxy = await startCuttingProxy(server.port, 500_000)
    const path = `/api/connection/${home.connectionUid}`
    const password = 'the-password'
    const moved = await home.owner('POST', path, { connection: { port: proxy.port, password } })
    assert.equal(moved.status, 200, moved.text)
    try {
      const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
        SELECT 'lost', 'n', n, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG);`
      const procs = [{ timeZoneId: 'UTC', sql }]
      const uid = await home.insert({ id: 'lost', externalSql: wide(numbers(2_000)), procs })
      const cut = await home.run(uid)
      assert.equal(cut.status, 'FAILED')
      assert.match(cut.message, /connection was lost/i)
      assert.ok(cut.rowsFetched > 0 && cut.rowsFetched < 2_000, `${cut.rowsFetched}`)
      assert.deepEqual(await home.samplesOf('lost', 'n'), [])
      await home.owner('POST', path, { connection: { port: server.port, password } })
      const whole = await home.run(uid)
      assert.deepEqual([whole.status, whole.samples], ['DONE', 2_000], whole.message)
    } finally {
      proxy.close()
      await home.owner('POST', path, { connection: { port: server.port, password } })
    }
  })

  test(`${kind}: columns with the same name are addressed by position`, async () => {
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'twice', 'n', a, b FROM CSV_TABLE(@JDBC_RESULT) WITH (1 a LONG, 2 b LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await home.insert({ id: 'twice', externalSql: 'SELECT 1 AS a, 2 AS a', procs })
    assert.equal((await home.run(uid)).status, 'DONE')
    assert.deepEqual(await home.samplesOf('twice', 'n'), [[1, 2]])
  })

  test(`${kind}: a run stores as many samples as the operator lets it, or none`, async () => {
    home = await reopen({ WEIR_IMPORT_SAMPLES: '1000' })
    const sql = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
      SELECT 'most', 'n', n, n FROM CSV_TABLE(@JDBC_RESULT) WITH (1 n LONG);`
    const procs = [{ timeZoneId: 'UTC', sql }]
    const uid = await home.insert({ id: 'most', externalSql: numbers(1_001), procs })
    const beyond = await home.run(uid)
    assert.deepEqual([beyond.status, beyond.samples], ['FAILED', 0])
    assert.match(beyond.message, /1000/)
    assert.deepEqual(await home.samplesOf('most', 'n'), [])
    await home.owner('POST', `/api/connector/${uid}`, { connector: { maxRows: 1_000 } })
    assert.equal((await home.run(uid)).samples, 1_000)
    const figures = async () => {
      const output = await (await fetch(`${service.url}/metrics`)).text()
      const found = output.matchAll(/^weir_import(\S+) (\d+)$/gm)
      return Object.fromEntries([...found].map(([, name, n]) => [name, n]))
    }
    await settlesTo(figures, {
      s_running: '0',
      '_runs_total{outcome="done"}': '1',
      '_runs_total{outcome="failed"}': '1',
      _rows_total: '2001',
      _rows_skipped_total: '0',
      _samples_total: '1000',
    })
  })
}
