import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { readBoundary, readFormFile } from './form-file.ts'

const HEADER = 'Content-Disposition: form-data; name="file"; filename="a.txt"'

/** Reads a form handed over in pieces cut at the given places. */
async function readForm(
  form: Buffer | string,
  boundary: string,
  cuts: readonly number[] = [],
): Promise<{ contentType: string | undefined; body: Buffer }> {
  const bytes = Buffer.from(form)
  const edges = [...cuts.filter((cut) => cut < bytes.length), bytes.length].sort((a, b) => a - b)
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let from = 0
    for (const until of edges) {
      yield bytes.subarray(from, until)
      from = until
    }
  }
  const file = await readFormFile(pieces(), boundary)
  const body: Uint8Array[] = []
  for await (const chunk of file.body) body.push(Buffer.from(chunk))
  return { contentType: file.contentType, body: Buffer.concat(body) }
}

test('readFormFile() reads the form that curl sends, with the whole content type', async () => {
  const boundary = '------------------------d74496d66958873e'
  const form = `--${boundary}\r\n${HEADER}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nhi\r\n\r\n--${boundary}--\r\n`
  const file = await readForm(form, boundary)
  assert.equal(file.contentType, 'text/plain; charset=utf-8')
  assert.equal(file.body.toString(), 'hi\r\n')
})

test('readFormFile() takes preamble, padding, epilogue, lower case and an unquoted name', async () => {
  const form =
    'hello\r\n--b \t\r\ncontent-disposition: form-data; name=file\r\n\r\nx\r\n--b--\r\nbye'
  const file = await readForm(form, 'b')
  assert.deepEqual(file, { contentType: undefined, body: Buffer.from('x') })
})

test('readFormFile() gives back any body, wherever the stream is cut', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', '--b', '\r\n--', 'b', 'x', '\0')),
    fc.array(fc.nat(300), { maxLength: 40 }),
    async (pieces, cuts) => {
      const body = pieces.join('')
      fc.pre(!`\r\n${body}\r\n`.includes('\r\n--bound'))
      const form = `--bound\r\n${HEADER}\r\n\r\n${body}\r\n--bound--\r\n`
      assert.equal((await readForm(form, 'bound', cuts)).body.toString(), body)
    },
  )
  await fc.assert(property, { numRuns: 500 })
})

test('readFormFile() steps over other fields, before and behind the file', async () => {
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const form = `${part('time', '5')}${part('token', '')}${part('file', 'yes')}${part('note', 'x')}--b--`
  for (const cuts of [[], [1, 60, 61, 62, 100, 150, 151, 200]]) {
    assert.equal((await readForm(form, 'b', cuts)).body.toString(), 'yes')
  }
})

test('readFormFile() refuses a form without exactly one part named file', async () => {
  const check = async (form: string, why: RegExp) =>
    assert.rejects(readForm(form, 'b'), { code: 'bad_input', message: why })
  const part = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\nx\r\n`
  await check('', /ends before/)
  await check('--b--\r\n', /field "file" is missing/)
  await check(`${part('data')}--b--`, /field "file" is missing/)
  await check(`${part('file')}${part('file')}--b--`, /two fields "file"/)
  await check(`${part('file')}${part('note')}${part('file')}--b--`, /two fields "file"/)
  await check(`${part('file')}${part('note')}`, /ends before its closing boundary/)
  await check(`${part('a').repeat(101)}${part('file')}--b--`, /more than 100 fields/)
  const long = part('a').replace('x\r\n', `${'y'.repeat(600_000)}\r\n`)
  await check(`${long}${part('file')}${long}--b--`, /besides "file" have more than 1048576 bytes/)
  await check(part('file'), /ends before its closing boundary/)
  await check('--b\r\n\r\nx\r\n--b--', /no Content-Disposition/)
  await check('--b\r\nContent-Disposition: attachment; name="file"\r\n\r\nx\r\n--b--', /form-data/)
  await check(`--b\r\nX: ${'y'.repeat(20_000)}\r\n\r\nx\r\n--b--`, /longer than 16384/)
  await check('z'.repeat(100_000), /boundary does not occur/)
  await check(`${part('file')}--b--${'z'.repeat(100_000)}`, /continues after/)
})

test('readBoundary() finds the boundary, quoted or not, and refuses a header without one', () => {
  assert.equal(readBoundary('multipart/form-data; boundary=abc'), 'abc')
  assert.equal(readBoundary('multipart/form-data; charset=x; Boundary="a b"'), 'a b')
  for (const bad of ['multipart/form-data', 'multipart/form-data; boundary=', 'x; boundary=""'])
    assert.throws(() => readBoundary(bad), { code: 'bad_input' })
})
