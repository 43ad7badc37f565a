import { after, before } from 'node:test'
import { browserSkip } from './browser.ts'
import type { ServiceOptions } from './service.ts'
import { become } from './service-of-file.ts'
import { openStudio, type StudioTest } from './studio.ts'

/** Opens the studio before the tests of the file where there is a browser, and closes it after them. */
export function studioOfFile(options: ServiceOptions = {}): StudioTest {
  const studio = { service: {} } as StudioTest
  let opened: StudioTest | undefined
  before(async () => {
    if (browserSkip() !== false) return
    opened = await openStudio(options)
    become(studio.service, opened.service)
    studio.open = opened.open
  })
  after(() => opened?.[Symbol.asyncDispose]())
  return studio
}
