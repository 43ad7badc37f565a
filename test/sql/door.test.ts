import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CompiledInsert,
  type CompiledQuery,
  type CompiledRead,
  type CompiledSelect,
  type CompiledSet,
  type CompiledSource,
  type CompiledSql,
  type CompiledStatement,
  type CsvTablePlan,
  INSERT_OPTIONS,
  type JsonStep,
  type JsonTablePlan,
  type SourceType,
  type SqlCell,
  type SqlColumn,
  SqlFailure,
  type SqlPlace,
} from '../../src/sql/index.ts'

const type: SourceType = 'STRING'
const place: SqlPlace = [0, 10]
const column: SqlColumn = { name: 'CID', type }
const steps: readonly JsonStep[] = ['device', 0]
const json: JsonTablePlan = { kind: 'json', levels: [steps], columns: [{ type, level: 1, steps }] }
const csv: CsvTablePlan = {
  kind: 'csv',
  delimiter: ',',
  hasHeader: false,
  columns: [{ type, position: 1 }],
}
const sources: CompiledSource[] = [json, csv].map((plan, index) => ({
  table: `weir_s${index}x1`,
  columnCount: 1,
  text: { variable: 0 },
  plan,
  place: 0,
}))
const reads: CompiledRead[] = [{ table: 'weir_r0', of: 'STREAM', columns: ['ID'], place }]
const query: CompiledQuery = {
  sql: 'SELECT :v0 AS c0',
  columns: [column],
  variables: [0],
  readsNow: false,
  functions: ['weir_join'],
  sources,
  reads,
  places: [place],
  place,
}
const set: CompiledSet = { kind: 'set', variable: 0, query }
const select: CompiledSelect = { kind: 'select', query }
const insert: CompiledInsert = { kind: 'insert', query, options: query }
const statements: CompiledStatement[] = [set, select, insert]
const compiled: CompiledSql = { text: 'SET …', variables: ['@HTTP_BODY'], statements }

test('a compiled program is plain data that any channel carries', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(compiled)), compiled)
  assert.deepEqual(structuredClone(compiled), compiled)
})

test('a failure while a query runs names the number of a place, or none', () => {
  const cell: SqlCell = 'x'
  assert.equal(new SqlFailure(`cannot read ${cell}`, 3).place, 3)
  assert.equal(new SqlFailure('out of memory').place, undefined)
  assert.deepEqual([...INSERT_OPTIONS], ['COMP_TMPL_ID', 'FOLDER_PATH', 'CNAME'])
})
