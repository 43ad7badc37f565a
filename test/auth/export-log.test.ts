import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { userPrincipal } from '../../src/access/index.ts'
import { AuditLog, ExportLog } from '../../src/auth/index.ts'
import { createLog, ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { withCommit } from '../../src/store/index.ts'

const HOUR_MS = 3_600_000

/** An export log over a catalog that can be made to fail. */
async function openLog(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-exports-'))
  const clock = new ManualClock(Date.UTC(2026, 0, 15))
  const embedded = await openCatalogStore({ folder, clock })
  const fault = { isOn: false }
  const store = withCommit(embedded, async (...commit) => {
    if (fault.isOn) throw new Error('the disk is full')
    return await embedded.commit(...commit)
  })
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } })
  const audit = new AuditLog({ store, clock, log })
  const exports = new ExportLog({ audit, store, clock, log })
  t.after(async () => {
    await exports.close()
    await embedded.close()
    rmSync(folder, { recursive: true })
  })
  const details = async () => {
    const { entries } = await audit.list('org', { start: 0, limit: 100 })
    return entries.map(({ detail }) => detail)
  }
  return { clock, embedded, exports, fault, lines, details }
}

function person(userUid: string) {
  return { principal: userPrincipal({ orgUid: 'org', userUid, role: 'GUEST' }), address: '::1' }
}

const CSV = { form: 'csv', componentUid: 'uid', compId: 'c', streamId: 's', amount: 5 } as const

test('ExportLog writes again what could not be written, with all that has come since', async (t) => {
  const { exports, fault, lines, details } = await openLog(t)
  fault.isOn = true
  exports.note(person('u'), CSV)
  await exports.flush()
  assert.ok(lines.some((line) => line.includes('could not write an audit entry')))
  exports.note(person('u'), CSV)
  await exports.flush()
  assert.deepEqual(await details(), [])
  fault.isOn = false
  await exports.flush()
  assert.deepEqual(await details(), ['"c" / "s" as CSV: 2 answers, 10 samples'])
})

test('ExportLog counts an answer that comes in parts once, in each hour, beside others', async (t) => {
  const { clock, exports, details } = await openLog(t)
  const [one, two] = [
    { ...CSV, answer: {} },
    { ...CSV, answer: {} },
  ]
  for (const data of [one, two, one, two, CSV, one]) exports.note(person('u'), data)
  await exports.flush()
  assert.deepEqual(await details(), ['"c" / "s" as CSV: 3 answers, 30 samples'])
  clock.advance(HOUR_MS)
  exports.note(person('u'), one)
  await exports.flush()
  assert.equal((await details())[0], '"c" / "s" as CSV: 1 answer, 5 samples')
})

test('ExportLog does not bring back an entry that went with its organization', async (t) => {
  const { exports, embedded, details } = await openLog(t)
  exports.note(person('u'), CSV)
  await exports.flush()
  const { documents } = await embedded.list({ orgUid: 'org', kind: 'audit', start: 0, limit: 9 })
  const [{ orgUid, kind, uid }] = documents
  await embedded.commit([{ op: 'delete', orgUid, kind, uid, expectedRevision: 'any' }])
  exports.note(person('u'), CSV)
  await exports.flush()
  assert.deepEqual(await details(), [])
})

test('ExportLog holds no more than 20,000 targets, says when it is full, and restarts each hour', async (t) => {
  const { clock, exports, lines, details } = await openLog(t)
  for (let at = 0; at < 25_000; at += 1) {
    exports.note(person(`u${at}`), {
      form: 'json',
      componentUid: 'uid',
      compId: 'c',
      streamId: undefined,
      amount: 1,
    })
  }
  exports.note(person('last'), CSV)
  await exports.flush()
  assert.deepEqual(await details(), [])
  assert.equal(lines.filter((line) => line.includes('too many in this hour')).length, 1)
  clock.advance(HOUR_MS)
  exports.note(person('last'), CSV)
  await exports.flush()
  assert.deepEqual(await details(), ['"c" / "s" as CSV: 1 answer, 5 samples'])
})

test('ExportLog lists streams of a component one by one while they are few', async (t) => {
  const { exports, details } = await openLog(t)
  const exported = async (): Promise<string> => {
    await exports.flush()
    return (await details())[0].split(' as CSV')[0]
  }
  const read = (streamId: string | undefined) => exports.note(person('u'), { ...CSV, streamId })
  read('s1')
  assert.equal(await exported(), '"c" / "s1"')
  read('s2')
  read('s1')
  assert.equal(await exported(), '"c", 2 streams')
  for (let at = 0; at < 1_000; at += 1) read(`s${at}`)
  assert.equal(await exported(), '"c", more than 100 streams')
  read(undefined)
  assert.equal(await exported(), '"c"')
})
