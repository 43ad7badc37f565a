import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { type SideThread, startSideThread } from './side-thread.ts'

/** Opens a live connection for each target; resolves when each has received an event. Returns the bytes read. */
export async function startLiveReaders(
  port: number,
  targets: readonly string[],
): Promise<SideThread> {
  return await startSideThread(import.meta.url, { livePort: port, targets })
}

/** Reads one page; resolves when its first bytes are there. */
function openPage(port: number, target: string, onBytes: (count: number) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', reject)
    socket.on('data', (bytes) => {
      onBytes(bytes.length)
      if (bytes.toString('latin1', 0, 12) !== 'HTTP/1.1 200') return
      resolve(socket)
    })
    socket.once('close', () => reject(new Error('a live connection was closed')))
    socket.write(`GET ${target} HTTP/1.1\r\nHost: bench\r\n\r\n`)
  })
}

const { livePort, targets = [] } = (workerData ?? {}) as { livePort?: number; targets?: string[] }
if (livePort !== undefined && parentPort !== null) {
  const port = parentPort
  let read = 0
  const sockets: Socket[] = []
  const onBytes = (count: number) => {
    read += count
  }
  for (const target of targets) sockets.push(await openPage(livePort, target, onBytes))
  port.once('message', () => {
    for (const socket of sockets) socket.destroy()
    port.postMessage(read)
  })
  port.postMessage(0)
}
