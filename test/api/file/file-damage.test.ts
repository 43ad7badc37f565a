import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { callApi, putFile } from '../../support/file-client.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'

const MB = 1_048_576
const BODY = Uint8Array.from(
  { length: 2 * MB + 9 },
  (_, index) => (index * 7 + (index >> 9)) & 0xff,
)
const service = serviceOfFile()

/** Puts a file and flips a bit of its stored body; gives the path to get it. */
async function putDamaged(stream: string, at: number): Promise<string> {
  const before = new Set(bodies())
  const path = `/comp/c/stream/${stream}/feed/file/x`
  await putFile(service, path, BODY)
  const [stored] = bodies().filter((name) => !before.has(name))
  const bytes = readFileSync(stored)
  bytes[at] ^= 16
  writeFileSync(stored, bytes)
  return path
}

function bodies(): string[] {
  const folder = join(service.dataDir, 'files')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[0-9a-f]{2}.[0-9a-f]{32}$/.test(name))
    .map((name) => join(folder, name))
}

async function refused(answer: Response): Promise<void> {
  assert.equal(answer.status, 500)
  for (const name of ['etag', 'content-range', 'content-disposition'])
    assert.equal(answer.headers.get(name), null, name)
  const body = (await answer.json()) as { code: string; message: string }
  assert.equal(body.code, 'internal')
  const incident = /Incident ([0-9a-f-]{36}) is/.exec(body.message)?.[1] ?? 'none'
  assert.ok(service.logLines.some((line) => line.includes(incident) && /block \d/.test(line)))
}

const get = (path: string, range?: string): Promise<Response> =>
  callApi(service, path, { headers: range === undefined ? {} : { range } })

test('a flipped bit in the first block wanted is a 500 with an incident, ranges and base64 too', async () => {
  const path = await putDamaged('first', 5)
  await refused(await get(path))
  await refused(await get(path, 'bytes=100000-100009'))
  await refused(await get(`${path}?start=999999&limit=10`))
  assert.equal((await get(path, `bytes=${MB}-${MB + 5}`)).status, 206)
  const chunk = await (await get(`${path}?start=${MB}&limit=9`)).text()
  assert.deepEqual(Buffer.from(chunk, 'base64'), Buffer.from(BODY.subarray(MB, MB + 9)))
  assert.equal((await callApi(service, path, { method: 'HEAD' })).status, 200)
})

test('a flipped bit in a later block ends the answer before a byte of that block', async () => {
  const path = await putDamaged('later', 2 * MB + 3)
  const check = async (answer: Response, expected: Uint8Array) => {
    assert.ok(answer.ok)
    const got: Uint8Array[] = []
    await assert.rejects(async () => {
      for await (const piece of answer.body ?? []) got.push(piece)
    })
    const bytes = Buffer.concat(got)
    assert.ok(bytes.length <= expected.length, 'nothing of the damaged block')
    assert.ok(bytes.equals(expected.subarray(0, bytes.length)))
  }
  await check(await get(path), BODY.subarray(0, 2 * MB))
  await check(await get(path, `bytes=${MB - 1}-`), BODY.subarray(MB - 1, 2 * MB))
  const text = Buffer.from(Buffer.from(BODY.subarray(MB, 2 * MB)).toString('base64'))
  await check(await get(`${path}?start=${MB}`), text)
  assert.ok(service.logLines.some((line) => line.includes('block 3 of 3 does not check')))
  assert.equal((await get(path, 'bytes=0-9')).status, 206, 'the service goes on')
})

test('a flipped bit in the checksums themselves does not keep a file from its readers', async () => {
  const path = await putDamaged('sums', BODY.length + 2)
  assert.deepEqual(new Uint8Array(await (await get(path)).arrayBuffer()), BODY)
})

test('a missing body is reported as lost', async () => {
  const before = new Set(bodies())
  const path = '/comp/c/stream/gone/feed/file/x'
  await putFile(service, path, BODY)
  for (const name of bodies().filter((one) => !before.has(one))) rmSync(name)
  assert.equal((await get(path)).status, 404)
})
