import type { FoundStream } from '../../state/use-stream.ts'

/** The address of a new alert that watches a stream; without a condition, the person completes one. */
export function newAlertPath(found: FoundStream, condition = ''): string {
  const { componentUid, componentName, streamUid, streamName } = found
  const fields = { component: componentUid, stream: streamUid, of: componentName, name: streamName }
  const query = new URLSearchParams(condition === '' ? fields : { ...fields, condition })
  return `/alerts/new?${query}`
}
