import assert from 'node:assert/strict'
import { test } from 'node:test'
import { caller, signIn } from '../../support/caller.ts'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)

async function lastAct(): Promise<Record<string, string>> {
  return (await owner('GET', '/api/audit?limit=1')).body.audit[0]
}

test('who deletes samples, streams, components and folders is in the audit log', async () => {
  const body = {
    component: { id: 'c1', folder: '/Components/hall', stream: [{ id: 's1' }, { id: 's2' }] },
  }
  const made = await owner('PUT', '/api/component', body)
  assert.equal(made.status, 200, made.text)
  const { uid, stream } = made.body.component
  const range = await owner('DELETE', '/api/comp/c1/stream/s1/feed?sd=1000&ed=2000')
  assert.equal(range.status, 200, range.text)
  const samples = await lastAct()
  assert.deepEqual(
    [samples.act, samples.detail, samples.address, samples.target],
    ['samples_deleted', '"c1" / "s1", sd 1000, ed 2000', '127.0.0.1', stream[0].uid],
  )
  assert.match(samples.actor, /^user:/)
  assert.equal((await owner('DELETE', '/api/comp/c1/stream/s1/feed?sd=1')).status, 400)
  assert.equal((await lastAct()).time, samples.time, 'what was refused is not written down')
  const ofStream = `/api/component/${uid}/stream/${stream[0].uid}`
  assert.equal((await owner('DELETE', ofStream)).status, 200)
  const gone = await lastAct()
  assert.deepEqual([gone.act, gone.target], ['stream_deleted', stream[0].uid])
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  const component = await lastAct()
  assert.deepEqual([component.act, component.target], ['component_deleted', uid])
  const folders = (await owner('GET', '/api/component_folder')).body.component_folder
  const hall = folders.find((one: object) => JSON.stringify(one).includes('hall'))
  assert.equal((await owner('DELETE', `/api/component_folder/${hall.uid}`)).status, 200)
  const folder = await lastAct()
  assert.deepEqual([folder.act, folder.target], ['folder_deleted', hall.uid])
})

test('a component without an ID is shown by its name', async () => {
  const component = { name: 'Pump house' }
  const made = await owner('PUT', '/api/component', { component })
  assert.equal(made.status, 200, made.text)
  const { uid } = made.body.component
  assert.equal((await owner('DELETE', `/api/component/${uid}`)).status, 200)
  const { act, target, detail } = await lastAct()
  assert.deepEqual([act, target, detail], ['component_deleted', uid, 'Pump house'])
})

test('the operators see who deleted an organization, whose own log went with it', async () => {
  const { body } = await owner('PUT', '/api/organization', { organization: { name: 'Brief' } })
  const { uid } = body.organization
  const session = await signIn(service, service.ownerEmail, service.ownerPassword)
  const proof = { 'Weir-Password': service.ownerPassword }
  const inBrief = caller(service, `${session}; org=${uid}`, proof)
  assert.equal((await inBrief('DELETE', `/api/organization/${uid}`)).status, 200)
  const { act, target, detail, actor } = await lastAct()
  assert.deepEqual([act, target, detail], ['organization_deleted', uid, 'Brief'])
  assert.match(actor, /^user:/)
})
