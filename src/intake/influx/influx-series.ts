import type { SeriesAddress } from '../../catalog/index.ts'
import type { Labels } from '../../store/index.ts'

/** What a field of a line means. */
export interface FieldSeries {
  readonly series: Labels
  /** Labels that follow the points without being part of the series. */
  readonly moreLabels: Labels
  readonly address: SeriesAddress
  /** Whether its texts are stored only where they change. */
  readonly isOnChange: boolean
}

/** Tags that name the component, the first that is there. */
const COMPONENT_TAGS = ['host', 'device', 'device_id', 'sensor', 'id']

const NAME = '__name__'
const UNIT = 'unit_of_measurement'
const NO_LABELS: Labels = {}

/** The series of a field, by measurement and tags; undefined where a tag has the name of the name itself. */
export function seriesOfField(
  { measurement, tags }: { measurement: string; tags: ReadonlyMap<string, string> },
  field: string,
): FieldSeries | undefined {
  if (tags.has(NAME)) return undefined
  const [domain, entityId] = [tags.get('domain'), tags.get('entity_id')]
  if (domain !== undefined && entityId !== undefined) {
    return seriesOfEntity({ measurement, tags, entity: `${domain}.${entityId}` }, field)
  }
  const name = field === 'value' ? measurement : `${measurement}_${field}`
  const tag = COMPONENT_TAGS.find((one) => tags.has(one))
  return {
    series: Object.fromEntries([[NAME, name], ...tags]),
    moreLabels: NO_LABELS,
    address: {
      component: tag === undefined ? measurement : (tags.get(tag) ?? ''),
      stream: name,
      used: tag === undefined ? [NAME] : [NAME, tag],
    },
    isOnChange: false,
  }
}

/** Home Assistant writes the unit as the measurement, and an attribute of an entity as a field. */
function seriesOfEntity(
  {
    measurement,
    tags,
    entity,
  }: { measurement: string; tags: ReadonlyMap<string, string>; entity: string },
  field: string,
): FieldSeries {
  return {
    series: Object.fromEntries([[NAME, `homeassistant_${field}`], ...tags]),
    moreLabels: measurement === entity ? NO_LABELS : { [UNIT]: measurement },
    address: { component: entity, stream: field, used: [NAME, 'domain', 'entity_id'] },
    isOnChange: field.endsWith('_str'),
  }
}
