import type { Identity } from '../../auth/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import {
  cycleShape,
  deleteProfileShape,
  folderShape,
  templateShape,
  unitShape,
} from '../../catalog/record/index.ts'
import { componentShape, dashboardShape } from '../../catalog/shape/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { App } from '../app-type.ts'
import {
  componentRecord,
  cycleRecord,
  deleteProfileRecord,
  folderRecord,
  templateRecord,
  unitRecord,
} from '../wire/catalog-answers.ts'
import { componentListQuery, readQueryText } from '../wire/catalog-wire.ts'
import { dashboardRecord } from '../wire/dashboard-answers.ts'
import { readPage } from '../wire/envelope.ts'
import { type RecordResource, recordRoutes } from './record-routes.ts'

/** Adds the administrative resources of the catalog, except streams. */
export function catalogRoutes(
  app: App,
  { catalog, ...deps }: { catalog: Catalog; gate: Gate; identity: Identity },
): void {
  for (const resource of resourcesOf(catalog)) recordRoutes(app, { ...resource, ...deps })
}

function resourcesOf(catalog: Catalog): RecordResource[] {
  const { components, templates, folders, cycles, units, deleteProfiles, dashboards } = catalog
  return [
    {
      noun: 'component',
      title: 'A component',
      shape: componentShape,
      records: components,
      answer: componentRecord,
      listQuery: componentListQuery,
      readList: (query) => ({
        ...readPage(query),
        folder: readQueryText(query, 'folder'),
        isDirect: !['false', '0', undefined].includes(readQueryText(query, 'direct')),
        search: readQueryText(query, 'search'),
        id: readQueryText(query, 'id'),
      }),
    },
    {
      noun: 'component_template',
      title: 'A template',
      shape: templateShape,
      records: templates,
      answer: templateRecord,
    },
    {
      noun: 'component_folder',
      title: 'A folder',
      shape: folderShape,
      records: folders,
      answer: folderRecord,
    },
    { noun: 'cycle', title: 'A cycle', shape: cycleShape, records: cycles, answer: cycleRecord },
    { noun: 'unit', title: 'A unit', shape: unitShape, records: units, answer: unitRecord },
    {
      noun: 'delete_profile',
      title: 'A delete profile',
      shape: deleteProfileShape,
      records: deleteProfiles,
      answer: deleteProfileRecord,
    },
    {
      noun: 'dashboard',
      title: 'A dashboard',
      shape: dashboardShape,
      records: dashboards,
      answer: dashboardRecord,
    },
  ]
}
