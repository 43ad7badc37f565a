import type { Socket } from 'node:net'

/** What signing in over a socket gives; the socket ends when that fails or the signal comes before. */
export async function signInOver<T>(
  socket: Socket,
  signal: AbortSignal,
  signIn: () => Promise<T>,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const work = signIn()
  work.catch(() => {})
  aborted.catch(() => {})
  try {
    return await Promise.race([work, aborted])
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
