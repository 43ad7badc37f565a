import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Capabilities, keyPrincipal, userPrincipal } from '../../src/access/index.ts'
import { countedUidOf, Refusal } from '../../src/base/index.ts'
import { type DeletedStream, openCatalog } from '../../src/catalog/index.ts'
import { ownerOf, people, withCatalog } from '../support/catalog.ts'

const ORG = 'org-1'
const owner = ownerOf(ORG)
const refused = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof Refusal && error.code === code && message.test(error.message)

test('components.insert() saves a component with its streams in order', () =>
  withCatalog(async (opened) => {
    const { catalog } = opened
    const made = await catalog.components.insert(owner, {
      id: 'c1',
      name: 'Boiler',
      description: 'hot',
      folder: '/Components/a/',
      timeZoneId: 'america/new_york',
      location: { latitude: 1, altitude: 5, colour: 'red' },
      stream: [{ id: 'z' }, { id: '' }, { id: 'a', streamType: 'point_stream' }],
    })
    assert.deepEqual(
      [made.folder, made.timeZoneId, made.location, made.ownerUser, made.revision],
      [
        '/Components/a',
        'America/New_York',
        { latitude: 1, altitude: 5 },
        { uid: 'owner', name: 'Ann Owner' },
        1,
      ],
    )
    assert.deepEqual(
      made.stream?.map(({ id }) => id),
      ['z', '', 'a'],
    )
    await opened.restart()
    assert.deepEqual(await opened.catalog.components.get(owner, made.uid), made)
    assert.equal(opened.catalog.index.resolveComponent(ORG, 'c1')?.timeZone, 'America/New_York')
  }))

test('components.update() changes what it names and keeps handles, order and the rest', () =>
  withCatalog(async (opened) => {
    const { components, index } = opened.catalog
    const stream = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
    const made = await components.insert(owner, { id: 'c1', description: 'kept', stream })
    const [a, b, c] = made.stream ?? []
    const handles = ['a', 'b', 'c'].map((id) => index.resolve(ORG, 'c1', id))
    const edited = await components
      .update(owner, made.uid, {
        id: 'c2',
        name: 'New name',
        timeZoneId: 'Asia/Tokyo',
        stream: [{ uid: c.uid, id: 'c' }, { id: 'd' }, { uid: a.uid, id: 'b' }],
      })
      .catch((error: unknown) => error)
    assert.ok(refused('claim_taken', /stream.id "b" is taken/)(edited))
    assert.equal(index.resolveComponent(ORG, 'c2'), undefined)
    const swapped = await components.update(owner, made.uid, {
      id: 'c2',
      name: 'New name',
      timeZoneId: 'Asia/Tokyo',
      stream: [{ uid: c.uid }, { id: 'd' }, { uid: a.uid, id: 'b' }, { uid: b.uid, id: 'a' }],
    })
    assert.deepEqual(
      [swapped.description, swapped.name, swapped.revision, swapped.creationDate],
      ['kept', 'New name', 2, made.creationDate],
    )
    assert.deepEqual(
      swapped.stream?.map(({ id }) => id),
      ['c', 'd', 'b', 'a'],
    )
    assert.equal(index.resolveComponent(ORG, 'c1'), undefined)
    assert.equal(index.resolve(ORG, 'c2', 'b'), handles[0])
    assert.equal(index.resolve(ORG, 'c2', 'a'), handles[1])
    assert.equal(index.resolve(ORG, 'c2', 'c'), handles[2])
    const partly = await components.update(owner, made.uid, { stream: [{ uid: b.uid }] })
    assert.deepEqual(
      partly.stream?.map(({ id }) => id),
      ['a', 'c', 'd', 'b'],
    )
    await opened.restart()
    assert.deepEqual(await opened.catalog.components.get(owner, made.uid), partly)
  }))

test('components.update() with a revision in mind is refused once the record has moved on', () =>
  withCatalog(async ({ catalog: { components } }) => {
    const { uid } = await components.insert(owner, { id: 'c' })
    await components.update(owner, uid, { name: 'one', revision: 1 })
    const stale = components.update(owner, uid, { name: 'two', revision: 1 })
    await assert.rejects(stale, refused('conflict', /changed since revision 1/))
    const edits = Array.from({ length: 20 }, (_, index) =>
      components.update(owner, uid, { description: `${index}` }),
    )
    await Promise.all(edits)
    const { name, revision } = await components.get(owner, uid)
    assert.deepEqual([name, revision], ['one', 22])
  }))

test('components refuse bad input by field and change nothing', () =>
  withCatalog(async ({ catalog: { components, index } }) => {
    await components.insert(owner, { id: 'taken' })
    const deep = (field: string, value: unknown) => ({ stream: [{ id: 'ok' }, { [field]: value }] })
    const check = async (input: unknown, code: string, message: RegExp) => {
      await assert.rejects(components.insert(owner, input), refused(code, message))
      assert.equal(index.componentCount, 1)
    }
    const bad = (input: unknown, message: RegExp) => check(input, 'bad_input', message)
    await bad(undefined, /^component must be an object/)
    await bad([], /^component must be an object/)
    await bad({ id: 5 }, /^component.id must be a string/)
    await bad({ name: null }, /^component.name must be a string/)
    await bad({ id: 'x'.repeat(513) }, /^component.id has 513 characters: at most 512/)
    await bad({ id: '\udc00' }, /^component.id contains an unpaired/)
    await bad({ folder: '/Other' }, /^component.folder "\/Other" must start with \/Components/)
    await bad({ folder: '/ComponentsX' }, /must start with \/Components/)
    await bad({ folder: '/Components//x' }, /folder without a name/)
    await bad({ timeZoneId: 'Mars/North' }, /^component.timeZoneId "Mars\/North" is not an IANA/)
    await bad({ timeZoneId: '+02:00' }, /is not an IANA time zone/)
    await bad({ location: { latitude: 91 } }, /^component.location.latitude must be/)
    await bad({ stream: {} }, /^component.stream must be an array/)
    await bad(deep('id', 7), /^component.stream\[1\].id must be a string/)
    await bad(deep('streamType', 'x'), /stream\[1\].streamType must be one of rdm_stream, intvl/)
    await bad(deep('streamType', 'intvl_stream'), /stream\[1\].baseCycle is missing/)
    await bad(deep('baseCycle', { id: 'hour' }), /stream\[1\].baseCycle is only for interval/)
    await bad(deep('unit', { uid: 'x' }), /stream\[1\].unit.uid "x" is not a unit/)
    await bad(deep('unit', 'x'), /stream\[1\].unit must be null or an object/)
    await bad(deep('unit', { id: 'volt' }), /stream\[1\].unit must have required properties uid$/)
    await bad(
      deep('delete_profile', { uid: 'x' }),
      /delete_profile.uid "x" is not a delete profile/,
    )
    await check({ id: 'taken' }, 'claim_taken', /component.id "taken" is taken/)
    await check(deep('id', 'ok'), 'claim_taken', /^component\.stream\[1\]\.id "ok" is taken/)
    const twice = await components.insert(owner, deep('id', 'ok')).catch((error: unknown) => error)
    assert.equal(twice instanceof Refusal && twice.field, 'component.stream[1].id')
  }))

test('an ID of 512 characters, of any script, is fine', () =>
  withCatalog(async ({ catalog: { components, index } }) => {
    for (const id of ['x'.repeat(512), '😀'.repeat(512), 'a/b %2F, [0]:\u0000\n"']) {
      const { uid } = await components.insert(owner, { id, stream: [{ id }] })
      assert.equal(index.resolveComponent(ORG, id)?.uid, uid)
      assert.notEqual(index.resolve(ORG, id, id), 0)
    }
  }))

test('components.delete() deletes the streams and returns their handles', () =>
  withCatalog(async (opened) => {
    const reported: DeletedStream[] = []
    opened.catalog.onStreamsDeleted((streams) => {
      reported.push(...streams)
    })
    const { components, index, streams } = opened.catalog
    const stream = [{ id: 'a', valueType: 'FILE' }, { id: 'b' }]
    const kept = await components.insert(owner, { id: 'kept', stream })
    const gone = await components.insert(owner, { id: 'gone', stream })
    const [a, b] = ['a', 'b'].map((id) => index.resolve(ORG, 'gone', id))
    await components.delete(owner, gone.uid)
    assert.deepEqual(reported, [
      { orgUid: ORG, handle: a, valueCode: 13 },
      { orgUid: ORG, handle: b, valueCode: 0 },
    ])
    await assert.rejects(components.get(owner, gone.uid), refused('not_found', /Cannot find/))
    const keptB = index.resolve(ORG, 'kept', 'b')
    await streams.delete(owner, kept.uid, kept.stream?.[1].uid ?? '')
    assert.equal(reported.at(-1)?.handle, keptB)
    await opened.restart()
    assert.equal(opened.catalog.index.streamCount, 1)
    assert.equal(opened.catalog.index.componentCount, 1)
    const again = await opened.catalog.components.insert(owner, { id: 'gone', stream })
    assert.notEqual(again.uid, gone.uid)
    assert.ok(Number(opened.catalog.index.resolve(ORG, 'gone', 'a')) > Number(keptB))
  }))

test('a delete and puts at the same time leave no stream without a component', () =>
  withCatalog(async ({ catalog, store }) => {
    const { uid } = await catalog.components.insert(owner, { id: 'c' })
    const put = (streamId: string) =>
      catalog.autoCreate(ORG, [{ compId: 'c', rules: {}, streams: [{ streamId, valueType: '' }] }])
    await Promise.all([put('a'), catalog.components.delete(owner, uid), put('b'), put('d')])
    const living = catalog.index.resolveComponent(ORG, 'c')
    const usage = await store.usage(ORG)
    assert.equal(usage.find(({ kind }) => kind === 'stream')?.documents, living?.streamCount)
    const page = { start: 0, limit: 99 }
    const streams = await store.components.streamsOf(ORG, living?.uid ?? '', page)
    assert.equal(streams.length, living?.streamCount)
  }))

test('streams: insert, update, list and delete by UID, what samples depend on is frozen', () =>
  withCatalog(async ({ catalog: { components, streams, units, deleteProfiles }, store }) => {
    const unit = await units.insert(owner, { id: 'c', symbol: 'C' })
    const profile = await deleteProfiles.insert(owner, { sizeType: 'DAY', count: 3 })
    const { uid: componentUid } = await components.insert(owner, { timeZoneId: 'Asia/Tokyo' })
    const made = await streams.insert(owner, componentUid, {
      id: 's',
      streamType: 'intvl_stream',
      baseCycle: '15min',
      valueType: 'DOUBLE',
      unit: { uid: unit.uid },
      delete_profile: { uid: profile.uid },
      rollupMethod: 'sum',
    })
    assert.equal(made.timeZoneId, 'Asia/Tokyo')
    assert.equal(made.baseCycle?.id, '15min')
    const key = { componentUid, uid: made.uid }
    await components.update(owner, componentUid, { timeZoneId: 'UTC' })
    await assert.rejects(
      deleteProfiles.delete(owner, profile.uid),
      refused('conflict', /^Cannot delete this delete_profile: it is used by stream ".*" of comp/),
    )
    await store.commit([
      {
        op: 'delete',
        orgUid: ORG,
        kind: 'delete_profile',
        uid: profile.uid,
        expectedRevision: 'any',
      },
    ])
    const edited = await streams.update(owner, key, { ...made, name: 'Renamed', unit: null })
    assert.deepEqual(edited, { ...made, name: 'Renamed', unit: null, revision: 2 })
    const bad = (input: object, message: RegExp) =>
      assert.rejects(streams.update(owner, key, input), refused('bad_input', message))
    await bad({ valueType: 'STRING' }, /stream.valueType cannot change from DOUBLE to STRING/)
    await bad({ streamType: 'rdm_stream' }, /baseCycle is only for interval streams/)
    await bad({ streamType: 'rdm_stream', baseCycle: null }, /streamType cannot change/)
    await bad({ baseCycle: { id: 'day' } }, /stream.baseCycle cannot change/)
    await bad({ baseCycle: 'day' }, /stream.baseCycle cannot change/)
    await bad({ baseCycle: 'none such' }, /stream.baseCycle .*none such.* is not a cycle/)
    const listed = await streams.list(owner, componentUid, { start: 0, limit: 10 })
    assert.deepEqual(listed, { records: [edited], totalCount: 1 })
    const fresh = streams.make(owner, componentUid, 'point_stream')
    assert.match(fresh.uid, /^[0-9a-f-]{36}$/)
    assert.equal(fresh.streamType, 'point_stream')
    await streams.delete(owner, componentUid, made.uid)
    await assert.rejects(streams.get(owner, componentUid, made.uid), refused('not_found', /stream/))
  }))

test('nothing of another organization is found, and no right is assumed', () =>
  withCatalog(async ({ catalog }) => {
    const { components, streams, units } = catalog
    const made = await components.insert(owner, { id: 'c', stream: [{ id: 's' }] })
    const unit = await units.insert(owner, { id: 'u' })
    const stranger = ownerOf('org-2')
    const streamUid = made.stream?.[0].uid ?? ''
    const gone = refused('not_found', /Cannot find/)
    await assert.rejects(components.get(stranger, made.uid), gone)
    await assert.rejects(components.update(stranger, made.uid, {}), gone)
    await assert.rejects(components.delete(stranger, made.uid), gone)
    await assert.rejects(streams.get(stranger, made.uid, streamUid), gone)
    await assert.rejects(units.get(stranger, unit.uid), gone)
    const { folders } = catalog
    await components.update(owner, made.uid, { folder: '/Components/f' })
    const [{ uid: folderUid }] = (await folders.list(owner, { start: 0, limit: 1 })).records
    const narrow = new Capabilities([
      { resource: 'component_folder', methods: ['GET', 'POST', 'DELETE'] },
      { resource: `component/${made.uid}`, methods: ['POST'] },
      { resource: `component/${made.uid}/stream`, methods: ['GET'] },
    ])
    const narrowKey = keyPrincipal({ orgUid: ORG, keyUid: 'k', capabilities: narrow })
    const noRight = refused('forbidden', /does not allow (POST|DELETE) on (a )?component/)
    await assert.rejects(folders.delete(narrowKey, folderUid), noRight)
    await assert.rejects(folders.update(narrowKey, folderUid, { path: '/Components/g' }), noRight)
    await assert.rejects(components.update(narrowKey, made.uid, { stream: [] }), noRight)
    await components.update(narrowKey, made.uid, { name: 'allowed' })
    const guest = userPrincipal({ orgUid: ORG, userUid: 'g', role: 'GUEST' })
    await assert.rejects(components.insert(guest, {}), refused('forbidden', /PUT component/))
    const capabilities = new Capabilities([{ resource: `component/${made.uid}`, methods: ['GET'] }])
    const key = keyPrincipal({ orgUid: ORG, keyUid: 'k', capabilities })
    assert.equal((await components.get(key, made.uid)).id, 'c')
    await assert.rejects(
      components.update(key, made.uid, {}),
      refused('forbidden', /does not allow POST/),
    )
    await assert.rejects(
      components.list(key, { start: 0, limit: 1 }),
      refused('forbidden', /does not allow GET on component/),
    )
  }))

test('catalog.refresh() takes over what another process has written', () =>
  withCatalog(async (opened) => {
    const { store, clock, catalog } = opened
    const other = await openCatalog({ store, people, clock })
    const made = await catalog.components.insert(owner, { id: 'c', stream: [{ id: 's' }] })
    assert.equal(other.index.resolveComponent(ORG, 'c'), undefined)
    await other.refresh()
    assert.notEqual(other.index.resolve(ORG, 'c', 's'), 0)
    await catalog.components.update(owner, made.uid, { id: 'd' })
    await other.refresh()
    assert.equal((await other.components.get(owner, made.uid)).id, 'd')
    assert.equal(other.index.resolve(ORG, 'c', 's'), 0)
    await catalog.components.delete(owner, made.uid)
    await other.refresh()
    assert.equal(other.index.streamCount, 0)
  }))

test('streams are numbered under the UID of their component, and no number comes back', () =>
  withCatalog(async (opened) => {
    const owner = ownerOf('org')
    const made = await opened.catalog.components.insert(owner, {
      stream: [{ id: 'a' }, { id: 'b' }],
    })
    const uidOf = (ordinal: number) => countedUidOf(made.uid, ordinal)
    assert.deepEqual(
      made.stream?.map(({ uid }) => uid),
      [uidOf(1), uidOf(2)],
    )
    await opened.catalog.streams.delete(owner, made.uid, uidOf(2))
    await opened.restart()
    const added = await opened.catalog.streams.insert(owner, made.uid, { id: 'c' })
    assert.equal(added.uid, uidOf(3))
    const [{ handles }] = await opened.catalog.autoCreate('org', [
      { compUid: made.uid, rules: {}, streams: [{ streamId: 'd', valueType: 'DOUBLE' }] },
    ])
    assert.equal(opened.catalog.index.streamUid(handles[0]), uidOf(4))
    const shown = await opened.catalog.components.get(owner, made.uid)
    assert.deepEqual(
      [shown.streamCount, shown.stream?.map(({ id }) => id), 'lastOrdinal' in shown],
      [3, ['a', 'c', 'd'], false],
    )
  }))
