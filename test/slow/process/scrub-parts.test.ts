import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'
import { runWeir } from '../../support/weir-command.ts'

async function withService(body: (service: Service) => Promise<void>): Promise<void> {
  const service = await startService()
  try {
    await body(service)
  } finally {
    await service.close()
  }
}

const check = (service: Service) => runWeir(service.dataDir, 'check', '--json')

/** Flips a bit in the middle of a value of a stopped service's database. */
function flipIn(service: Service, database: string, sql: { select: string; update: string }): void {
  const db = new DatabaseSync(join(service.dataDir, database))
  try {
    const { id, data } = db.prepare(sql.select).get() as { id: number; data: string | Uint8Array }
    const bytes = Buffer.from(data as Uint8Array)
    bytes[bytes.length >> 1] ^= 1
    db.prepare(sql.update).run(typeof data === 'string' ? bytes.toString('latin1') : bytes, id)
  } finally {
    db.close()
  }
}

const documentOf = (kind: string) => ({
  select: `SELECT ref AS id, body AS data FROM document WHERE kind = '${kind}' LIMIT 1`,
  update: 'UPDATE document SET body = ? WHERE ref = ?',
})

const details = async (service: Service): Promise<string> =>
  JSON.stringify(await (await fetch(`${service.url}/readyz`)).json())

const storageOf = async (service: Service) => {
  const call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  return call('GET', '/api/storage')
}

test('a damaged document is found by the check and shown to operators without names', async () => {
  await withService(async (service) => {
    const put = `${service.url}/api/feed?compId=c&t=1&api_key=${service.feedKey}`
    assert.equal((await fetch(put, { method: 'PUT' })).status, 200)
    assert.equal((await check(service)).code, 0)
    await service.app.close()
    flipIn(service, 'catalog.db', {
      select: 'SELECT ref AS id, CAST(id AS BLOB) AS data FROM component LIMIT 1',
      update: 'UPDATE component SET id = CAST(? AS TEXT) WHERE ref = ?',
    })
    await service.restart()
    const { code, out } = await check(service)
    assert.equal(code, 65, out)
    const [damage] = JSON.parse(out).result.damaged
    assert.equal(damage.part, 'catalog')
    assert.match(await details(service), /"catalog: \d+ damaged/)
    const { status, body } = await storageOf(service)
    assert.equal(status, 200)
    const [{ part, stream, what }] = body.storage.scrub.damaged
    assert.deepEqual([part, stream], ['catalog', null])
    assert.doesNotMatch(what, /[0-9a-f]{8}-[0-9a-f]{4}/)
  })
})

test('damaged samples are shown in the same places', async () => {
  await withService(async (service) => {
    const samples = Array.from({ length: 3_000 }, (_, index) => ({
      compId: 'c',
      streamId: 'value',
      time: 1_700_000_000_000 + index * 1_000,
      data: Math.sin(index),
    }))
    const url = `${service.url}/api/feed?api_key=${service.feedKey}`
    const put = await fetch(url, { method: 'PUT', body: JSON.stringify(samples) })
    assert.equal(put.status, 200)
    await service.sealAndRestart()
    await service.app.close()
    flipIn(service, 'samples.db', {
      select: 'SELECT id, data FROM chunk LIMIT 1',
      update: 'UPDATE chunk SET data = ? WHERE id = ?',
    })
    await service.restart()
    const read = `${service.url}/api/comp/c/feed?api_key=${service.feedKey}`
    await (await fetch(read)).text()
    assert.match(await details(service), /"samples: 1 damaged/)
    const [damage] = (await storageOf(service)).body.storage.scrub.damaged
    assert.equal(damage.part, 'samples')
    assert.equal(damage.stream.id, 'value')
    assert.ok(damage.from <= 1_700_000_000_000 && damage.until > damage.from)
    const { code, out } = await check(service)
    assert.equal(code, 65)
    assert.equal(JSON.parse(out).result.damaged.length, 1, 'told once, not by each that found it')
  })
})

test('a damaged report is written again, and a damaged operator mark lets nobody in', async () => {
  await withService(async (service) => {
    await service.app.scrub.checkNow()
    assert.equal((await storageOf(service)).status, 200)
    await service.app.close()
    flipIn(service, 'catalog.db', documentOf('scrub'))
    flipIn(service, 'catalog.db', documentOf('operator'))
    await service.restart()
    assert.equal(service.app.scrub.state.last, undefined, 'a pass is due')
    assert.equal((await storageOf(service)).status, 403)
    assert.equal((await check(service)).code, 65)
  })
})
