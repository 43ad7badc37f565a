import type { HttpReply } from '../transport/http-reply.ts'

/** How often a client that has closed its side is tried. */
const TRY_EVERY_MS = 500

/**
 * Calls `leave` once, when nobody is left to read an answer, or it has left. A client that has closed its
 * side may still wait for it; only a write finds out, so a 102 is sent.
 */
export function onceLeft({ request: req, response: res }: HttpReply, leave: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const notify = (): void => {
    if (!res.headersSent && !res.destroyed) res.writeProcessing()
  }
  const begin = (): void => {
    // Older clients know no answer before the answer.
    if (req.httpVersion === '1.0' || timer !== undefined) return
    notify()
    timer = setInterval(notify, TRY_EVERY_MS).unref()
  }
  const { socket } = req
  if (socket.readableEnded) begin()
  else socket.once('end', begin)
  res.once('close', () => {
    clearInterval(timer)
    socket.off('end', begin)
    leave()
  })
}
