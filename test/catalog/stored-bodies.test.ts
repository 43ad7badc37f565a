import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownerOf, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)

/** Every field, as documents were stored before defaults were left out. */
const wholeComponent = {
  ...{ id: 'old', name: 'old', description: '', folder: '/Components', timeZoneId: 'UTC' },
  ...{ creationDate: 1, ownerUser: null, location: null },
}
const wholeStream = {
  ...{ id: 's', name: 's', description: '', streamType: 'rdm_stream', valueType: 'DOUBLE' },
  ...{ unit: null, baseCycle: null, rollupMethod: 'avg', streamDerivationType: 'NONE' },
  ...{ delete_profile: null, location: null, order: 0, grid: '' },
}

test('what is as by default is not stored, and shown all the same', () =>
  withCatalog(async (opened) => {
    const streams = [{ streamId: 's', valueType: 'DOUBLE' as const }]
    await opened.catalog.autoCreate(ORG, [{ compId: 'boiler', rules: {}, streams }])
    const { index } = opened.catalog
    const entry = index.resolveComponent(ORG, 'boiler')
    assert.ok(entry !== undefined)
    const uid = index.streamUid(entry.streams[0])
    const stored = await opened.store.get({ orgUid: ORG, kind: 'stream', uid })
    assert.deepEqual(stored?.body, { id: 's', valueType: 'DOUBLE' })
    const component = await opened.store.get({ orgUid: ORG, kind: 'component', uid: entry.uid })
    const { creationDate, ...body } = component?.body ?? {}
    assert.deepEqual(body, {
      ...{ id: 'boiler', timeZoneId: 'Europe/Berlin' },
      ownerUser: { uid: 'owner', name: 'Ann Owner' },
    })
    assert.deepEqual(await opened.catalog.components.get(owner, entry.uid), {
      ...{ ...wholeComponent, ...body, name: 'boiler', creationDate, uid: entry.uid },
      ...{ revision: 1, streamCount: 1 },
      stream: [{ ...shown(wholeStream), uid, revision: 1 }],
    })
  }))

test('a name that is blank or another than the ID comes back as it was given', () =>
  withCatalog(async (opened) => {
    const stream = [
      { id: 's', name: '' },
      { id: '', name: 'only a name' },
      { id: '', name: '' },
    ]
    const made = await opened.catalog.components.insert(owner, { id: 'c', name: '', stream })
    await opened.restart()
    assert.deepEqual(await opened.catalog.components.get(owner, made.uid), made)
    assert.deepEqual(
      [made.name, made.stream?.map(({ name }) => name)],
      ['', ['', 'only a name', '']],
    )
  }))

test('documents with every field, as they were stored before, are read and changed as ever', () =>
  withCatalog(async (opened) => {
    const uid = '00000000-0000-4000-8000-000000000001'
    const streamUid = '00000000-0000-4000-8000-000000000002'
    const put = { op: 'put', orgUid: ORG, expectedRevision: 0 } as const
    await opened.store.commit([
      { ...put, kind: 'component', uid, body: wholeComponent, index: 'UTC\nold' },
      {
        ...{ ...put, kind: 'stream', uid: streamUid, parentUid: uid, body: wholeStream },
        ...{ listKey: '0000000', index: '0100\n\ns' },
      },
    ])
    await opened.restart()
    const { components } = opened.catalog
    const whole = await components.get(owner, uid)
    assert.deepEqual(whole, {
      ...{ ...wholeComponent, uid, revision: 1, streamCount: 1 },
      stream: [{ ...shown(wholeStream), uid: streamUid, revision: 1 }],
    })
    const edited = await components.update(owner, uid, { description: 'seen' })
    assert.deepEqual(edited, { ...whole, description: 'seen', revision: 2 })
  }))

function shown({ order: _, grid: __, ...stream }: typeof wholeStream) {
  return { ...stream, timeZoneId: '' }
}
