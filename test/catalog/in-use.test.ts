import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextIteration, Refusal } from '../../src/base/index.ts'
import type { WantedComponent } from '../../src/catalog/create/index.ts'
import type { Catalog } from '../../src/catalog/index.ts'
import { type OpenedCatalog, ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)
/** Turns by which one of two calls begins later than the other: each meets another step of it. */
const LATER = Array.from({ length: 9 }, (_, at) => at - 4)
const NOUNS = ['unit', 'cycle', 'delete_profile'] as const
type Noun = (typeof NOUNS)[number]

function recordsOf({ cycles, units, deleteProfiles }: Catalog, noun: Noun) {
  return { unit: units, cycle: cycles, delete_profile: deleteProfiles }[noun]
}

function streamWith(noun: Noun, uid: string, id = 's') {
  if (noun !== 'cycle') return { id, [noun]: { uid } }
  return { id, streamType: 'intvl_stream', baseCycle: { uid } }
}

/** Runs two calls, one some turns after the other; undefined for one that was refused. */
async function together<A, B>(later: number, a: () => Promise<A>, b: () => Promise<B>) {
  const run = async <T>(iterations: number, call: () => Promise<T>): Promise<T | undefined> => {
    for (let round = 0; round < iterations; round++) await nextIteration()
    return await call().catch((error: unknown) => {
      assert.ok(error instanceof Refusal, String(error))
      return undefined
    })
  }
  return await Promise.all([run(later, a), run(-later, b)])
}

/** What begins to use a record, each way there is. */
const USES: Readonly<
  Record<string, (catalog: Catalog, noun: Noun, uid: string) => Promise<unknown>>
> = {
  'a stream is inserted': async (catalog, noun, uid) => {
    const component = await catalog.components.insert(owner, {})
    return catalog.streams.insert(owner, component.uid, streamWith(noun, uid))
  },
  'a component is inserted': (catalog, noun, uid) =>
    catalog.components.insert(owner, { stream: [streamWith(noun, uid)] }),
  'a component is given a stream': async (catalog, noun, uid) => {
    const component = await catalog.components.insert(owner, {})
    const stream = [streamWith(noun, uid)]
    return catalog.components.update(owner, component.uid, { stream })
  },
  'a template is inserted': (catalog, noun, uid) =>
    catalog.templates.insert(owner, { stream: [streamWith(noun, uid)] }),
  'a template is changed': async (catalog, noun, uid) => {
    const template = await catalog.templates.insert(owner, {})
    return catalog.templates.update(owner, template.uid, { stream: [streamWith(noun, uid)] })
  },
}

async function usersOf({ catalog }: OpenedCatalog, noun: Noun, uid: string): Promise<number> {
  const field = noun === 'cycle' ? 'baseCycle' : noun
  const page = { start: 0, limit: 1_000 }
  const components = await catalog.components.list(owner, page)
  const whole = components.records.map((one) => catalog.components.get(owner, one.uid))
  const templates = (await catalog.templates.list(owner, page)).records
  const inComponents = (await Promise.all(whole)).flatMap(({ stream = [] }) => stream)
  const streams = [...inComponents, ...templates.flatMap(({ stream }) => stream)]
  return streams.filter((one) => one[field]?.uid === uid).length
}

for (const [what, use] of Object.entries(USES)) {
  test(`nothing refers to what was deleted while ${what}`, () =>
    withCatalog(async (opened) => {
      const { catalog } = opened
      for (const noun of NOUNS) {
        const records = recordsOf(catalog, noun)
        for (const later of LATER) {
          const { uid } = await records.insert(owner, { id: `${noun} ${later}` })
          const deleting = async () => {
            await records.delete(owner, uid)
            return true
          }
          const [isGone] = await together(later, deleting, () => use(catalog, noun, uid))
          const users = await usersOf(opened, noun, uid)
          assert.equal(users, isGone === true ? 0 : 1, `${noun}, ${later} turns later`)
          assert.equal((await records.find(ORG, uid)) === undefined, isGone === true)
        }
      }
    }))
}

test('nothing made from a template refers to what was deleted beside', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    for (const noun of NOUNS) {
      const records = recordsOf(catalog, noun)
      for (const later of LATER) {
        const id = `${noun} ${later}`
        const { uid } = await records.insert(owner, { id })
        const stream = [streamWith(noun, uid)]
        const template = await catalog.templates.insert(owner, { id, stream })
        const wanted: WantedComponent = { compId: id, rules: { compTmplId: id }, streams: [] }
        const deleting = async () => {
          await catalog.templates.delete(owner, template.uid)
          await records.delete(owner, uid)
          return true
        }
        const [isGone] = await together(later, deleting, () => catalog.autoCreate(ORG, [wanted]))
        const users = await usersOf(opened, noun, uid)
        assert.ok(isGone === true ? users === 0 : users > 0, `${id}: ${users}`)
      }
    }
  }))

test('a template whose unit was lost long ago still makes components', () =>
  withCatalog(async ({ catalog, store }) => {
    const { uid } = await catalog.units.insert(owner, {})
    await catalog.templates.insert(owner, { id: 'old', stream: [streamWith('unit', uid)] })
    const key = { orgUid: ORG, kind: 'unit', uid, expectedRevision: 'any' } as const
    await store.commit([{ op: 'delete', ...key }])
    await catalog.refresh()
    const wanted = { compId: 'c', rules: { compTmplId: 'old' }, streams: [] }
    const [made] = await catalog.autoCreate(ORG, [wanted])
    const { stream = [] } = await catalog.components.get(owner, made.component.uid)
    assert.deepEqual(
      stream.map(({ unit }) => unit),
      [null],
    )
  }))

/** Folders that components name and that are not there. */
async function missingFolders({ catalog }: OpenedCatalog): Promise<string[]> {
  const page = { start: 0, limit: 1_000 }
  const paths = (await catalog.folders.list(owner, page)).records.map(({ path }) => path)
  const used = (await catalog.components.list(owner, page)).records.map(({ folder }) => folder)
  return used.filter((folder) => folder !== '/Components' && !paths.includes(folder))
}

for (const act of ['deleted', 'moved']) {
  test(`no component is left in a folder that is not there when one above it is ${act}`, () =>
    withCatalog(async (opened) => {
      const { catalog } = opened
      for (const [at, later] of [...LATER, ...LATER].entries()) {
        const top = `/Components/F${at}`
        const folder = at % 2 === 0 ? top : `${top}/below`
        await catalog.components.insert(owner, { id: `there${at}`, folder })
        const page = { start: 0, limit: 1_000 }
        const { records } = await catalog.folders.list(owner, page)
        const uid = records.find(({ path }) => path === top)?.uid ?? ''
        const moving = { path: `/Components/M${at}` }
        const end = async () => {
          if (act === 'deleted') await catalog.folders.delete(owner, uid)
          else await catalog.folders.update(owner, uid, moving)
        }
        const wanted = { compId: `put${at}`, rules: { folder }, streams: [] }
        const { uid: other } = await catalog.components.insert(owner, {})
        await Promise.all([
          together(later, end, () => catalog.autoCreate(ORG, [wanted])),
          together(later, nextIteration, () => catalog.components.insert(owner, { folder })),
          together(later, nextIteration, () => catalog.components.update(owner, other, { folder })),
        ])
        assert.deepEqual(await missingFolders(opened), [], `${later} turns later`)
      }
    }))
}
