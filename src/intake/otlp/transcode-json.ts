import { freeBytes, type MemoryShare, nextIteration } from '../../base/index.ts'
import { JsonToProtobuf, roomFor } from './json-to-protobuf.ts'

/** Bytes that are read, or copied, before other calls continue: a few milliseconds. */
const READ_BYTES = 32 * 1024
const COPIED_BYTES = 1024 * 1024

/** Rewrites a body of OTLP JSON as protobuf, in memory that the share grows by. */
export async function transcodeJson(bytes: Buffer, share: MemoryShare): Promise<Buffer> {
  // Protobuf has about half the bytes of JSON.
  const first = (bytes.length >> 1) + roomFor(Math.min(READ_BYTES, bytes.length))
  await share.resize(share.bytes + first)
  const json = new JsonToProtobuf(bytes, Buffer.allocUnsafeSlow(first))
  do {
    const needed = json.length + roomFor(Math.min(READ_BYTES, json.bytesLeft))
    if (json.out.length < needed) await grow(json, needed, share)
    json.read(READ_BYTES)
    if (json.bytesLeft > 0) await nextIteration()
  } while (json.bytesLeft > 0)
  return json.out.subarray(0, json.length)
}

async function grow(json: JsonToProtobuf, needed: number, share: MemoryShare): Promise<void> {
  const before = json.out
  const capacityBefore = before.length
  const capacity = Math.max(needed, 2 * capacityBefore)
  await share.resize(share.bytes + capacity)
  const grown = Buffer.allocUnsafeSlow(capacity)
  for (let at = 0; at < json.length; ) {
    if (at > 0) await nextIteration()
    at += before.copy(grown, at, at, Math.min(at + COPIED_BYTES, json.length))
  }
  json.out = grown
  freeBytes(before)
  await share.resize(share.bytes - capacityBefore)
}
