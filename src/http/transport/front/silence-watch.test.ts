import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SilenceWatch } from './silence-watch.ts'

test('an idle connection is reported after its time limit', () => {
  const watch = new SilenceWatch(120_000)
  let allHeaders = 0
  const connection = {
    movedBytes: 0,
    onSilent: () => {
      allHeaders += 1
    },
  }
  watch.begin(connection)
  // The first look may come at once, so that four more make the whole time.
  for (let look = 0; look < 4; look += 1) watch.look()
  assert.equal(allHeaders, 0)
  connection.movedBytes = 10
  for (let look = 0; look < 4; look += 1) watch.look()
  assert.equal(allHeaders, 0)
  watch.look()
  assert.equal(allHeaders, 1)
  watch.look()
  assert.equal(allHeaders, 2)
  watch.end(connection)
  watch.look()
  assert.equal(allHeaders, 2)
  watch.close()
})
