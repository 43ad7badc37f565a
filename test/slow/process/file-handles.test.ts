/** Uploads and downloads of a process that may have few files open at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ChildService, startChildService } from '../../support/child-service.ts'

const FEED_KEY = '11111111-2222-3333-4444-555555555555'
const settings = { WEIR_FEED_KEY: FEED_KEY, WEIR_OWNER_PASSWORD: 'correct horse battery' }
/** The least that a service starts with: 24 connections, 8 bodies. */
const OPEN_FILES_MAX = 128
/** From one address come three quarters of the connections at most. */
const CALLS = 18
const BODY = Buffer.alloc(2_000_000, 'x')

interface Upload {
  /** Sends the second half and reports the status. */
  finish(): Promise<number | undefined>
}

const pathOf = (name: string) =>
  `/api/comp/c/stream/f/feed/file/${name}?time=${name}&api_key=${FEED_KEY}`

function beginUpload(service: ChildService, agent: Agent, name: string): Upload {
  const headers = { 'Content-Length': BODY.length }
  const options = { method: 'PUT', agent, headers }
  const call = request(`${service.url}${pathOf(name)}`, options)
  const answered = new Promise<number | undefined>((resolve, reject) => {
    call.on('error', reject)
    call.on('response', (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
  })
  const half = BODY.length / 2
  call.write(BODY.subarray(0, half))
  return {
    finish: () => {
      call.end(BODY.subarray(half))
      return answered
    },
  }
}

async function download(service: ChildService, agent: Agent, name: string): Promise<string> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${service.url}${pathOf(name)}`, { agent }, resolve)
      .on('error', reject)
      .end()
  })
  const parts = (await answer.toArray()) as Buffer[]
  return `${answer.statusCode} ${Buffer.concat(parts).length}`
}

test('more uploads and downloads than file handles are all served', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-handles-'))
  const service = await startChildService(dataDir, settings, undefined, OPEN_FILES_MAX)
  const agent = new Agent({ keepAlive: true, maxSockets: CALLS })
  t.after(async () => {
    agent.destroy()
    await service.kill()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const names = Array.from({ length: CALLS }, (_, at) => String(at))
  const uploads = names.map((name) => beginUpload(service, agent, name))
  const statuses = await Promise.all(uploads.map((upload) => upload.finish()))
  assert.deepEqual([...new Set(statuses)], [200])
  const answers = await Promise.all(names.map((name) => download(service, agent, name)))
  assert.deepEqual([...new Set(answers)], [`200 ${BODY.length}`])
  assert.equal(await service.stop(), 0)
})
