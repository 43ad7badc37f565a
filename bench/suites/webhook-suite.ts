import { drive, type Outcome } from '../load/drive.ts'
import { PutTemplate, Walk, type WireForm } from '../load/put-template.ts'
import { cpuSeconds, type RunningPeer } from '../peers/service.ts'
import { KEY, OWNER_PASSWORD, weir } from '../peers/weir.ts'
import type { Row } from '../report.ts'
import { printProgress, type Settings, withPeer } from '../settings.ts'

const CONNECTIONS = 12
const SENSORS = 10
const SECOND_MS = 1_000
const START = Date.UTC(2024, 0, 1)

/** What such a webhook is turned into samples by. */
const SQL = `INSERT OR REPLACE INTO SAMPLE(CID, ID, TIME, SAMPLE)
SELECT device, sensor, t, v FROM JSON_TABLE(@HTTP_BODY) WITH (
  device String '$.device', sensor String '$.sensors[*].id',
  t Long '$.sensors[*].time', v Double '$.sensors[*].value')`

/** A webhook of ten sensors through GS SQL, beside a feed PUT of the same samples. */
export async function webhookSuite(settings: Settings): Promise<Row[]> {
  if (!settings.peers.includes(weir)) return []
  return withPeer(weir, async (running) => {
    const orgUid = await makeConnector(running.port)
    const put = await measure(running, settings, () => running.putForm)
    const hook = await measure(running, settings, (device) => hookForm(orgUid, device))
    const note = `${(hook.calls / hook.seconds / (put.calls / put.seconds)).toFixed(2)} times that of the put`
    return [
      rowOf('feed PUT of 10 samples', 'calls/s', '', { value: put.calls / put.seconds }),
      rowOf('feed PUT of 10 samples, p50', 'ms', '', { value: put.p50Ms }),
      rowOf('webhook of 10 sensors through GS SQL', 'calls/s', '3,000', {
        value: hook.calls / hook.seconds,
        note,
      }),
      rowOf('webhook of 10 sensors through GS SQL, p50', 'ms', '5 ms', { value: hook.p50Ms }),
    ]
  })
}

function rowOf(work: string, unit: Row['unit'], aim: string, Weir: Row['cells'][string]): Row {
  return { work, unit, aim, cells: { Weir } }
}

/** Saves the connector that the webhooks go to; answers the organization. */
async function makeConnector(port: number): Promise<string> {
  const call = async (method: string, path: string, headers: object, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`)
    return JSON.parse(text)
  }
  const login = { email: 'owner@localhost', password: OWNER_PASSWORD }
  const { sessionUid, userUid, organization } = await call('POST', '/api/login', {}, login)
  const connector = {
    id: 'hook',
    runningUser: { uid: userUid },
    procs: [{ timeZoneId: 'UTC', sql: SQL }],
  }
  await call('PUT', '/api/connector', { Cookie: `session=${sessionUid}` }, { connector })
  return organization[0].uid
}

function hookForm(orgUid: string, device: string): WireForm {
  return {
    head: `POST /api/conn_sink/${orgUid}/hook?api_key=${KEY} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n`,
    open: `{"device":"${device}","sensors":[`,
    between: ',',
    close: ']}',
    sample: ({ streamId }, time, value) => `{"id":"${streamId}","time":${time},"value":${value}}`,
  }
}

/** Drives calls of ten samples, those of each connection of a device of its own. */
async function measure(
  running: RunningPeer,
  settings: Settings,
  formOf: (device: string) => WireForm,
): Promise<Outcome> {
  const templates = Array.from({ length: CONNECTIONS }, (_, at) => {
    const compId = `device${at}`
    const streams = Array.from({ length: SENSORS }, (_, of) => ({ compId, streamId: `s${of}` }))
    return new PutTemplate(formOf(compId), streams)
  })
  const walk = new Walk(1)
  let count = 0
  const next = (connection: number) => {
    const time = START + count++ * SECOND_MS
    return templates[connection].fill(
      () => time,
      () => walk.next(),
    )
  }
  const load = { connections: CONNECTIONS, callsMax: Number.POSITIVE_INFINITY, next }
  // The first calls create streams, start runners and compile.
  await drive(running, { ...load, secondsMax: Math.min(3, settings.seconds) })
  const before = cpuSeconds(running.process) ?? 0
  const outcome = await drive(running, { ...load, secondsMax: settings.seconds })
  const used = (cpuSeconds(running.process) ?? 0) - before
  printProgress(
    `  ${((used * 1e6) / outcome.calls).toFixed(1)} µs of processor time a call, runners aside`,
  )
  return outcome
}
