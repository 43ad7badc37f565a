import type { Catalog } from '../../catalog/index.ts'
import { VALUE_CODE } from '../../catalog/shape/index.ts'
import { baseCycleOf } from '../../feed/index.ts'
import type { SampleStore, StreamHandle } from '../../store/index.ts'
import type { InputSource } from '../condition/input-columns.ts'
import type { LoadedAlert } from './loaded-alert.ts'

/** A watched stream, as the conditions of an alert read it. */
export function inputSourceOf(
  {
    catalog: { index },
    store,
  }: { readonly catalog: Pick<Catalog, 'index'>; readonly store: SampleStore },
  loaded: LoadedAlert,
  handle: StreamHandle,
): InputSource {
  const component = index.componentOf(handle)
  return {
    store,
    handle,
    baseCycle: baseCycleOf(index, handle),
    isDecimal: index.valueCodeOf(handle) === VALUE_CODE.BIG_DECIMAL,
    findCycle: (cycleId) => loaded.cycleIn(cycleId, component.timeZone),
    findStream: (streamId) => index.resolveStream(component, streamId) || undefined,
  }
}
