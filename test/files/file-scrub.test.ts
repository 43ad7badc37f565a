import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { FileScrub, writeFileRecord } from '../../src/files/index.ts'
import { openBlobStore } from '../../src/store/embedded/index.ts'
import type { BlobInfo, ScrubFinding, StreamHandle } from '../../src/store/index.ts'
import { PlainSampleStore } from '../support/plain-sample-store.ts'

const [FIRST, SECOND] = [1 as StreamHandle, 2 as StreamHandle]

async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'weir-file-scrub-'))
  const blobs = await openBlobStore({ folder })
  const store = new PlainSampleStore()
  const put = async (handle: StreamHandle, time: number, body = 'body'): Promise<BlobInfo> => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(body)
    }
    const info = await blobs.put(source(), { bytesMax: 100 })
    const texts = [writeFileRecord({ ...info, name: 'n', type: 'a/b' })]
    const columns = { times: Float64Array.of(time), numbers: new Float64Array(1), texts }
    await store.append({ count: 1, handles: Uint32Array.of(handle), removals: [], ...columns })
    return info
  }
  const pathOf = ({ key }: BlobInfo) => join(folder, key.slice(0, 2), key)
  return { folder, blobs, store, put, pathOf }
}

async function scrubbed(scrub: FileScrub, stepsMax = Number.POSITIVE_INFINITY) {
  const findings: ScrubFinding[] = []
  const asked = { count: 0 }
  await scrub.scrub({
    mayGoOn: async () => {
      asked.count += 1
      return asked.count <= stepsMax
    },
    onChecked: () => {},
    onDamage: (finding) => findings.push(finding),
  })
  return { findings, askedCount: asked.count }
}

test('scrub() names stream and time of each body that is damaged or missing', async () => {
  const { folder, blobs, store, put, pathOf } = await setUp()
  try {
    await put(FIRST, 10)
    const damaged = pathOf(await put(FIRST, 20))
    const bytes = readFileSync(damaged)
    bytes[1] ^= 4
    writeFileSync(damaged, bytes)
    unlinkSync(pathOf(await put(SECOND, 30)))
    const scrub = new FileScrub({ blobs, store, fileStreams: () => [FIRST, SECOND] })
    const { findings } = await scrubbed(scrub)
    assert.deepEqual(
      findings.map(({ part, handle, from, until }) => [part, handle, from, until]),
      [
        ['files', FIRST, 20, 21],
        ['files', SECOND, 30, 31],
      ],
    )
    assert.match(findings[0].what, /block 1 of 1 does not check/)
    assert.match(findings[1].what, /it is missing/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('scrub() asks before each file whether to go on, and stops when told', async () => {
  const { folder, blobs, store, put } = await setUp()
  try {
    for (let time = 1; time <= 50; time += 1) await put(FIRST, time, '')
    const scrub = new FileScrub({ blobs, store, fileStreams: () => [FIRST, SECOND] })
    assert.equal((await scrubbed(scrub, 7)).askedCount, 8)
    assert.ok((await scrubbed(scrub)).askedCount >= 50)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('scrub() takes a body that goes with its sample meanwhile for no damage', async () => {
  const { folder, blobs, store, put } = await setUp()
  try {
    const doomed = await put(FIRST, 10)
    const removing = {
      check: async (...args: Parameters<typeof blobs.check>) => {
        await store.forget([FIRST])
        await blobs.delete(doomed.key)
        return blobs.check(...args)
      },
    }
    const scrub = new FileScrub({ blobs: removing, store, fileStreams: () => [FIRST] })
    assert.deepEqual((await scrubbed(scrub)).findings, [])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('scrub() reports a stream that cannot be listed and goes on with the others', async () => {
  const { folder, blobs, store, put, pathOf } = await setUp()
  try {
    unlinkSync(pathOf(await put(SECOND, 30)))
    const moody = {
      range: (...args: Parameters<typeof store.range>) =>
        args[0] === FIRST ? Promise.reject(new Error('a chunk is damaged')) : store.range(...args),
    }
    const scrub = new FileScrub({ blobs, store: moody, fileStreams: () => [FIRST, SECOND] })
    const { findings } = await scrubbed(scrub)
    assert.deepEqual(
      findings.map(({ handle }) => handle),
      [FIRST, SECOND],
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
