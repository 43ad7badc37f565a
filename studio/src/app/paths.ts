/** Addresses of what has a page. They hold UIDs: IDs may be blank, and change. */
import { pathTo } from './place.ts'

/** The page of a component. */
export function componentPath(componentUid: string): string {
  return pathTo('c', componentUid)
}

/** The page of a stream. */
export function streamPath(componentUid: string, streamUid: string): string {
  return pathTo('c', componentUid, streamUid)
}

/** The editor of a component. */
export function editComponentPath(componentUid: string): string {
  return pathTo('build', 'component', componentUid)
}

/** The editor of a stream. */
export function editStreamPath(stream: {
  readonly componentUid: string
  readonly streamUid: string
}): string {
  return pathTo('build', 'component', stream.componentUid, 'stream', stream.streamUid)
}
