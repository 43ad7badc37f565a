import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Box,
  clampBox,
  findPlace,
  placeBelow,
  placeBox,
  readingOrder,
} from '../../studio/src/pages/boards/grid-layout.ts'
import { fc } from '../support/fast-check.ts'

const box = (x: number, y: number, width = 6, height = 2): Box => ({ x, y, width, height })
const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

test('placeBox() moves what lies in the way down, and that what lies below it', () => {
  const boxes = [box(0, 0), box(0, 2), box(0, 4), box(6, 0)]
  assert.deepEqual(placeBox(boxes, 3, box(0, 1)), [box(0, 3), box(0, 5), box(0, 7), box(0, 1)])
})

test('placeBox() keeps inside the grid', () => {
  assert.deepEqual(clampBox(box(-3, -1, 20, 0)), box(0, 0, 12, 1))
  assert.deepEqual(clampBox(box(9, 2, 6, 99)), box(6, 2, 6, 50))
})

test('placeBox() leaves nothing over another, wherever a box is put', () => {
  const any = fc.record({
    x: fc.integer({ min: 0, max: 8 }),
    y: fc.integer({ min: 0, max: 12 }),
    width: fc.integer({ min: 1, max: 4 }),
    height: fc.integer({ min: 1, max: 4 }),
  })
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 12 }), any, fc.nat(), (all, to, which) => {
      // A board without overlaps to begin with, made as people make one.
      const boxes: Box[] = []
      for (const size of all) boxes.push(findPlace(boxes, size))
      const at = which % boxes.length
      const placed = placeBox(boxes, at, to)
      assert.deepEqual(placed[at], clampBox(to))
      placed.forEach((a, i) => {
        placed.forEach((b, j) => {
          assert.ok(i === j || !overlap(a, b), `${i} and ${j}`)
        })
      })
    }),
  )
})

test('findPlace() takes the first room, placeBelow() the row below all', () => {
  const boxes = [box(0, 0), box(6, 1)]
  assert.deepEqual(findPlace(boxes, { width: 6, height: 1 }), box(6, 0, 6, 1))
  assert.deepEqual(findPlace(boxes, { width: 6, height: 2 }), box(0, 2))
  assert.deepEqual(placeBelow(boxes, { width: 6, height: 2 }), box(0, 3))
  assert.deepEqual(placeBelow([], { width: 3, height: 1 }), box(0, 0, 3, 1))
})

test('readingOrder() goes row by row from the left', () => {
  assert.deepEqual(readingOrder([box(6, 0), box(0, 2), box(0, 0)]), [2, 0, 1])
})
