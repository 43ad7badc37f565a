import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ownerOfFile, serviceOfFile } from '../../support/service-of-file.ts'

const service = serviceOfFile()
const owner = ownerOfFile(service)
before(async () => {
  await make({ id: 'pump-1', name: 'Main pump', folder: '/Components/Hall A' })
  await make({ id: 'pump-2', name: 'Spare', folder: '/Components/Hall A/Cellar' })
  await make({ id: '', name: 'Nameless pumping thing' })
})

async function make(component: object): Promise<void> {
  const { status, text } = await owner('PUT', '/api/component', { component })
  assert.equal(status, 200, text)
}

async function list(query: string): Promise<string[]> {
  const { status, text, body } = await owner('GET', `/api/component?${query}`)
  assert.equal(status, 200, text)
  return body.component.map(({ id, name }: { id: string; name: string }) => id || name)
}

test('GET /api/component with direct lists what lies in a folder itself', async () => {
  assert.deepEqual(await list('folder=/Components/Hall%20A'), ['pump-1', 'pump-2'])
  assert.deepEqual(await list('folder=/Components/Hall%20A&direct'), ['pump-1'])
  assert.deepEqual(await list('folder=/Components/Hall%20A&direct=false'), ['pump-1', 'pump-2'])
  const root = await list('direct')
  assert.ok(root.includes('Nameless pumping thing') && !root.includes('pump-1'))
})

test('GET /api/component with id lists the one that has it', async () => {
  assert.deepEqual(await list('id=pump-2'), ['pump-2'])
  assert.deepEqual(await list('id=none'), [])
  assert.deepEqual(await list('id='), [])
})
