import type { IncomingMessage } from 'node:http'
import { type MemoryBudget, refuse } from '../../base/index.ts'
import type { Upload } from '../../files/index.ts'
import { inflatedChunks, requireEncoding, windowBytesOf } from '../transport/body.ts'
import { readContentType } from './file-headers.ts'
import { OTHER_FIELDS_BYTES_MAX, readBoundary, readFormFile } from './form-file.ts'

/** What a form adds around its file, generously: boundaries, headers and other fields. */
const FORM_BYTES_MAX = OTHER_FIELDS_BYTES_MAX + 100_000

/** What a decoder takes besides its window. */
const DECODER_BYTES = 128 * 1024

/** Counts what inflating the body of a request takes, until it is disposed of. */
export async function holdDecoder(
  { headers }: IncomingMessage,
  budget: MemoryBudget,
): Promise<Disposable> {
  const contentEncoding = headers['content-encoding']
  if (!requireEncoding(contentEncoding)) return { [Symbol.dispose]: () => {} }
  const share = await budget.take(DECODER_BYTES + windowBytesOf(contentEncoding))
  return { [Symbol.dispose]: () => share.release() }
}

/** Whether a Content-Type says that the file is a field of a form. */
function isForm(contentType: string): boolean {
  return /^multipart\/form-data\b/i.test(contentType)
}

/** Opens the file of a request: the field `file` of a form, or the body as it is. */
export async function openUpload(req: IncomingMessage, bytesMax: number): Promise<Upload> {
  const { headers } = req
  const contentType = headers['content-type'] ?? ''
  const contentEncoding = headers['content-encoding']
  const contentLength = headers['content-length']
  // An empty file is one that is announced by its type; a call without both has forgotten it.
  const isEmpty = Number(contentLength ?? 0) === 0 && headers['transfer-encoding'] === undefined
  if (isEmpty && contentType === '')
    refuse('bad_input', {
      what: 'The request has no file. Send it as the body, or in the form field "file"',
    })
  requireWhole(headers['content-range'])
  const isInForm = isForm(contentType)
  const isTooLong = Number(contentLength ?? 0) > bytesMax + (isInForm ? FORM_BYTES_MAX : 0)
  if (isTooLong && contentEncoding === undefined) refuse('body_too_large', { limitBytes: bytesMax })
  const chunks = inflatedChunks(req, contentEncoding)
  if (!isInForm) {
    const isAnnounced = contentEncoding === undefined && contentLength !== undefined
    const bytes = isAnnounced ? Number(contentLength) : undefined
    return { type: readContentType(contentType), body: chunks, bytes }
  }
  const form = await readFormFile(chunks, readBoundary(contentType))
  return { type: readContentType(form.contentType), body: form.body }
}

/**
 * Refuses a part of a file. Clients send parts to resume an interrupted upload (RFC 9110, 14.5). Interrupted uploads
 * are not kept, so the part would replace the whole file.
 */
function requireWhole(contentRange: string | undefined): void {
  if (contentRange === undefined) return
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/i.exec(contentRange) ?? []
  if (last !== undefined && Number(last) + 1 === Number(length)) return
  refuse('bad_input', {
    what: 'Cannot store part of a file. Send the whole file, without the header Content-Range',
  })
}
