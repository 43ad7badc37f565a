import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'

/** What the file tests need to know of a started service. */
export interface FileTarget {
  readonly url: string
  readonly feedKey: string
}

/** Calls the API with the feed key; `path` begins after /api. */
export async function callApi(
  service: FileTarget,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const joint = path.includes('?') ? '&' : '?'
  return await fetch(`${service.url}/api${path}${joint}api_key=${service.feedKey}`, init)
}

/** PUTs a file as a raw body and gives the answer's fields; fails on anything but a 200. */
export async function putFile(
  service: FileTarget,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  type = 'application/octet-stream',
): Promise<{ time: number; url: string }> {
  const headers = { 'content-type': type }
  const answer = await callApi(service, path, { method: 'PUT', body, headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`PUT ${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/** GETs a JSON answer. */
export async function getJson(service: FileTarget, path: string): Promise<unknown> {
  return await (await callApi(service, path)).json()
}

/** How many bodies, finished or not, lie in a data folder. */
export function countBodies(dataDir: string): number {
  return readdirSync(join(dataDir, 'files'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  ).length
}

/** Opens a socket to a service, for requests that no client would send. */
export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}
