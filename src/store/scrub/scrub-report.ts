import { type EpochMs, epochMs } from '../../base/index.ts'
import { CatalogDamaged, type CatalogStore } from '../ports/catalog-port.ts'
import type { JsonObject, JsonValue } from '../ports/document-key.ts'
import type { StreamHandle } from '../ports/sample-port.ts'
import type { ScrubFinding } from '../ports/scrub-port.ts'

/** Where a stream stands in the catalog. */
interface StreamPlace {
  readonly orgUid: string
  readonly uid: string
  readonly id: string
  readonly componentUid: string
  readonly componentId: string
}

/** The way from handles, which mean something in this process only, to streams and back. */
export interface StreamPlaces {
  placeOf(handle: StreamHandle): StreamPlace | undefined
  handleOf(place: Pick<StreamPlace, 'orgUid' | 'uid'>): StreamHandle | undefined
}

/** The last pass over everything that came to its end. */
export interface ScrubReport {
  readonly startedAt: EpochMs
  /** When it was through. */
  readonly time: EpochMs
  /** Rows, documents, frames and blocks that were read. */
  readonly items: number
  readonly bytes: number
  /** The bytes that were read of each part. */
  readonly bytesByPart: Readonly<Record<string, number>>
  readonly damaged: readonly ScrubFinding[]
}

const KEY = { orgUid: '', kind: 'scrub', uid: 'last' } as const

/** Keeps a report, so that a restart neither forgets it nor begins the week again. */
export async function saveReport(
  catalog: Pick<CatalogStore, 'commit'>,
  places: StreamPlaces,
  report: ScrubReport,
): Promise<void> {
  const damaged = report.damaged.map((finding): JsonObject => {
    const place = finding.handle === undefined ? undefined : places.placeOf(finding.handle)
    const { part, what, from = null, until = null } = finding
    return { part, what, from, until, orgUid: place?.orgUid ?? '', streamUid: place?.uid ?? '' }
  })
  const { startedAt, time, items, bytes } = report
  const body = { startedAt, time, items, bytes, bytesByPart: { ...report.bytesByPart }, damaged }
  await catalog.commit([{ op: 'put', ...KEY, body, expectedRevision: 'any' }])
}

/** The report that was kept last; findings of streams that are gone are left out. */
export async function loadReport(
  catalog: Pick<CatalogStore, 'get'>,
  places: StreamPlaces,
): Promise<ScrubReport | undefined> {
  const document = await catalog.get(KEY).catch((error: unknown) => {
    // The report is only lost then: the next pass is due, and finds what damaged it.
    if (error instanceof CatalogDamaged) return undefined
    throw error
  })
  if (document === undefined) return undefined
  const body = document.body as unknown as Omit<ScrubReport, 'damaged'> & {
    readonly damaged: readonly (Readonly<Record<string, JsonValue>> & ScrubFinding)[]
  }
  const damaged = body.damaged.flatMap((kept): ScrubFinding[] => {
    const { part, what, orgUid, streamUid: uid } = kept
    const place = { orgUid: String(orgUid), uid: String(uid) }
    const handle = uid === '' ? undefined : places.handleOf(place)
    if (uid !== '' && handle === undefined) return []
    return [{ part, what, handle, from: timeOf(kept.from), until: timeOf(kept.until) }]
  })
  return { ...body, damaged }
}

function timeOf(time: number | null | undefined): EpochMs | undefined {
  return typeof time === 'number' ? epochMs(time) : undefined
}
