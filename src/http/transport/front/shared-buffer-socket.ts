import { type Server, Socket, type SocketConstructorOpts } from 'node:net'

/** Where the bytes of a connection go. */
interface ByteReader {
  /** The memory that the next bytes are read into. */
  nextBuffer(): Buffer
  /** Takes bytes that lie there; false stops the reading. */
  take(bytes: Buffer): boolean
}

/** What a socket of Node's has besides its documented part. */
interface SocketParts {
  _handle: { readonly useUserBuffer?: unknown } | null
  _server: Server | null
}

/**
 * A socket for an accepted connection that reads into memory of our choice. Node allocates 64 KB for
 * every read, and collects garbage by that amount; the way out (`onread`) it offers only for
 * connections that a program opens itself. So the connection's handle moves to such a socket. Where
 * Node's insides are not as expected, the accepted socket is answered as it is.
 */
export function readingInto(accepted: Socket, reader: ByteReader): Socket {
  const parts = accepted as unknown as SocketParts
  const handle = parts._handle
  const server = parts._server
  if (typeof handle?.useUserBuffer !== 'function' || server === null) return accepted
  parts._handle = null
  parts._server = null
  const options = {
    handle,
    allowHalfOpen: accepted.allowHalfOpen,
    readable: true,
    writable: true,
    onread: {
      buffer: () => reader.nextBuffer(),
      callback: (count: number, buffer: Uint8Array) =>
        reader.take(Buffer.from(buffer.buffer, buffer.byteOffset, count)),
    },
  }
  const socket = new Socket(options as unknown as SocketConstructorOpts)
  // The server counts its connections by this.
  ;(socket as unknown as SocketParts)._server = server
  return socket
}
