import type { Page } from 'playwright-core'
import type { DemoClient } from '../../src/demo/demo-client.ts'

/** A picture: of what, how large, in which theme. */
export interface Shot {
  readonly name: string
  readonly path: string
  /** A text that is there when the page is. */
  readonly ready: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
  /** What is done before the picture is taken. */
  readonly act?: (page: Page) => Promise<unknown>
}

interface Uids {
  readonly componentUid: string
  readonly streamUid: string
}

const wide = { width: 1280, height: 768 } as const
const phone = { width: 390, height: 780 } as const

/** The pictures, with the addresses that this greenhouse has. */
export async function findShots(client: DemoClient, password: string): Promise<Shot[]> {
  const north = await uidsOf(client, 'north-house', 'temp')
  const others = [
    await uidsOf(client, 'south-house', 'temp'),
    await uidsOf(client, 'weather', 'temp'),
    await uidsOf(client, 'north-house', 'humidity'),
  ]
  const names = [north, ...others].map((one) => `${one.componentUid}.${one.streamUid}`)
  const view = `/view?s=${names.join()}`
  const component = `/c/${north.componentUid}`
  const stream = `${component}/${north.streamUid}`
  return [
    { name: 'studio', path: view, ready: 'North house / Temperature', ...wide, theme: 'light' },
    { name: 'studio-dark', path: component, ready: 'North house', ...wide, theme: 'dark' },
    { name: 'studio-phone', path: stream, ready: 'Temperature', ...phone, theme: 'light' },
    ...(await findWorkShots(client, { ...north, password })),
  ]
}

/** The pictures of what people make of samples. */
async function findWorkShots(
  client: DemoClient,
  { componentUid, password }: Uids & { readonly password: string },
): Promise<Shot[]> {
  const { query } = (await client.call('GET', '/api/query')) as { query: ReadonlyArray<Named> }
  const { connector } = (await client.call('GET', '/api/connector')) as {
    connector: ReadonlyArray<Named>
  }
  await callSink(client, connector[0], password)
  const { streamUid } = await uidsOf(client, 'north-house', 'dryness')
  const editor = `/build/component/${componentUid}/stream/${streamUid}`
  const press = (name: string) => (page: Page) =>
    page.getByRole('button', { name, exact: true }).first().click()
  return [
    {
      name: 'studio-query',
      path: `/query/${query[0].uid}?show=chart`,
      ...wide,
      ready: 'Hourly temperatures',
      theme: 'light',
      act: press('Run'),
    },
    {
      name: 'studio-connect',
      path: `/connect/${connector[0].uid}`,
      ...wide,
      ready: 'Failed: ',
      theme: 'light',
      act: press('Show'),
    },
    {
      name: 'studio-derive',
      path: editor,
      ready: 'Preview',
      ...wide,

      theme: 'dark',
      act: (page) =>
        page
          .getByRole('textbox', { name: 'Formula' })
          .evaluate('(formula) => formula.scrollIntoView({ block: "center" })'),
    },
  ]
}

interface Named {
  readonly uid: string
  readonly sinkUrl?: string
}

/** Two calls that are understood, and one that is not. */
async function callSink(client: DemoClient, { sinkUrl = '' }: Named, currentPassword: string) {
  const { api_key: key } = (await client.call('PUT', '/api/api_key', {
    api_key: { name: 'Probes', capabilities: [{ resource: 'conn_sink', methods: ['POST'] }] },
    currentPassword,
  })) as { api_key: { readonly secretKey: string } }
  const path = `${new URL(sinkUrl).pathname}?api_key=${key.secretKey}`
  const sent = [
    { probe: 'probe-7', moisture: 31.5 },
    { probe: 'probe-7', moisture: 31.2 },
    { device: 'probe-8', moisture: 28.9 },
  ]
  for (const body of sent) {
    await client.call('POST', path, body).catch(() => {})
  }
}

async function uidsOf(client: DemoClient, componentId: string, streamId: string): Promise<Uids> {
  const search = encodeURIComponent(componentId)
  const { component } = (await client.call('GET', `/api/component?search=${search}`)) as {
    component: ReadonlyArray<{ id: string; uid: string }>
  }
  const componentUid = component.find(({ id }) => id === componentId)?.uid ?? ''
  const { stream } = (await client.call('GET', `/api/component/${componentUid}/stream`)) as {
    stream: ReadonlyArray<{ id: string; uid: string }>
  }
  return { componentUid, streamUid: stream.find(({ id }) => id === streamId)?.uid ?? '' }
}
