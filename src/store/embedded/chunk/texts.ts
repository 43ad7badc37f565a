import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'
import { DamagedBytes } from './damaged-bytes.ts'
import { readIntegers, writeIntegers } from './integers.ts'

const UTF8 = 0
const UTF16 = 1
const ZSTD_FLAG = 2

/** Below this compressing a dictionary is not tried. */
const ZSTD_BYTES_MIN = 64

/** What one chunk's distinct texts may take together once inflated. */
const DICTIONARY_BYTES_MAX = 2 ** 30

/** Writes which samples are texts and which ones: an index per sample into the distinct texts. */
export function writeTexts(
  writer: ByteWriter,
  texts: ReadonlyArray<string | undefined>,
  count: number,
): void {
  const codes = new Float64Array(count)
  const codeByText = new Map<string, number>()
  for (let index = 0; index < count; index++) {
    const text = texts[index]
    if (text === undefined) continue
    let code = codeByText.get(text)
    if (code === undefined) {
      code = codeByText.size + 1
      codeByText.set(text, code)
    }
    codes[index] = code
  }
  writeDictionary(writer, [...codeByText.keys()])
  writeIntegers(writer, codes)
}

/** Reads what writeTexts wrote; undefined stands where the sample is a number. */
export function readTexts(reader: ByteReader, count: number): Array<string | undefined> {
  const dictionary = readDictionary(reader, count)
  const codes = readIntegers(reader, count)
  const texts = new Array<string | undefined>(count)
  for (let index = 0; index < count; index++) {
    const code = codes[index]
    if (code < 0 || code > dictionary.length) throw new DamagedBytes('a text is missing')
    texts[index] = code === 0 ? undefined : dictionary[code - 1]
  }
  return texts
}

/** UTF-8, or UTF-16 when a text has half a surrogate pair, which UTF-8 cannot hold. */
function writeDictionary(writer: ByteWriter, dictionary: readonly string[]): void {
  const form = dictionary.every((text) => text.isWellFormed()) ? UTF8 : UTF16
  const parts = dictionary.map((text) => Buffer.from(text, encodingOf(form)))
  const plain = Buffer.concat(parts)
  const squeezed = plain.length >= ZSTD_BYTES_MIN ? zstdCompressSync(plain) : plain
  const isSqueezed = squeezed.length < plain.length
  const stored = isSqueezed ? squeezed : plain
  writer.u8(isSqueezed ? form | ZSTD_FLAG : form)
  writer.varint(dictionary.length)
  writeIntegers(
    writer,
    Float64Array.from(parts, (part) => part.length),
  )
  writer.varint(stored.length)
  writer.bytes(stored)
}

/** The bytes of the distinct texts that writeTexts wrote, before they are unpacked. */
export function countTextBytes(reader: ByteReader, count: number): number {
  return readLengths(reader, count).totalBytes
}

function readLengths(
  reader: ByteReader,
  countMax: number,
): { form: number; lengths: Float64Array; totalBytes: number } {
  const form = reader.u8()
  if (form > (UTF16 | ZSTD_FLAG)) throw new DamagedBytes(`texts are in the unknown form ${form}`)
  const lengths = readIntegers(reader, reader.countUpTo(countMax))
  return { form, lengths, totalBytes: lengths.reduce((sum, length) => sum + length, 0) }
}

function readDictionary(reader: ByteReader, countMax: number): string[] {
  const { form, lengths, totalBytes } = readLengths(reader, countMax)
  const stored = reader.bytes(reader.varint())
  const plain =
    (form & ZSTD_FLAG) === 0
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.length)
      : zstdDecompressSync(stored, { maxOutputLength: DICTIONARY_BYTES_MAX })
  if (plain.length !== totalBytes) throw new DamagedBytes('texts are missing')
  let end = 0
  return Array.from(lengths, (length) => {
    end += length
    return plain.toString(encodingOf(form), end - length, end)
  })
}

function encodingOf(form: number): BufferEncoding {
  return (form & UTF16) === 0 ? 'utf8' : 'utf16le'
}
