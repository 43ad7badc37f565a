import type { StreamPlaces } from '../../store/index.ts'
import type { StreamIndex } from './stream-index.ts'

/** The way from the handles of living streams to their names and back. */
export function streamPlaces(index: StreamIndex): StreamPlaces {
  return {
    placeOf: (handle) => {
      if (!index.has(handle)) return undefined
      const component = index.componentOf(handle)
      return {
        ...{ orgUid: component.orgUid, uid: index.streamUid(handle), id: index.streamIdOf(handle) },
        ...{ componentUid: component.uid, componentId: component.compId },
      }
    },
    handleOf: ({ orgUid, uid }) => index.streamByUid(orgUid, uid) || undefined,
  }
}
