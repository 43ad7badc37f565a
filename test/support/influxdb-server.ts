/** An InfluxDB 1.x of Debian's package, started for a test on a free port. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keepablePort } from './port.ts'
import { makeServerHome } from './server-process.ts'
import { eventually } from './settle.ts'

const SERVER = '/usr/bin/influxd'

/** Whether the machine has InfluxDB. */
export function hasInfluxdb(): boolean {
  return existsSync(SERVER)
}

/** Why tests of InfluxDB cannot run here, for the `skip` option; with CI=true they must run. */
export function influxdbSkip(): string | false {
  return hasInfluxdb() || process.env.CI === 'true' ? false : 'no InfluxDB on this machine'
}

/** An InfluxDB that runs. */
interface InfluxdbServer {
  readonly url: string
  /** Runs a statement of InfluxQL. */
  query(statement: string): Promise<void>
  /** Writes line protocol. */
  write(query: string, lines: string): Promise<void>
  /** Ends the process at once and starts it again, on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Who may read an InfluxDB that asks for a password. */
export const INFLUX_USER = { name: 'reader', password: 'it\'s a "secret"' }

/** Starts a server; the caller stops it. With `asksForPassword`, only `INFLUX_USER` may use it. */
export async function startInfluxdb({ asksForPassword = false } = {}): Promise<InfluxdbServer> {
  const home = makeServerHome('influxdb', 'influxdb')
  const [port, backupPort] = [await keepablePort(), await keepablePort()]
  const place = (name: string) => JSON.stringify(join(home.folder, name))
  const config = home.write(
    'influxdb.conf',
    `reporting-disabled = true
bind-address = "127.0.0.1:${backupPort}"
[meta]
dir = ${place('meta')}
[data]
dir = ${place('data')}
wal-dir = ${place('wal')}
[http]
bind-address = "127.0.0.1:${port}"
auth-enabled = ${asksForPassword}
log-enabled = false
`,
  )
  const url = `http://127.0.0.1:${port}`
  const pair = Buffer.from(`${INFLUX_USER.name}:${INFLUX_USER.password}`).toString('base64')
  const headers: Record<string, string> = asksForPassword ? { Authorization: `Basic ${pair}` } : {}
  const start = () => home.start(SERVER, ['run', '-config', config])
  let server = start()
  const untilReady = () =>
    eventually(async () => {
      if (server.ending !== undefined) throw new Error(server.ending)
      await fetch(`${url}/ping`)
    })
  const post = async (path: string, body: string | URLSearchParams) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(`${answer.status} ${text}`)
  }
  const query = (statement: string) => post('/query', new URLSearchParams({ q: statement }))
  await untilReady()
  if (asksForPassword) {
    const password = INFLUX_USER.password.replace("'", "\\'")
    await query(`CREATE USER ${INFLUX_USER.name} WITH PASSWORD '${password}' WITH ALL PRIVILEGES`)
  }
  return {
    url,
    query,
    write: (search, lines) => post(`/write?${search}`, lines),
    restart: async () => {
      await server.stop()
      server = start()
      await untilReady()
    },
    stop: async () => {
      await server.stop()
      home.remove()
    },
  }
}
