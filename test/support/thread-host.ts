/** A thread that evaluates its module for each use: see reused-threads.ts. */
import { once } from 'node:events'
import { registerHooks, syncBuiltinESMExports } from 'node:module'
import threads, { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { HostStart, ThreadUse } from './reused-threads.ts'

const { url, ends, source } = workerData as HostStart
const control = parentPort as MessagePort
let uses = 0

control.on('message', async (use: ThreadUse) => {
  const { port } = use
  Object.assign(threads, { workerData: use.workerData, parentPort: port })
  syncBuiltinESMExports()
  const closed = once(port, 'close')
  // Before the second use, as hooks make loading slower.
  if (uses === 1) registerHooks({ load: loadOwn })
  await import(uses === 0 ? url : `${url}?${uses}`)
  uses += 1
  const isListening = port.listenerCount('message') > 0
  if (ends === 'closed port' && isListening) await closed
  port.close()
  // A module that does not listen could not begin. What it has opened ends with its thread.
  if (ends === 'closed port' && !isListening) control.close()
  else control.postMessage('ended')
})

const loadOwn: Parameters<typeof registerHooks>[0]['load'] = (asked, context, next) =>
  asked.startsWith(`${url}?`)
    ? { format: 'module', source, shortCircuit: true }
    : next(asked, context)
