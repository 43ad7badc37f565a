import type { DemoClient } from '../demo/demo-client.ts'

/** A picture: of what, how large, in which theme. */
export interface Shot {
  readonly name: string
  readonly path: string
  /** A text that is there when the page is. */
  readonly ready: string
  readonly width: number
  readonly height: number
  readonly theme: 'light' | 'dark'
}

interface Uids {
  readonly componentUid: string
  readonly streamUid: string
}

const wide = { width: 1280, height: 768 } as const
const phone = { width: 390, height: 780 } as const

/** The pictures, with the addresses that this greenhouse has. */
export async function findShots(client: DemoClient): Promise<Shot[]> {
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
  ]
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
