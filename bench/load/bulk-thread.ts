/** A thread that puts bulk calls at a service until it is asked to stop; its figure is their samples a second. */
import { parentPort, workerData } from 'node:worker_threads'
import { weirCalls } from '../peers/weir.ts'
import { drive } from './drive.ts'
import { putLayouts } from './put-layouts.ts'

const SLICE_SECONDS = 1
const { port } = workerData as { readonly port: number }
const [layout] = putLayouts
const next = layout.puts(weirCalls.putForm)

let isStopped = false
parentPort?.on('message', () => {
  isStopped = true
})
parentPort?.postMessage(0)
let [calls, seconds] = [0, 0]
while (!isStopped) {
  const load = { connections: layout.connections, secondsMax: SLICE_SECONDS, callsMax: 1e9, next }
  const outcome = await drive({ port }, load)
  calls += outcome.calls
  seconds += outcome.seconds
}
parentPort?.postMessage((calls * layout.samplesPerCall) / seconds)
