/** A piece of the composition root: what reads back all that is stored. */
import { type Clock, type Log, newUid } from '../base/index.ts'
import { type Catalog, streamPlaces } from '../catalog/index.ts'
import { FileScrub, type FileScrubDeps } from '../files/index.ts'
import {
  type CatalogStore,
  type KnownDamage,
  type SampleStore,
  type Scrubbable,
  type ScrubPart,
  ScrubRunner,
  type StreamPlaces,
} from '../store/index.ts'

/** What a scrub reads, and where it reports what it found. */
interface ScrubDeps extends Omit<FileScrubDeps, 'store'> {
  readonly catalog: Catalog
  readonly catalogStore: CatalogStore
  readonly clock: Clock
  readonly damage: KnownDamage
  readonly log: Log
  readonly samples: SampleStore
  /** Stores that may be able to read back what they hold. */
  readonly parts: readonly { readonly name: ScrubPart['name']; readonly store: object }[]
}

/** Opens the scrub over all parts; it is not started. */
export async function openScrub(
  deps: ScrubDeps,
): Promise<{ readonly scrub: ScrubRunner; readonly places: StreamPlaces }> {
  const { blobs, catalog, catalogStore, clock, damage, fileStreams, log, samples } = deps
  const places = streamPlaces(catalog.index)
  damage.attach({
    setAside: () => samples.status().damages,
    isLiving: (handle) => catalog.index.has(handle),
  })
  const files = new FileScrub({ blobs, store: samples, fileStreams })
  const scrub = await ScrubRunner.open({
    catalog: catalogStore,
    clock,
    damage,
    holder: newUid(),
    log,
    places,
    parts: [...deps.parts.flatMap(asPart), { name: 'files', store: files }],
    onFailure: (error) => log.error({ error }, 'a scrub failed'),
  })
  return { scrub, places }
}

function asPart({ name, store }: ScrubDeps['parts'][number]): ScrubPart[] {
  return 'scrub' in store ? [{ name, store: store as Scrubbable }] : []
}
