import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type KilledService,
  startChildService,
  startLastService,
} from '../../support/child-service.ts'
import { roundsBy } from '../../support/random.ts'

const FEED_KEY = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee'
const SETTINGS = { WEIR_FEED_KEY: FEED_KEY, WEIR_RATE_LIMITS: 'off' }
const FILE_BYTES = 12_000_000
const CHUNK_BYTES = 64 * 1024
const ROUNDS = roundsBy({ everyRun: 4, nightly: 100 })

const contentOf = (round: number): Buffer => Buffer.alloc(FILE_BYTES, `round ${round} `)

/** When the service is killed: after some bytes of the body, or just as its file gets its name. */
type Moment = number | 'named'

/** Uploads a file while the service is killed; reports whether the upload was answered with 200. */
async function uploadAndKill(
  service: KilledService,
  round: number,
  { dataDir, moment }: { dataDir: string; moment: Moment },
): Promise<boolean> {
  const path = `/api/comp/c/stream/f/feed/file/${round}?time=${round}&api_key=${FEED_KEY}`
  const headers = { 'content-type': 'text/plain', 'content-length': FILE_BYTES }
  const put = request(`${service.url}${path}`, { method: 'PUT', headers })
  let isAnswered = false
  const answer = new Promise<number>((resolve) => {
    put.on('response', (response) => resolve(response.statusCode ?? 0))
    put.on('error', () => resolve(0))
  }).finally(() => {
    isAnswered = true
  })
  const content = contentOf(round)
  const untilBytes = moment === 'named' ? FILE_BYTES : moment
  for (let sent = 0; sent < untilBytes; sent += CHUNK_BYTES)
    if (!put.write(content.subarray(sent, sent + CHUNK_BYTES)) && !isAnswered)
      await Promise.race([once(put, 'drain'), answer])
  if (moment === 'named') {
    put.end()
    const bodies = countNamed(dataDir)
    while (countNamed(dataDir) === bodies && !isAnswered)
      await new Promise((resolve) => setImmediate(resolve))
  }
  await service.kill()
  return (await answer) === 200
}

/** How many bodies have got their final name. */
function countNamed(dataDir: string): number {
  const all = readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile() && !entry.parentPath.endsWith('incoming')).length
}

/** Every file that the service lists must be whole; reports their times. */
async function checkFiles(url: string): Promise<number[]> {
  const listed = await fetch(`${url}/api/comp/c/stream/f/feed?api_key=${FEED_KEY}`)
  if (listed.status === 404) return []
  const samples = (await listed.json()) as { time: number; data: string }[]
  for (const { time, data } of samples) {
    const answer = await fetch(`${url}${data}?api_key=${FEED_KEY}`)
    assert.equal(answer.status, 200, `file of round ${time}`)
    const body = Buffer.from(await answer.arrayBuffer())
    const sha256 = createHash('sha256').update(body).digest('hex')
    assert.equal(answer.headers.get('etag'), `"${sha256}"`)
    assert.ok(body.equals(contentOf(time)), `file of round ${time} is whole`)
  }
  return samples.map(({ time }) => time)
}

test('kill -9 during uploads leaves neither half a file nor a sample without one', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-kill-'))
  const stored: number[] = []
  let service: KilledService = await startChildService(dataDir, SETTINGS)
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Every other kill falls between the body's name and its sample, or soon after.
      const moment = round % 2 === 0 ? 'named' : randomInt(1, FILE_BYTES)
      t.diagnostic(`round ${round}: killed at ${moment}`)
      const isStored = await uploadAndKill(service, round, { dataDir, moment })
      if (isStored) stored.push(round)
      const start = round === ROUNDS ? startLastService : startChildService
      service = await start(dataDir, SETTINGS)
      assert.deepEqual(readdirSync(join(dataDir, 'files', 'incoming')), [], 'no half file')
      const times = await checkFiles(service.url)
      for (const time of stored)
        assert.ok(times.includes(time), `the file of round ${time} was answered`)
    }
  } finally {
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
