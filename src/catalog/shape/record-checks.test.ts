import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cycleShape } from '../record/cycle-record.ts'
import { templateShape } from '../record/template.ts'
import { componentShape } from './component-shape.ts'
import { shapeCheck } from './record-checks.ts'

const check = shapeCheck('component', componentShape)

function refused(run: () => void): string {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}

test('shapeCheck() looks at no item of a list that is too long', () => {
  const messageOf = (noun: string, field: string, run: (input: unknown) => void) => {
    let looks = 0
    const item = new Proxy(
      {},
      {
        get: () => {
          looks += 1
        },
        has: () => {
          looks += 1
          return false
        },
        ownKeys: () => {
          looks += 1
          return []
        },
      },
    )
    const message = refused(() => run({ [field]: Array.from({ length: 10_001 }, () => item) }))
    assert.equal(message, `${noun}.${field} must not have more than 10000 items`)
    assert.equal(looks, 0)
  }
  messageOf('component', 'stream', check)
  messageOf('component_template', 'stream', shapeCheck('component_template', templateShape))
  messageOf('cycle', 'intervals', shapeCheck('cycle', cycleShape))
})

test('shapeCheck() expectMessage what is wrong from the first wrong item, and looks at the others once', () => {
  let looks = 0
  const good = Object.defineProperty({}, 'id', {
    enumerable: true,
    get: () => {
      looks += 1
      return 'a'
    },
  })
  check({ stream: Array.from({ length: 5_000 }, () => good) })
  const once = looks
  looks = 0
  const stream = [...Array.from({ length: 5_000 }, () => good), { unit: 5 }, { id: 1 }]
  const message = refused(() => check({ stream }))
  assert.equal(message, 'component.stream[5000].unit must be null or an object')
  assert.ok(looks <= 2 * once, `${looks} looks at what takes ${once} when it is right`)
})

test('shapeCheck() names the field, in lists with its place', () => {
  const expectMessage = (input: unknown, message: string) =>
    assert.equal(
      refused(() => check(input)),
      message,
    )
  expectMessage({ stream: [] }, 'accepted')
  expectMessage({ stream: [{}, { id: 1 }] }, 'component.stream[1].id must be a string')
  expectMessage({ stream: [{}, 1] }, 'component.stream[1] must be an object')
  expectMessage({ stream: {} }, 'component.stream must be an array')
  expectMessage({ stream: [{}], name: 1 }, 'component.name must be a string')
  expectMessage({ location: { latitude: 'x' } }, 'component.location.latitude must be a number')
  expectMessage([], 'component must be an object')
  expectMessage(null, 'component must be an object')
  expectMessage(undefined, 'component must be an object')
})
