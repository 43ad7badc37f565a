import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserSkip } from '../../support/browser.ts'
import { settlesLike, settlesTo, shows } from '../../support/settle.ts'
import { assertAccessible, shoot } from '../../support/studio.ts'
import { studioOfFile } from '../../support/studio-of-file.ts'

const skip = browserSkip()
const studio = studioOfFile()

async function put(query: string): Promise<void> {
  const { url, feedKey } = studio.service
  const headers = { 'X-Api-Key': feedKey }
  const answer = await fetch(`${url}/api/feed?${query}`, { method: 'PUT', headers })
  assert.equal(answer.status, 200)
}

test('Ctrl K finds a page by a part of its name, by keyboard alone', { skip }, async () => {
  const { page, complaints } = await studio.open('/')
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find components' })
  await field.waitFor()
  await assertAccessible(page)
  await shoot(page, 'palette')
  await page.keyboard.type('buil')
  await page.getByRole('option', { name: 'Build' }).waitFor()
  await shows(page.getByRole('option'), 1)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/build')
  await field.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'Your first sample' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the palette says when nothing has the name, closes by Escape, and gives the focus back', {
  skip,
}, async () => {
  const { page } = await studio.open('/', { viewport: { width: 390, height: 800 } })
  await page.getByRole('button', { name: 'Find' }).click()
  await page.keyboard.type('no such thing')
  await page.getByText('No matches.').waitFor()
  await assertAccessible(page)
  await shoot(page, 'palette-390')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await settlesLike(() => page.evaluate<string>('document.activeElement.textContent'), /Find/)
})

test('the palette finds components by folder, name and ID, and streams by the words that are left', {
  skip,
}, async () => {
  await put('compId=SN-7&compName=Boiler&folder=/Components/Cellar&temp=71&pressure=1.2')
  await put('compId=SN-8&compName=Pump&folder=/Components/Cellar&flow=3')
  await put(
    `compId=SN-9&compName=${encodeURIComponent('Ünïcode')}&${encodeURIComponent('Drück')}=1`,
  )
  const { page, complaints } = await studio.open('/build')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find components' })
  const found = (name: RegExp) => page.getByRole('option', { name })
  await field.fill('cellar')
  await found(/SN-7/).waitFor()
  await found(/SN-8/).waitFor()
  await field.fill('UNICODE')
  await found(/^Ünïcode/).waitFor()
  await field.fill('unicode druck')
  await found(/^Drück/).waitFor()
  await field.fill('sn-7 pres')
  await page.getByRole('option', { name: /^pressure/, selected: true }).waitFor()
  await assertAccessible(page)
  await shoot(page, 'palette-found')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/c\/[0-9a-f-]{36}\/[0-9a-f-]{36}/)
  await page.getByRole('heading', { level: 1, name: 'pressure' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the palette finds streams where some words name the component, typed in one go, in any order', {
  skip,
}, async () => {
  await put('compId=NT-1&compName=North&folder=/Components/House&temp_air=21&humidity=48')
  await put('compId=ST-1&compName=South&folder=/Components/House&temp_air=22')
  const { page, complaints } = await studio.open('/build')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const options = page.getByRole('option')
  for (const words of ['north temp', 'temp north', 'air house temp north']) {
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Find components' })
    await field.fill(words)
    await settlesTo(() => options.allInnerTexts(), ['temp_air\nStream\nNorth'], words)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
  }

  // While a search runs the palette says so, and not that there is nothing.
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route('**/api/component?*', async (route) => {
    await held
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find components' }).fill('stream nowhere')
  await page.getByText('Searching …').waitFor()
  await shows(page.getByText('No matches.'), 0)
  release()
  await page.getByText('No matches.').waitFor()
  await assertAccessible(page)
  assert.deepEqual(complaints, [])
})
