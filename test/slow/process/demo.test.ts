/** `weir demo` beside other programs. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { test } from 'node:test'
import { childEnv } from '../../support/child-env.ts'
import { COMMAND_FILE } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Starts the demonstration, which keeps its data below the current folder. */
function startDemo(folder: string) {
  const child = spawn(process.execPath, [COMMAND_FILE, 'demo'], { cwd: folder, env: childEnv })
  let output = ''
  const { promise: planting, resolve: plants } = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      output += part
      if (output.includes('Planting')) plants()
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, planting, ended, output: () => output }
}

/** Takes the port that the demonstration wants first, unless another program has it already. */
async function takePort(port: number): Promise<Server> {
  const server = createServer()
  const { promise, resolve: done, reject } = Promise.withResolvers<void>()
  server.once('listening', done).once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') done()
    else reject(error)
  })
  server.listen(port, '127.0.0.1')
  await promise
  return server
}

test('the demonstration takes the next free port, and a second one says that it runs already', async (t) => {
  const folder = temporaryFolder()
  const server = await takePort(8080)
  t.after(() => server.close())
  const first = startDemo(folder)
  t.after(async () => {
    first.child.kill('SIGKILL')
    await first.ended
  })
  const early = first.ended.then(() => assert.fail(`The demonstration ended: ${first.output()}`))
  await Promise.race([first.planting, early])
  assert.match(first.output(), /^Port 8080 is in use\. Trying 8081\.$/m)
  const second = startDemo(folder)
  assert.equal(await second.ended, 75, second.output())
  assert.match(second.output(), /^A demonstration already runs on .*data\/demo\. Use that one/m)
  assert.doesNotMatch(second.output(), /\n\s+at /)
})
