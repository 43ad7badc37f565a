import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandSocketAddress } from '../base/index.ts'
import { sendCommand } from './send-command.ts'

test('sendCommand() has a connection for each command, which no silence before it can have ended', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-send-command-'))
  const address = commandSocketAddress(folder)
  const server = createServer((_request, answer) => void answer.end('{"success":true,"result":1}'))
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await once(server.listen(address.path), 'listening')
  t.after(() => {
    server.close()
    address.release()
    rmSync(folder, { recursive: true })
  })
  for (let round = 1; round <= 3; round++) {
    const answer = await sendCommand(folder, { name: 'backup going', options: {} })
    assert.deepEqual(answer, { success: true, result: 1 })
    assert.equal(connections, round)
  }
})
