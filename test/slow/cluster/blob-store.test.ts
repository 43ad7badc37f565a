import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { blobTables } from '../../../src/store/cassandra/blobs/blob-tables.ts'
import { openClusterBlobs } from '../../../src/store/cassandra/index.ts'
import { BlobDamaged } from '../../../src/store/index.ts'
import { blobStoreContract, patternOf } from '../../contract/blob-store-contract.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'

const skip = cassandraSkip()
const PART_BYTES = 256 * 1024
let keyspace: TestKeyspace

async function* source(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body
}

/** Rows of bodies and partitions of parts, beyond those that were there before. */
async function countRows(): Promise<number> {
  const { cluster } = keyspace
  const rows = await cluster.run('SELECT key FROM blob')
  const parts = await cluster.run('SELECT DISTINCT key, section FROM blob_part')
  return rows.length + parts.length
}

/** A pass of a scrub that never has to wait. */
function pass() {
  let bytes = 0
  return {
    mayGoOn: async () => true,
    onChecked: (_: number, more: number) => {
      bytes += more
    },
    get bytes() {
      return bytes
    },
  }
}

function damageCases(): void {
  const body = patternOf(3 * PART_BYTES)
  const open = () => openClusterBlobs(keyspace.cluster)

  test('a part that does not check is not handed out, and what is before it is', async () => {
    const store = await open()
    const blob = await store.put(source(body), { bytesMax: body.length })
    const whole = pass()
    assert.deepEqual(await store.check(blob, whole), { outcome: 'whole' })
    assert.equal(whole.bytes, body.length)
    const damage = 'UPDATE blob_part SET data = ? WHERE key = ? AND section = 0 AND part = 1'
    const rotten = Buffer.from(body.subarray(PART_BYTES, 2 * PART_BYTES))
    rotten[7] ^= 1
    await keyspace.cluster.run(damage, [rotten, blob.key])
    const range = { start: PART_BYTES - 3, end: body.length }
    const reading = await store.read(blob, range)
    assert.ok(reading !== undefined)
    const got: Buffer[] = []
    await assert.rejects(async () => {
      for await (const some of reading) got.push(some)
    }, BlobDamaged)
    assert.deepEqual(Buffer.concat(got), body.subarray(PART_BYTES - 3, PART_BYTES))
    await assert.rejects(store.read(blob, { start: PART_BYTES, end: body.length }), BlobDamaged)
    const found = await store.check(blob, pass())
    assert.deepEqual(found, { outcome: 'damaged', what: 'part 1 does not check' })
  })

  test('a missing part is reported, and so is a missing body', async () => {
    const store = await open()
    const blob = await store.put(source(body), { bytesMax: body.length })
    await keyspace.cluster.run('DELETE FROM blob_part WHERE key = ? AND section = 0 AND part = 2', [
      blob.key,
    ])
    const found = await store.check(blob, pass())
    assert.deepEqual(found, { outcome: 'damaged', what: 'part 2 is missing' })
    await store.delete(blob.key)
    assert.deepEqual(await store.check(blob, pass()), { outcome: 'missing' })
  })

  test('parts of a deleted body go with a sweep an hour later, and those of a dead upload', async () => {
    const store = await open()
    await store.sweep(() => true, Date.now() + 2 * 3_600_000)
    const before = await countRows()
    const blob = await store.put(source(body), { bytesMax: body.length })
    await store.delete(blob.key)
    // What a process leaves that is killed while a body comes in.
    const dead = 'ab'.repeat(16)
    const { cluster } = keyspace
    const touchedAt = BigInt(Date.now())
    const cql = `INSERT INTO blob (key, state, touched_at) VALUES (?, 'incoming', ?) IF NOT EXISTS`
    await cluster.cas(cql, [dead, touchedAt])
    const part = 'INSERT INTO blob_part (key, section, part, data, crc) VALUES (?, 0, 0, ?, 0)'
    await cluster.run(part, [dead, body.subarray(0, 10)])
    await store.sweep(() => true, Date.now())
    assert.equal(await countRows(), before + 4)
    assert.equal(await store.sweep(() => true, Date.now() + 2 * 3_600_000), 1)
    assert.equal(await countRows(), before)
  })

  test('an upload that another process has swept meanwhile is not acknowledged', async () => {
    const [one, other] = [await open(), await open()]
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield body.subarray(0, 10)
      assert.equal(await other.sweep(() => true, Date.now() + 2 * 3_600_000), 1)
      yield body.subarray(0, 10)
    }
    await assert.rejects(one.put(slow(), { bytesMax: 100 }), /was swept/)
  })
}

if (skip !== false) test('file bodies on Cassandra', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('blobs', blobTables)
  })
  after(() => keyspace?.dispose())
  blobStoreContract('cassandra', async () => {
    for (const { key, section } of await keyspace.cluster.run(
      'SELECT DISTINCT key, section FROM blob_part',
    )) {
      const cql = 'DELETE FROM blob_part WHERE key = ? AND section = ?'
      await keyspace.cluster.run(cql, [key, section])
    }
    for (const { key } of await keyspace.cluster.run('SELECT key FROM blob')) {
      await keyspace.cluster.cas('DELETE FROM blob WHERE key = ? IF EXISTS', [key])
    }
    return {
      store: await openClusterBlobs(keyspace.cluster),
      reopen: () => openClusterBlobs(keyspace.cluster),
      countKept: countRows,
      dispose: async () => {},
    }
  })
  damageCases()
}
