import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { ownerOfFile } from '../../support/service-of-file.ts'
import { shows } from '../../support/settle.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile({ settings: { WEIR_FILE_BYTES_MAX: '3000000' } })
const owner = ownerOfFile(studio.service)

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function fileStream(id: string): Promise<string> {
  const stream = [{ id: 'photos', name: 'Photos', valueType: 'FILE' }]
  const made = await owner('PUT', '/api/component', { component: { id, stream } })
  assert.equal(made.status, 200, made.text)
  const { component } = made.body
  return `/build/component/${component.uid}/stream/${component.stream[0].uid}`
}

test('files are chosen or dropped, shown with a preview, and kept', { skip }, async () => {
  const { page } = await studio.open(await fileStream('camera'))
  await page.getByText('No files.').waitFor()
  await assertAccessible(page)
  await page.getByLabel('Files to upload').setInputFiles([
    { name: 'gauge [0] ü.txt', mimeType: 'text/plain', buffer: Buffer.from('3.2 bar\n') },
    { name: 'photo.png', mimeType: 'image/png', buffer: PNG },
  ])
  const files = page.getByRole('list', { name: 'Files, newest first' })
  await files.getByRole('button', { name: /photo\.png/ }).waitFor()
  await page.getByRole('img', { name: 'photo.png' }).waitFor()
  await files.getByRole('button', { name: /gauge \[0\] ü\.txt/ }).click()
  await page.getByText('3.2 bar').waitFor()
  await page.getByText('text/plain, 8 bytes').waitFor()
  await assertAccessible(page)
  await shoot(page, 'build-files')
  const transfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(2_000_000)], 'dropped.bin'))
    return data
  })()`)
  const place = page.getByText('Drop files here, or')
  await place.dispatchEvent('dragover', { dataTransfer: transfer })
  await place.dispatchEvent('drop', { dataTransfer: transfer })
  await files.getByRole('button', { name: /dropped\.bin/ }).waitFor()
  await files.getByRole('button', { name: /dropped\.bin/ }).click()
  await page.getByText('No preview for this file type.').waitFor()
  await page.getByText('application/octet-stream, 2.0 MB').waitFor()
  const last = await owner('GET', '/api/comp/camera/stream/photos/last_value')
  assert.match(last.text, /dropped\.bin/)
})

test('an upload shows how far it is; one that is refused says why and is sent again', {
  skip,
}, async () => {
  const { page } = await studio.open(await fileStream('slow'))
  await page.getByText('No files.').waitFor()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/feed/file/*', async (route) => {
    await held
    await route.continue()
  })
  const input = page.getByLabel('Files to upload')
  const small = { name: 'held.bin', mimeType: 'application/x-held', buffer: Buffer.alloc(100_000) }
  await input.setInputFiles([small])
  await page.getByRole('progressbar', { name: 'Upload of held.bin' }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'build-upload')
  release()
  await page.getByRole('button', { name: /held\.bin/ }).waitFor()
  await page.unroute('**/feed/file/*')
  const large = { ...small, name: 'large.bin', buffer: Buffer.alloc(4_000_000) }
  await input.setInputFiles([large])
  const uploads = page.getByRole('list', { name: 'Uploads' })
  await uploads.getByRole('alert').waitFor()
  await uploads.getByRole('button', { name: 'Retry' }).waitFor()
  await assertAccessible(page)
  await shows(page.getByRole('button', { name: /large\.bin/ }), 0)
})

test('a stream of files takes uploads where it is looked at, too', { skip }, async () => {
  const { page } = await studio.open(await fileStream('looked-at'))
  await page.getByRole('link', { name: 'View data' }).click()
  await page.getByText('Drop files here, or').waitFor()
  await page
    .getByLabel('Files to upload')
    .setInputFiles([{ name: 'seen.png', mimeType: 'image/png', buffer: PNG }])
  const files = page.getByRole('region', { name: 'Files' })
  await files.getByRole('link', { name: 'seen.png' }).waitFor()
  await assertAccessible(page)
  await page.getByRole('link', { name: 'Edit', exact: true }).click()
  await page.getByRole('heading', { name: 'Photos' }).waitFor()
})
