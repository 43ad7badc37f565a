/** Programs that write line protocol, as their makers publish them: where they are once installed. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readDocumented } from '../support/documented.ts'
import { obtain, obtainPython, whyMissing } from './run-program.ts'

const CACHE = resolve('node_modules/.cache/weir-programs')

const TELEGRAF = 'v1.37.2'
const TELEGRAF_PLUGINS = ['cpu', 'mem', 'disk', 'net'].map((name) => `inputs.${name}`)
const TELEGRAF_OUTPUTS = ['influxdb', 'influxdb_v2', 'file'].map((name) => `outputs.${name}`)
const PYTHON_CLIENTS = ['influxdb==5.3.2', 'influxdb-client==1.50.0', 'influxdb3-python==0.21.0']
const NODE_PACKAGES = [
  '@influxdata/influxdb-client@1.35.0',
  'node-red@4.1.15',
  'node-red-contrib-influxdb@0.7.0',
]
/** With what it would install when it starts first, and without a dependency that has moved on. */
const HOME_ASSISTANT = [
  'homeassistant==2024.3.3',
  'josepy<2',
  'influxdb==5.3.1',
  'influxdb-client==1.24.0',
  'home-assistant-frontend==20240307.0',
  'SQLAlchemy==2.0.27',
  'fnv-hash-fast==0.5.0',
  'janus==1.0.0',
  'Pillow==10.2.0',
  'psutil-home-assistant==0.0.1',
  'pyotp==2.8.0',
  'PyQRCode==1.2.1',
  'securetar==2024.2.1',
]

const telegrafHome = join(CACHE, `telegraf-${TELEGRAF}`)
/** Telegraf with a few plugins. */
export const telegraf = join(telegrafHome, 'telegraf')
/** Why Telegraf cannot be had, or false. */
export async function obtainTelegraf(): Promise<string | false> {
  const tags = ['custom', ...TELEGRAF_PLUGINS, ...TELEGRAF_OUTPUTS, 'serializers.influx'].join(',')
  const source = `github.com/influxdata/telegraf/cmd/telegraf@${TELEGRAF}`
  const install = ['go', 'install', '-tags', tags, source]
  return (
    (await whyMissing(['go', 'version'])) ||
    (await obtain(telegraf, [install], { GOBIN: telegrafHome }))
  )
}

const clientsHome = join(CACHE, `clients-${PYTHON_CLIENTS.join('-').replaceAll('=', '')}`)
/** Python with the clients of InfluxDB. */
export const clientPython = join(clientsHome, 'bin/python3')
/** Why they cannot be had, or false. */
export const obtainPythonClients = () => obtainPython(clientsHome, PYTHON_CLIENTS)

const hassHome = join(CACHE, 'home-assistant-2024.3.3')
/** Home Assistant. */
export const hass = join(hassHome, 'bin/hass')
/** Why it cannot be had, or false. */
export const obtainHomeAssistant = () => obtainPython(hassHome, HOME_ASSISTANT)

/** Where the packages for Node are installed. */
export const nodeHome = join(CACHE, `writers-${NODE_PACKAGES.at(-2)}`)
/** Why they cannot be had, or false. */
export async function obtainNodePackages(): Promise<string | false> {
  mkdirSync(nodeHome, { recursive: true })
  const install = ['npm', 'install', '--no-save', '--prefix', nodeHome, ...NODE_PACKAGES]
  return await obtain(join(nodeHome, 'node_modules/node-red-contrib-influxdb/package.json'), [
    install,
  ])
}

/** An example of docs/integrations.md, for a service of a test. */
export function exampleFor(
  service: { readonly port: number; readonly feedKey: string },
  place: { readonly heading: string; readonly language: string; readonly at?: number },
): string {
  return readDocumented('docs/integrations.md', place)
    .replaceAll('weir.example:8080', `127.0.0.1:${service.port}`)
    .replaceAll('weir.example', '127.0.0.1')
    .replace(/(port\W+)8080/, `$1${service.port}`)
    .replaceAll('your feed key', service.feedKey)
}
