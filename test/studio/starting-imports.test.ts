import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startingImports } from '../../studio/src/pages/connect/import/starting-imports.ts'
import { ownerOfFile, serviceOfFile } from '../support/service-of-file.ts'

/** What each statement for the database could answer. */
const RESULTS: Readonly<Record<string, string>> = {
  wide: 'device,measured_at,temperature,humidity\nd7,2026-03-01T00:00:00Z,21.5,40\nd8,2026-03-01T00:00:00.5+01:00,,41\n',
  narrow: 'device,quantity,measured_at,value\nd7,flow,2026-03-01T00:00:00Z,3.25\n',
  epoch: 'device,unix_time,temperature\nd7,1772323200,21.5\n',
}
const SAMPLES: Readonly<Record<string, number>> = { wide: 3, narrow: 1, epoch: 1 }

const service = serviceOfFile()
const owner = ownerOfFile(service)

test('every starting point of imports turns rows into samples', async () => {
  for (const { id, sql } of startingImports) {
    // A dry run of a webhook gives the rows as its body. The names of the columns are skipped only if it says so.
    const procs = [{ sql: sql.replaceAll('@JDBC_RESULT', '@HTTP_BODY HEADER'), timeZoneId: 'UTC' }]
    const trial = { connector: { procs }, method: 'POST', query: '', body: RESULTS[id] }
    const { status, text, body } = await owner('POST', '/api/connector/dry_run', trial)
    assert.equal(status, 200, `${id}: ${text}`)
    assert.equal(body.sampleCount, SAMPLES[id], `${id}: ${text}`)
    const midnight = Date.parse('2026-03-01T00:00:00Z')
    assert.ok(
      body.samples.some(({ time }: { time: number }) => time === midnight),
      text,
    )
  }
})
