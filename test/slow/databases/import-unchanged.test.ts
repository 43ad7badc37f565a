/** Which rows an import leaves out: those whose values were imported last into the streams they lead to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ImportHome, startImportHome } from '../../support/import-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import type { Service } from '../../support/service.ts'
import { type SharedServer, sharedPostgresql } from '../../support/shared-databases.ts'

/** Samples of columns device, at, a and b. */
const INGEST = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
  SELECT device, 'a', at, a FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 at LONG, 3 a DOUBLE);
INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
  SELECT device, 'b', at, b FROM CSV_TABLE(@JDBC_RESULT) WITH (1 device STRING, 2 at LONG, 4 b DOUBLE)
  WHERE device = 'pair'`

type Row = readonly [device: string, at: number, a: number | null, b?: number | null]

describe('rows that did not change', { skip: postgresqlSkip() }, () => {
  let server: SharedServer
  let service: Service
  let home: ImportHome
  let reopen: (settings?: Readonly<Record<string, string>>) => Promise<ImportHome>
  before(async () => {
    server = await sharedPostgresql()
    const started = await startImportHome('POSTGRESQL', server)
    service = started.service
    home = started.home
    reopen = started.reopen
  })
  after(async () => {
    await service?.close()
  })

  const insert = (id: string) =>
    home.insert({ id, externalSql: 'SELECT 1', procs: [{ timeZoneId: 'UTC', sql: INGEST }] })

  async function componentOf(id: string): Promise<{
    readonly uid: string
    readonly stream: readonly { readonly uid: string }[]
  }> {
    const { body } = await home.owner('GET', '/api/component?limit=1000')
    const listed: { readonly id: string; readonly uid: string }[] = body.component
    const uid = listed.find((one) => one.id === id)?.uid
    return (await home.owner('GET', `/api/component/${uid}`)).body.component
  }

  /** Runs an import over some rows; answers how many rows were ingested and skipped, and the samples. */
  async function importRows(uid: string, rows: readonly Row[], fields: object = {}) {
    const cell = (value: number | null = null) => `CAST(${value ?? 'NULL'} AS double precision)`
    const selects = rows.map(
      ([device, at, a, b]) => `SELECT '${device}', ${at}, ${cell(a)}, ${cell(b)}`,
    )
    const connector = { externalSql: selects.join(' UNION ALL '), ...fields }
    const saved = await home.owner('POST', `/api/connector/${uid}`, { connector })
    assert.equal(saved.status, 200, saved.text)
    const run = await home.run(uid)
    assert.equal(run.status, 'DONE', run.message)
    return [run.rowsIngested, run.rowsSkipped, run.samples]
  }

  test('what was imported while unchanged rows were not skipped is remembered', async () => {
    const uid = await insert('switched')
    await importRows(uid, [['switched', 1, 5]], { skipUnchangedRows: true })
    await importRows(uid, [['switched', 2, 7]], { skipUnchangedRows: false })
    home = await reopen()
    const third = await importRows(uid, [['switched', 3, 5]], { skipUnchangedRows: true })
    assert.deepEqual(third, [1, 0, 1])
    assert.deepEqual(await home.samplesOf('switched', 'a'), [
      [1, 5],
      [2, 7],
      [3, 5],
    ])
  })

  test('nothing was imported into a stream that was deleted, and is there again or not', async () => {
    const uid = await insert('deleted')
    const rows: Row[] = [['deleted', 1, 5]]
    assert.deepEqual(await importRows(uid, rows), [1, 0, 1])
    assert.deepEqual(await importRows(uid, rows), [0, 1, 0])
    const first = await componentOf('deleted')
    const stream = await home.owner(
      'DELETE',
      `/api/component/${first.uid}/stream/${first.stream[0].uid}`,
    )
    assert.equal(stream.status, 200, stream.text)
    assert.deepEqual(await importRows(uid, rows), [1, 0, 1])
    assert.deepEqual(await home.samplesOf('deleted', 'a'), [[1, 5]])
    const component = await home.owner('DELETE', `/api/component/${first.uid}`)
    assert.equal(component.status, 200, component.text)
    const put = await home.owner('PUT', '/api/feed?compId=deleted&a=9')
    assert.equal(put.status, 200, put.text)
    assert.deepEqual(await importRows(uid, rows), [1, 0, 1])
  })

  test('a component with a new ID is another one; under its former ID rows are imported again', async () => {
    const uid = await insert('renamed')
    const rows: Row[] = [['renamed', 1, 5]]
    await importRows(uid, rows)

    const path = `/api/component/${(await componentOf('renamed')).uid}`
    const moved = await home.owner('POST', path, { component: { id: 'renamed-2' } })
    assert.equal(moved.status, 200, moved.text)
    assert.deepEqual(await importRows(uid, rows), [1, 0, 1])
    assert.deepEqual(await home.samplesOf('renamed', 'a'), [[1, 5]])
    assert.deepEqual(await importRows(uid, [['renamed-2', 2, 5]]), [0, 1, 0])
  })

  test('what another import has imported counts as well', async () => {
    const [one, other] = [await insert('one'), await insert('other')]
    assert.deepEqual(await importRows(one, [['shared', 1, 5]]), [1, 0, 1])
    assert.deepEqual(await importRows(other, [['shared', 2, 6]]), [1, 0, 1])
    assert.deepEqual(await importRows(one, [['shared', 3, 5]]), [1, 0, 1])
    assert.deepEqual(await importRows(other, [['shared', 4, 5]]), [0, 1, 0])
    assert.equal((await home.owner('DELETE', `/api/connector/${one}`)).status, 200)
    assert.deepEqual(await importRows(other, [['shared', 5, 5]]), [0, 1, 0])
  })

  test('imports that end at once remember what each has imported', async () => {
    const uids = await Promise.all(['w', 'x', 'y'].map((id) => insert(`at-once-${id}`)))
    const rowsOf = (at: number, from: number): Row[] =>
      Array.from({ length: 200 }, (_, number) => [`once-${at}-${number}`, from, 5])
    await Promise.all(uids.map((uid, at) => importRows(uid, rowsOf(at, 1))))
    const again = await Promise.all(uids.map((uid, at) => importRows(uid, rowsOf(at, 2))))
    assert.deepEqual(
      again,
      uids.map(() => [0, 200, 0]),
    )
  })

  test('NULL is no sample of a random stream, and does not make a row differ', async () => {
    const uid = await insert('nulls')
    const rows: Row[] = [
      ['pair', 1, 5, 7],
      ['pair', 2, 5, null],
      ['pair', 3, 5, 7],
      ['pair', 4, 6, null],
    ]
    assert.deepEqual(await importRows(uid, rows), [2, 2, 3])
    assert.deepEqual(await importRows(uid, rows, { skipUnchangedRows: false }), [4, 0, 6])
    assert.deepEqual(
      await importRows(uid, [['pair', 5, 6, 7]], { skipUnchangedRows: true }),
      [0, 1, 0],
    )
  })

  test('an import that would create too many streams says what to do, and creates none', async () => {
    home = await reopen({ WEIR_CREATE_MAX: '2' })
    const uid = await insert('creating')
    const selects = [1, 2, 3].map((at) => `SELECT 'creating-${at}', ${at}, 5, 5`)
    const connector = { externalSql: selects.join(' UNION ALL ') }
    assert.equal((await home.owner('POST', `/api/connector/${uid}`, { connector })).status, 200)
    const { status, message } = await home.run(uid)
    assert.equal(status, 'FAILED')
    assert.match(message, /more than 2 streams .*. The operator can raise WEIR_CREATE_MAX/)
    assert.deepEqual(await home.samplesOf('creating-1', 'a'), [])
  })
})
