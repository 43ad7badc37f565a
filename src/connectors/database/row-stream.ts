import type { Readable } from 'node:stream'

/** Returns the next objects of a stream, at most `countMax`, as soon as there is one; an empty list at its end. */
export async function takeRows<T>(stream: Readable, countMax: number): Promise<readonly T[]> {
  const taken: T[] = []
  for (;;) {
    while (taken.length < countMax) {
      const one = stream.read() as T | null
      if (one === null) break
      taken.push(one)
    }
    if (taken.length > 0 || stream.readableEnded || stream.destroyed) break
    await movement(stream)
  }
  if (stream.errored !== null) throw stream.errored
  return taken
}

/** Resolves when there is something to read, or nothing more will come. */
async function movement(stream: Readable): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const events = ['readable', 'end', 'close', 'error'] as const
  for (const event of events) stream.once(event, resolve)
  try {
    await promise
  } finally {
    for (const event of events) stream.off(event, resolve)
  }
}
