import type { IncomingMessage } from 'node:http'
import { refusal, refuse } from '../base/index.ts'
import { inflatedChunks } from './body.ts'

const NOTHING = Buffer.alloc(0)

/** Whether a request brings a body at all; small devices say neither length nor encoding. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined
}

/**
 * Reads whole bodies of puts. One body is bounded by the limit, all that are held at the same time
 * by three times as much: beyond that a call is asked to come again.
 */
export class FeedBodyReader {
  readonly #limitBytes: number
  readonly #heldBytesMax: number
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
    this.#heldBytesMax = limitBytes * 3
  }

  /** Refuses a body of so many bytes when the limit is lower. */
  requireFits(bytes: number): void {
    if (bytes > this.#limitBytes) refuse('body_too_large', { limitBytes: this.#limitBytes })
  }

  /** Reads a body, hands it to `use`, and counts it as held until that is done. */
  async read<T>(req: IncomingMessage, use: (body: Buffer) => Promise<T>): Promise<T> {
    if (!hasBody(req)) return use(NOTHING)
    this.requireFits(Number(req.headers['content-length'] ?? 0))
    const contentEncoding = req.headers['content-encoding']
    let heldBytes = 0
    const hold = (bytes: number) => {
      heldBytes += bytes
      this.#heldBytes += bytes
      if (heldBytes > this.#limitBytes) {
        return refusal('body_too_large', { limitBytes: this.#limitBytes })
      }
      if (this.#heldBytes > this.#heldBytesMax)
        return refusal('overloaded', { retryAfterSeconds: 5 })
      return undefined
    }
    try {
      const body =
        contentEncoding === undefined
          ? await collectPlain(req, hold)
          : await collectInflated(req, hold)
      return await use(body)
    } finally {
      this.#heldBytes -= heldBytes
    }
  }
}

async function collectInflated(
  req: IncomingMessage,
  hold: (bytes: number) => Error | undefined,
): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of inflatedChunks(req, req.headers['content-encoding'])) {
    const refused = hold(part.length)
    if (refused !== undefined) throw refused
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Events instead of an iterator: a body of one piece, as nearly all are, costs one promise. */
function collectPlain(
  req: IncomingMessage,
  hold: (bytes: number) => Error | undefined,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    const stop = (error: Error) => {
      req.removeAllListeners('data')
      req.pause()
      reject(error)
    }
    req.on('data', (part: Buffer) => {
      const refused = hold(part.length)
      if (refused === undefined) parts.push(part)
      else stop(refused)
    })
    req.on('end', () => resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts)))
    const breakOff = () => {
      if (req.complete) return
      const what = 'The connection ended before the body did: send it again'
      reject(refusal('bad_input', { what }))
    }
    req.on('error', breakOff)
    req.on('close', breakOff)
  })
}
