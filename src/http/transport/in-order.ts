import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { StrangerBudget } from './front/body-memory.ts'
import type { Handler } from './listener.ts'

/** How many requests of a connection may wait: clients send some ahead, not hundreds. */
const WAITING_MAX = 500

/** What Node's objects of a request and its answer take, whatever they hold. */
const REQUEST_BYTES = 4 * 1024

/** The requests of a connection that wait for the answers before theirs to be read. */
interface Line {
  count: number
  bytes: number
  isOpen: boolean
}

/**
 * Serves the requests of a connection one after another, also when they were sent ahead (RFC 9112,
 * 9.3.2): a read behind a put finds what the put stored. An answer has its socket when those before it
 * have left. Those that wait are in the budget of callers who have not said who they are, as nobody
 * has asked them yet; a connection with more than there is room for is closed.
 */
export function inOrder(handle: Handler, budget: StrangerBudget | undefined): Handler {
  const lines = new WeakMap<Socket, Line>()
  const lineOf = (socket: Socket): Line => {
    const known = lines.get(socket)
    if (known !== undefined) return known
    const line: Line = { count: 0, bytes: 0, isOpen: true }
    lines.set(socket, line)
    socket.once('close', () => {
      line.isOpen = false
      budget?.endStranger(line.bytes)
    })
    return line
  }
  const add = (line: Line, bytes: number): boolean => {
    if (line.count === WAITING_MAX || budget?.addStranger(bytes) === false) return false
    line.count += 1
    line.bytes += bytes
    return true
  }
  return (req, res) => {
    if (res.socket !== null) return handle(req, res)
    const { socket } = req
    // What else was read together with the request that had no room.
    if (socket.destroyed) return
    const line = lineOf(socket)
    const bytes = bytesOf(req)
    if (!add(line, bytes)) {
      socket.destroy()
      return
    }
    res.once('socket', () => {
      if (!line.isOpen) return
      line.count -= 1
      line.bytes -= bytes
      budget?.endStranger(bytes)
      handle(req, res)
    })
  }
}

function bytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length
  for (const text of rawHeaders) bytes += text.length
  return bytes
}
