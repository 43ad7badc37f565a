/**
 * Reads multipart/form-data (RFC 7578) from a stream without holding more than a chunk of it: the
 * source is pulled only as fast as the file is stored. Written here because the body comes inflated
 * and because the part's whole content type is wanted; the parsers at hand give neither.
 */
import { refuse } from '../../base/index.ts'

/** The lines that describe a part: a name, a file name and a type, never long. */
const PART_HEADER_BYTES_MAX = 16 * 1024
/** What may stand before the first and after the last boundary, which nobody reads. */
const SURROUNDING_BYTES_MAX = 64 * 1024
const BOUNDARY_LENGTH_MAX = 200
/** Other fields of a form, which nobody reads: how many, and their bytes together. */
const OTHER_FIELDS_MAX = 100
export const OTHER_FIELDS_BYTES_MAX = 1024 * 1024

/** The one file of a form, its bytes still on the way. */
interface FormFile {
  /** What the part says it is, or undefined when it says nothing. */
  readonly contentType: string | undefined
  /** Ends only when the form ended after this part, as it should; refuses otherwise. */
  readonly body: AsyncIterable<Uint8Array>
}

/** The boundary of a form from its Content-Type header. */
export function readBoundary(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2] ?? ''
  if (boundary === '' || boundary.length > BOUNDARY_LENGTH_MAX)
    refuse('bad_input', {
      what: 'Cannot read this form: its Content-Type header has no usable boundary',
    })
  return boundary
}

/** Reads a form up to its one field `file`; other fields before and behind it are ignored. */
export async function readFormFile(
  source: AsyncIterator<Uint8Array>,
  boundary: string,
): Promise<FormFile> {
  const scanner = new Scanner(source, Buffer.from(`\r\n--${boundary}`))
  await scanner.skipPreamble()
  const others = new OtherFields(scanner)
  for (;;) {
    if (await scanner.isAtEnd()) refuseForm('the field "file" is missing')
    const header = parsePartHeader(await scanner.readHeader())
    if (header.name === 'file') {
      return { contentType: header.contentType, body: soleBody(scanner, others) }
    }
    await others.skip()
  }
}

async function* soleBody(scanner: Scanner, others: OtherFields): AsyncGenerator<Uint8Array> {
  yield* scanner.readBody()
  while (!(await scanner.isAtEnd())) {
    const { name } = parsePartHeader(await scanner.readHeader())
    if (name === 'file') refuseForm('it has two fields "file". Send one file only')
    await others.skip()
  }
  await scanner.skipEpilogue()
}

/** Steps over the fields that are not the file, as long as they are few and short. */
class OtherFields {
  readonly #scanner: Scanner
  #count = 0
  #bytes = 0

  constructor(scanner: Scanner) {
    this.#scanner = scanner
  }

  async skip(): Promise<void> {
    this.#count += 1
    if (this.#count > OTHER_FIELDS_MAX) {
      refuseForm(`it has more than ${OTHER_FIELDS_MAX} fields besides "file"`)
    }
    for await (const chunk of this.#scanner.readBody()) {
      this.#bytes += chunk.byteLength
      if (this.#bytes <= OTHER_FIELDS_BYTES_MAX) continue
      refuseForm(`its fields besides "file" have more than ${OTHER_FIELDS_BYTES_MAX} bytes`)
    }
  }
}

/** Walks along the boundaries of a form. */
class Scanner {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #delimiter: Buffer
  /** The first boundary may stand at the very beginning: with this it looks like all others. */
  #held: Buffer = Buffer.from('\r\n')

  constructor(source: AsyncIterator<Uint8Array>, delimiter: Buffer) {
    this.#source = source
    this.#delimiter = delimiter
  }

  async skipPreamble(): Promise<void> {
    let bytes = 0
    for await (const chunk of this.readBody()) {
      bytes += chunk.byteLength
      if (bytes > SURROUNDING_BYTES_MAX) refuseForm('its boundary does not occur in it')
    }
  }

  /** Gives the bytes up to the next boundary and steps over it. */
  async *readBody(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(this.#delimiter)
      if (at >= 0) {
        if (at > 0) yield this.#held.subarray(0, at)
        this.#held = this.#held.subarray(at + this.#delimiter.length)
        return
      }
      // The boundary may have begun in the last bytes: they wait for what comes next.
      const safeBytes = this.#held.length - this.#delimiter.length + 1
      if (safeBytes > 0) {
        yield this.#held.subarray(0, safeBytes)
        this.#held = this.#held.subarray(safeBytes)
      }
      await this.#pull()
    }
  }

  /** After a boundary: whether it was the closing one. */
  async isAtEnd(): Promise<boolean> {
    while (this.#held.length < 2) await this.#pull()
    return this.#held[0] === 0x2d && this.#held[1] === 0x2d
  }

  /** After a boundary: the lines of the part's header. */
  async readHeader(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf('\r\n\r\n')
      if (end > PART_HEADER_BYTES_MAX || (end < 0 && this.#held.length > PART_HEADER_BYTES_MAX))
        refuseForm(`the header of a part is longer than ${PART_HEADER_BYTES_MAX} bytes`)
      if (end >= 0) {
        const header = this.#held.toString('utf8', 0, end)
        this.#held = this.#held.subarray(end + 4)
        return header
      }
      await this.#pull()
    }
  }

  async skipEpilogue(): Promise<void> {
    let bytes = this.#held.length
    while (bytes <= SURROUNDING_BYTES_MAX) {
      const { done, value } = await this.#source.next()
      if (done === true) return
      bytes += value.byteLength
    }
    refuseForm('it continues after its closing boundary')
  }

  async #pull(): Promise<void> {
    const { done, value } = await this.#source.next()
    if (done === true) refuseForm('it ends before its closing boundary')
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
  }
}

function parsePartHeader(header: string): { name: string; contentType: string | undefined } {
  const fields = new Map<string, string>()
  for (const line of header.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0)
      fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  const disposition = fields.get('content-disposition') ?? ''
  const match = /;\s*name=(?:"([^"]*)"|([^;\s]*))/i.exec(disposition)
  if (!/^form-data\b/i.test(disposition) || match === null)
    refuseForm('a part has no Content-Disposition: form-data with a name')
  return { name: match[1] ?? match[2], contentType: fields.get('content-type') }
}

function refuseForm(why: string): never {
  refuse('bad_input', { what: `Cannot read this form: ${why}` })
}
