import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefersCsv, writeCsv } from './feed-csv.ts'

test('prefersCsv() wants CSV named, with more weight than JSON or before it', () => {
  for (const accept of [
    'text/csv',
    'Text/CSV; charset=utf-8',
    'text/csv, application/json',
    'text/csv;q=0.5, */*',
    'application/json;q=0.5,text/csv; header=present; q=0.9',
  ]) {
    assert.equal(prefersCsv(accept), true, accept)
  }
  for (const accept of [
    undefined,
    '',
    '*/*',
    'text/*',
    'application/json',
    'application/json, text/csv',
    'text/csv;q=0',
    'text/csv;q=0.2, application/json',
    'text/csvx',
    'text/csv;q=nan',
  ]) {
    assert.equal(prefersCsv(accept), false, String(accept))
  }
})

const NO_FIELDS = { compId: false, streamId: false, fData: false, unit: false, sdTime: false }
const ALL = { compId: true, streamId: true, fData: true, unit: true, sdTime: true }

test('writeCsv() quotes what must be, leaves nulls empty and shows numbers as JSON does', async () => {
  const texts = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', '', undefined]
  const series = {
    compId: 'c,1',
    streamId: 's',
    count: 6,
    texts,
    isBoolean: false,
    isDecimal: false,
    times: Float64Array.of(6, 5, 4, 3, 2, -1),
    numbers: Float64Array.of(0, 0, 0, 0, 0, -0.1),
  }
  const plain = String(await writeCsv([series], NO_FIELDS, 10))
  assert.equal(
    plain,
    'time,data\r\n6,plain\r\n5,"a,b"\r\n4,"say ""hi"""\r\n3,"two\r\nlines"\r\n2,""\r\n-1,-0.1\r\n',
  )
  const interval = {
    compId: 'c,1',
    streamId: 'i',
    count: 2,
    isBoolean: false,
    isDecimal: false,
    times: Float64Array.of(20, 10),
    starts: Float64Array.of(10, 0),
    numbers: Float64Array.of(1e21, 0),
    gaps: Uint8Array.of(0, 1),
  }
  const wide = String(await writeCsv([interval, { ...series, count: 1 }], ALL, 10)).split('\r\n')
  assert.deepEqual(wide, [
    'compId,streamId,time,data,fData,unit,sdTime',
    '"c,1",i,20,1e+21,1e+21,"",10',
    '"c,1",i,10,,"","",0',
    '"c,1",s,6,plain,plain,"",',
    '',
  ])
})
