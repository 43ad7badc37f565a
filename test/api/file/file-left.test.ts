/** Downloads that nobody waits for: a client that disconnects leaves no open file. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { openSocket, putFile } from '../../support/file-client.ts'
import { openFiles } from '../../support/open-files.ts'
import { serviceOfFile } from '../../support/service-of-file.ts'
import { eventually } from '../../support/settle.ts'

const BODY = Buffer.alloc(2_000_000, 'x')
const PATH = '/comp/c/stream/f/feed/file/f.bin'
const service = serviceOfFile()

before(async () => {
  await putFile(service, PATH, BODY)
})

/** Bodies that this process, which is the service, has open. */
function openBodies(): string[] {
  return openFiles().filter((path) => path.startsWith(`${service.dataDir}/files/`))
}

/** Asks for a file and goes away some turns later. */
async function askAndLeave(query: string, headers: string, iterations: number): Promise<void> {
  const socket = await openSocket(service.port)
  socket.on('error', () => {})
  socket.write(
    `GET /api${PATH}?api_key=${service.feedKey}${query} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`,
  )
  for (let left = iterations; left > 0; left -= 1) await iteration()
  socket.destroy()
}

for (const [name, query, headers] of [
  ['whole', '', ''],
  ['a range', '', 'Range: bytes=5-1999999\r\n'],
  ['base64', '&start=0', ''],
] as const) {
  test(`a download (${name}) that is left at any time leaves no file open`, async () => {
    for (let iterations = 0; iterations < 40; iterations += 1)
      await askAndLeave(query, headers, iterations)
    await eventually(async () => assert.deepEqual(openBodies(), []))
  })
}
