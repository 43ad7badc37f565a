import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { putFile } from '../../support/file-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { runWeir } from '../../support/weir-command.ts'

const MB = 1_048_576
const DAY_MS = 86_400_000
const BODY = new Uint8Array(MB + 5).fill(7)
const clock = new ManualClock(Date.UTC(2026, 0, 1))
const service = serviceOfFile({ clock })
let owner: Call

before(async () => {
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})

function bodies(): string[] {
  const folder = join(service.dataDir, 'files')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[0-9a-f]{2}.[0-9a-f]{32}$/.test(name))
    .map((name) => join(folder, name))
}

/** Puts a file and flips a bit of its body; answers how to flip it back. */
async function putDamaged(feedKey: string, path: string): Promise<() => void> {
  const known = new Set(bodies())
  await putFile({ url: service.url, feedKey }, path, BODY)
  const [stored] = bodies().filter((name) => !known.has(name))
  const flip = () => {
    const bytes = readFileSync(stored)
    bytes[MB + 1] ^= 1
    writeFileSync(stored, bytes)
  }
  flip()
  return flip
}

const weir = (words: readonly string[]) => runWeir(service.dataDir, ...words)

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1))
}

const readiness = async () => {
  const answer = await fetch(`${service.url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as { details?: string[] } }
}

test('a sound folder: the check is clean everywhere', async () => {
  await putFile(service, '/comp/c/stream/well/feed/file/x?time=5', BODY)
  const before = (await owner('GET', '/api/storage')).body.storage
  assert.deepEqual(before.scrub, { time: null, checked: null, running: null, damaged: [] })
  const { code, out } = await weir(['check', '--json'])
  const { success, result } = JSON.parse(out)
  assert.equal(success, true)
  assert.deepEqual(result.damaged, [])
  assert.ok(result.bytes >= BODY.length)
  assert.equal(code, 0)
  const { storage } = (await owner('GET', '/api/storage')).body
  assert.equal(storage.scrub.time, clock.now())
  assert.equal(storage.scrub.checked.bytes, result.bytes)
  assert.equal(storage.sizes.files, BODY.length)
  assert.ok(storage.sizes.catalog > 0 && storage.sizes.samples > 0 && storage.sizes.free > 0)
  assert.ok(storage.journal.segments >= 1 && storage.journal.bytes > 0)
  assert.deepEqual((await readiness()).body, { status: 'ready' })
  assert.equal(await metric('weir_scrub_last_time_seconds'), clock.now() / 1000)
  assert.ok((await metric('weir_scrub_checked_bytes_total')) >= BODY.length)
})

test('a flipped bit is found by the check, and reported in every place until it is fixed', async () => {
  const repair = await putDamaged(service.feedKey, '/comp/c/stream/bad/feed/file/x?time=1000')
  const { code, out, err } = await weir(['check'])
  assert.equal(code, 65)
  assert.match(out, /damaged +1\n/)
  assert.match(out, /stream +[0-9a-f-]{36} bad\n/)
  assert.match(out, /block 2 of 2 does not check/)
  assert.match(err, /checking/)
  const { damaged } = (await owner('GET', '/api/storage')).body.storage.scrub
  assert.equal(damaged.length, 1)
  const [{ part, stream, from, until }] = damaged
  assert.equal(stream.id, 'bad')
  assert.match(stream.uid, /^[0-9a-f-]{36}$/)
  assert.equal(stream.component.id, 'c')
  assert.deepEqual({ part, from, until }, { part: 'files', from: 1000, until: 1001 })
  const { status, body } = await readiness()
  assert.equal(status, 200)
  assert.match(body.details?.join() ?? '', /^files: 1 damaged/)
  assert.equal(await metric('weir_damaged_items{part="files"}'), 1)
  assert.ok((await metric('weir_damage_found_total{part="files"}')) >= 1)
  assert.ok(service.logLines.some((line) => line.includes('a scrub found damage')))

  await service.restart()
  assert.equal((await readiness()).body.details?.length, 1, 'known again after a restart')
  repair()
  await service.app.scrub.checkNow()
  assert.deepEqual((await readiness()).body, { status: 'ready' })
})

test('damage that a reader meets shows in the same places before any scrub', async () => {
  const repair = await putDamaged(service.feedKey, '/comp/c/stream/read/feed/file/x?time=7')
  const before = await metric('weir_damage_found_total{part="files"}')
  const query = `?api_key=${service.feedKey}&start=${MB}`
  const url = `${service.url}/api/comp/c/stream/read/feed/file/x${query}`
  assert.equal((await fetch(url)).status, 500)
  assert.equal(await metric('weir_damage_found_total{part="files"}'), before + 1)
  assert.equal(await metric('weir_damaged_items{part="files"}'), 1)
  const { damaged } = (await owner('GET', '/api/storage')).body.storage.scrub
  assert.equal(damaged[0].stream.id, 'read')
  repair()
  await service.app.scrub.checkNow()
})

test('weir check works on a stopped folder, with the same exit codes', async () => {
  await service.app.close()
  assert.equal((await weir(['check'])).code, 0)
  await service.restart()
  const repair = await putDamaged(service.feedKey, '/comp/c/stream/off/feed/file/x?time=8')
  await service.app.close()
  const { code, out } = await weir(['check', '--json'])
  assert.equal(code, 65)
  const [{ stream, org, from }] = JSON.parse(out).result.damaged
  assert.match(stream, / off$/)
  assert.equal(org, service.orgUid)
  assert.equal(from, '1970-01-01T00:00:00.008Z')
  await service.restart()
  assert.equal((await readiness()).body.details?.length, 1, 'the service knows what was found')
  repair()
  await service.app.scrub.checkNow()
})

test('a pass runs once a week, across restarts, and soon after a clock that was wrong', async () => {
  await service.app.scrub.checkNow()
  const last = clock.now()
  const lastRun = () => service.app.scrub.state.last?.time
  clock.advance(6 * DAY_MS)
  await service.app.scrub.runIfDue()
  await service.restart()
  await service.app.scrub.runIfDue()
  assert.equal(lastRun(), last)
  clock.advance(DAY_MS)
  await service.app.scrub.runIfDue()
  assert.equal(lastRun(), last + 7 * DAY_MS)
  clock.advance(-2 * DAY_MS)
  await service.app.scrub.runIfDue()
  assert.equal(lastRun(), last + 5 * DAY_MS)
  // The session has been idle for days.
  owner = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
})

test('POST /api/storage/scrub starts a pass and does not wait for it', async () => {
  clock.advance(1000)
  const asked = await owner('POST', '/api/storage/scrub')
  assert.equal(asked.status, 202)
  assert.notEqual(asked.body.scrub.running, null)
  await service.app.scrub.checkNow()
  assert.equal((await owner('GET', '/api/storage')).body.storage.scrub.time, clock.now())
})

test('only operators see damage, and tenants see nothing of each other', async () => {
  const add = async (words: readonly string[]) => {
    const { out } = await weir([...words, '--json'])
    return JSON.parse(out).result
  }
  const tenant = await add(['org', 'add', 'Tenant', '--owner-email', 'tenant@example.com'])
  const key = await add(['key', 'add', 'k', '--org', tenant.uid])
  const repair = await putDamaged(key.secret, '/comp/hidden/stream/secret/feed/file/x?time=12345')
  await service.app.scrub.checkNow()
  const session = await signIn(service, 'tenant@example.com', tenant.ownerPassword)
  const calls = [caller(service, session)]
  for (const role of ['MEMBER', 'GUEST']) {
    const email = `${role.toLowerCase()}@example.com`
    const words = ['user', 'add', email, '--role', role, '--org', service.orgUid]
    calls.push(caller(service, await signIn(service, email, (await add(words)).password)))
  }
  calls.push(caller(service, `api_key=${service.feedKey}`))
  const all = ['--capability', '*=GET,PUT,POST,DELETE', '--org', tenant.uid]
  calls.push(caller(service, `api_key=${(await add(['key', 'add', 'all', ...all])).secret}`))
  for (const call of calls) {
    assert.equal((await call('GET', '/api/storage')).status, 403)
    assert.equal((await call('POST', '/api/storage/scrub')).status, 403)
  }
  assert.equal((await caller(service, '')('GET', '/api/storage')).status, 401)
  const seen = await owner('GET', '/api/storage')
  const [damaged] = seen.body.storage.scrub.damaged
  assert.deepEqual(
    { ...damaged, what: '' },
    { part: 'files', stream: null, from: null, until: null, what: '' },
  )
  for (const name of ['hidden', 'secret', tenant.uid, '12345', key.uid])
    assert.ok(!seen.text.includes(name), name)
  const output = (await (await fetch(`${service.url}/readyz`)).text()) + (await weirMetrics())
  for (const name of ['hidden', 'secret', tenant.uid]) assert.ok(!output.includes(name), name)
  repair()
  const own = await putDamaged(service.feedKey, '/comp/c/stream/mine/feed/file/x?time=9')
  await service.app.scrub.checkNow()
  const onlyStorage = ['--capability', 'storage=GET', '--org', service.orgUid]
  const narrow = await add(['key', 'add', 'watch', ...onlyStorage])
  const watched = await caller(service, `api_key=${narrow.secret}`)('GET', '/api/storage')
  assert.equal(watched.body.storage.scrub.damaged[0].stream, null, 'no right to the stream')
  own()
})

const weirMetrics = async () => {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => /^weir_(?:damage|scrub)/.test(line))
    .join('\n')
}

test('damage of a deleted stream is no longer reported', async () => {
  await putDamaged(service.feedKey, '/comp/gone/stream/s/feed/file/x?time=9')
  await service.app.scrub.checkNow()
  assert.equal((await readiness()).body.details?.length, 1)
  const { component } = (await owner('GET', '/api/component')).body
  const { uid } = component.find(({ id }: { id: string }) => id === 'gone')
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  assert.deepEqual((await readiness()).body, { status: 'ready' })
})
