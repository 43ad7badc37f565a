import type { Readable, Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  type Zlib,
} from 'node:zlib'
import {
  INFLATED_FREE_BYTES,
  INFLATED_RATIO_MAX,
  isDeepJson,
  JSON_DEPTH_MAX,
  nextIteration,
  refusal,
  refuse,
} from '../../base/index.ts'

/** Pieces of this length have memory of their own, which who has copied them can give back. */
const options = { chunkSize: 64 * 1024 }

/** Memory that zstd may ask for: what RFC 8878 has every decoder take, and all usual levels need. */
const ZSTD_WINDOW_LOG_MAX = 23
const zstdOptions = {
  ...options,
  params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX },
}

/** The most that the decoder of an encoding keeps of what it has inflated. */
export function windowBytesOf(contentEncoding: string | undefined): number {
  switch (nameOf(contentEncoding)) {
    case 'zstd':
      return 2 ** ZSTD_WINDOW_LOG_MAX
    case 'br':
      return 2 ** 24
    default:
      return 32 * 1024
  }
}

function nameOf(contentEncoding: string | undefined): string {
  return contentEncoding?.trim().toLowerCase() ?? ''
}

/** What inflates a body; it counts the bytes that were sent. */
type Decoder = Transform & Pick<Zlib, 'bytesWritten'>

const decoders: ReadonlyMap<string, () => Decoder> = new Map<string, () => Decoder>([
  ['br', () => createBrotliDecompress(options)],
  ['deflate', () => createInflate(options)],
  ['gzip', () => createGunzip(options)],
  ['x-gzip', () => createGunzip(options)],
  ['zstd', () => createZstdDecompress(zstdOptions)],
])

/** Whether a body has to be inflated; refuses an encoding that is not known. */
export function requireEncoding(contentEncoding: string | undefined): boolean {
  return decoderOf(nameOf(contentEncoding)) !== undefined
}

/**
 * An encoding as far as bodies are inflated from it; undefined for any other text. Refuses several such, as a body
 * is inflated once.
 */
export function knownEncoding(contentEncoding: string | undefined): string | undefined {
  if (contentEncoding === undefined) return undefined
  const known = contentEncoding
    .split(',')
    .map(nameOf)
    .filter((name) => decoders.has(name))
  if (known.length <= 1) return known[0]
  refuse('bad_input', {
    what: `Cannot read Content-Encoding "${contentEncoding.slice(0, 60)}". Only one encoding is allowed`,
  })
}

function decoderOf(name: string): (() => Decoder) | undefined {
  if (name === '' || name === 'identity') return undefined
  const open = decoders.get(name)
  if (open !== undefined) return open
  refuse('unsupported_media_type', {
    what: `Cannot read Content-Encoding "${name}". Use gzip, deflate, br, or zstd`,
  })
}

/**
 * The body as it was before Content-Encoding; undefined where there is nothing to inflate, as in an empty body.
 * Refuses an encoding that is not known.
 */
async function inflated(
  source: Readable,
  contentEncoding: string | undefined,
): Promise<Decoder | undefined> {
  const name = nameOf(contentEncoding)
  const open = decoderOf(name)
  if (open === undefined) return undefined
  const first = await peekPiece(source)
  if (first === null) {
    if (!source.readableEnded) throw new Error('the request ended early')
    return undefined
  }
  const decoder = name === 'deflate' && isRawDeflate(first) ? createInflateRaw(options) : open()
  source.once('error', (error) => decoder.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) decoder.destroy(new Error('the request ended early'))
  })
  return source.pipe(decoder)
}

/**
 * Whether a body called "deflate" has no zlib header: some clients send it so, and others read both.
 * A header begins with the digit 8; bare data would need padding that is not zero to begin like it.
 */
function isRawDeflate(first: Buffer): boolean {
  return (first[0] & 0x0f) !== 8
}

/** What has arrived first of a body, which is still to be read; null where it ends before. */
export async function peekPiece(source: Readable): Promise<Buffer | null> {
  let first: Buffer | null = source.read()
  while (first === null && !source.readableEnded && !source.destroyed) {
    await new Promise<void>((resolve) => {
      const events = ['readable', 'end', 'error', 'close'] as const
      const wake = (): void => {
        for (const event of events) source.off(event, wake)
        resolve()
      }
      for (const event of events) source.on(event, wake)
    })
    first = source.read()
  }
  if (first !== null) source.unshift(first)
  return first
}

/**
 * The body piece by piece, inflated; refuses one that does not inflate or breaks off. A reader that
 * stops early leaves the connection open, so that the caller can still be answered.
 */
export async function* inflatedChunks(
  source: Readable,
  contentEncoding: string | undefined,
): AsyncGenerator<Buffer> {
  let decoder: Decoder | undefined
  let bytes = 0
  let sentBytes = 0
  const onSent = (piece: Buffer): void => {
    sentBytes += piece.length
  }
  try {
    decoder = await inflated(source, contentEncoding)
    if (decoder !== undefined) source.on('data', onSent)
    const stream = decoder ?? source
    const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    for await (const piece of pieces) {
      bytes += piece.length
      if (decoder !== undefined) requireRatio(bytes, decoder.bytesWritten)
      yield piece
    }
    if (decoder !== undefined) requireWholeRead(sentBytes, decoder.bytesWritten, contentEncoding)
  } catch (error) {
    if (isInflateError(error)) throw brokenEncoding(contentEncoding, error)
    if (source.readableAborted) {
      // Thousands of connections may go at once, and nobody waits for the log.
      await nextIteration()
      refuse('bad_input', {
        what: 'The connection closed before the body was complete. Send the request again',
      })
    }
    throw error
  } finally {
    if (decoder !== undefined) {
      source.off('data', onSent)
      source.unpipe()
      decoder.destroy()
    }
  }
}

/**
 * Refuses bytes after the end of compressed data: decoders drop them, and samples in them would be answered as stored.
 * Those of gzip are zeros, with which some programs fill up blocks; gzip itself refuses others.
 */
function requireWholeRead(
  sentBytes: number,
  inflatedFromBytes: number,
  contentEncoding: string | undefined,
): void {
  if (sentBytes <= inflatedFromBytes || nameOf(contentEncoding).endsWith('gzip')) return
  refuse('bad_input', {
    what: `Cannot decompress the ${contentEncoding} body: its compressed data ends at byte ${inflatedFromBytes}, and other bytes follow. Compress the whole body at once`,
  })
}

/** Refuses a body that a few bytes were made to grow to; text and measured values stay far below. */
function requireRatio(inflatedBytes: number, sentBytes: number): void {
  if (inflatedBytes <= INFLATED_FREE_BYTES) return
  if (inflatedBytes <= sentBytes * INFLATED_RATIO_MAX) return
  refuse('bad_input', {
    what: `The body is more than ${INFLATED_RATIO_MAX} times larger after decompression. Send it uncompressed`,
  })
}

/** Reads a whole body, inflated; refuses it as soon as it has grown beyond the limit. */
export async function collectBody(
  source: Readable,
  options: {
    readonly contentEncoding: string | undefined
    readonly limitBytes: number
    /** Learns how many bytes there are so far, before they are kept. */
    readonly onBytes?: (bytes: number) => void
  },
): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of inflatedChunks(source, options.contentEncoding)) {
    bytes += part.byteLength
    if (bytes > options.limitBytes) refuse('body_too_large', { limitBytes: options.limitBytes })
    options.onBytes?.(bytes)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes)
}

/** The value of a JSON text; refuses one that is broken, naming the place, or nested too deep. */
export function parseJsonBody(text: string): unknown {
  if (isDeepJson(text, JSON_DEPTH_MAX)) {
    refuse('bad_input', { what: `Cannot read the JSON body: more than ${JSON_DEPTH_MAX} levels` })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    refuse('bad_input', { what: `Cannot read the JSON body: ${(error as Error).message}` })
  }
}

function isInflateError(error: unknown): error is Error {
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^(Z_|ERR__?ERROR_|ERR_BROTLI|ERR_PADDING|ZSTD_)/.test(code)
}

function brokenEncoding(contentEncoding: string | undefined, error: Error): Error {
  return refusal('bad_input', {
    what: `Cannot decompress the ${contentEncoding} body: ${error.message}`,
  })
}
