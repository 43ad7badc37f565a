/** The records of the catalog, except streams, and what clients ask beside the six calls of a record. */
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import {
  cyclePreviewShape,
  cycleShape,
  deleteProfileShape,
  exportShape,
  expressionCheckShape,
  folderShape,
  mapShape,
  templateShape,
  unitShape,
} from '../../catalog/record/index.ts'
import { componentShape, dashboardShape } from '../../catalog/shape/index.ts'
import { answersOf, EXAMPLE_UID } from '../openapi/answer-schema.ts'
import { type HttpOperation, httpOperation, json } from '../table/http-operation.ts'
import {
  componentRecord,
  cycleRecord,
  deleteProfileRecord,
  filedComponent,
  folderRecord,
  templateRecord,
  unitRecord,
} from '../wire/catalog-answers.ts'
import { componentListQuery, readQueryText, unwrap } from '../wire/catalog-wire.ts'
import {
  cyclePreviewAnswer,
  dashboardRecord,
  exportedDashboard,
  importAnswer,
} from '../wire/dashboard-answers.ts'
import { envelope, readPage } from '../wire/envelope.ts'
import { expressionCheckRecord, expressionFunctionRecord } from '../wire/expression-answers.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { type RecordResource, recordOperations } from './record-operations.ts'

/** What the operations of the catalog need. */
interface CatalogOperationsDeps {
  readonly catalog: Catalog
  readonly identity: Identity
}

/** The operations of the catalog. */
export function catalogOperations(deps: CatalogOperationsDeps): HttpOperation[] {
  const resources = resourcesOf(deps.catalog)
  return [
    ...resources.flatMap((resource) => recordOperations(deps.identity, resource)),
    ...fieldOperations(deps),
    ...dashboardOperations(deps),
    ...expressionOperations(deps.catalog),
  ]
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

const namedComponentBody = Type.Object(
  { component: Type.Object({ uid: Type.String(), ...componentShape.properties }) },
  {
    title: 'NamedComponentBody',
    examples: [{ component: { uid: EXAMPLE_UID, name: 'Boiler' } }],
  },
)

const filingQuery = Type.Object({
  contentType: Type.String({ description: 'component' }),
  parentFolderUid: Type.String({ description: 'UID of the folder. Blank: /Components' }),
  text: Type.Optional(Type.String({ description: 'Ignored' })),
})

/** The ways in which clients in the field change a component: by its body, and by folder. */
function fieldOperations({ catalog, identity }: CatalogOperationsDeps): HttpOperation[] {
  const changing = { callers: 'admin', needs: 'POST component/{uid}' } as const
  return [
    httpOperation({
      ...changing,
      name: 'updateComponentByBody',
      methods: ['POST'],
      path: '/api/component',
      tag: 'component',
      summary: 'Change the given fields of the component with the UID in the body',
      input: json(namedComponentBody),
      answer: answersOf('component', componentRecord).one,
      run: async ({ acting, body }) => {
        const input = unwrap('component', body)
        const author = authorOf(identity, acting)
        return envelope('component', await catalog.components.updateNamed(author, input))
      },
    }),
    httpOperation({
      ...changing,
      name: 'fileComponent',
      methods: ['PUT'],
      path: '/api/component_folder/:uid',
      tag: 'component_folder',
      summary: 'Move a component to a folder',
      ids: uidParams,
      query: filingQuery,
      answer: answersOf('component_folder', filedComponent).one,
      run: async ({ acting, ids, query }) => {
        const author = authorOf(identity, acting)
        const filed = await catalog.folders.file(author, ids.uid, () => readFolderUid(query))
        return envelope('component_folder', filed)
      },
    }),
  ]
}

function readFolderUid(query: unknown): string {
  if (readQueryText(query, 'contentType') !== 'component') {
    refuse('bad_input', { what: 'contentType must be component' })
  }
  const folderUid = readQueryText(query, 'parentFolderUid')
  if (folderUid !== undefined) return folderUid
  const what =
    'parentFolderUid is missing. Set it to the UID of a folder, or leave it blank for /Components'
  return refuse('bad_input', { what })
}

const importBody = Type.Object(
  {
    dashboard: { ...exportShape, title: 'ExportedDashboardInput' },
    map: Type.Optional(mapShape),
    isTrial: Type.Optional(
      Type.Boolean({ description: 'Dry run: only return the missing streams' }),
    ),
  },
  {
    title: 'ImportBody',
    examples: [{ dashboard: { format: 'weir-dashboard', version: 1, name: 'Cellar', panels: [] } }],
  },
)

/** The export and the import of dashboards. */
function dashboardOperations({ catalog, identity }: CatalogOperationsDeps): HttpOperation[] {
  const { dashboards } = catalog
  return [
    httpOperation({
      name: 'getDashboardExport',
      methods: ['GET'],
      path: '/api/dashboard/:uid/export',
      callers: 'admin',
      needs: 'GET dashboard/{uid}',
      tag: 'dashboard',
      summary: 'Export a dashboard for another organization, with the IDs of its streams',
      ids: uidParams,
      answer: answersOf('dashboard', exportedDashboard).one,
      run: async ({ principal, ids }) =>
        envelope('dashboard', await dashboards.exportOne(principal, ids.uid)),
    }),
    httpOperation({
      name: 'insertExportedDashboard',
      methods: ['PUT'],
      path: '/api/dashboard/import',
      callers: 'admin',
      needs: 'PUT dashboard',
      tag: 'dashboard',
      summary: 'Import an exported dashboard. Returns the missing streams',
      input: json(importBody),
      answer: importAnswer,
      run: async ({ acting, body }) => {
        const author = authorOf(identity, acting)
        const { dashboard, missing } = await dashboards.importOne(author, body)
        return { message: '', dashboard, missing, totalCount: 1, success: true }
      },
    }),
  ]
}

/** What editors ask: the periods of a cycle, whether an expression can be used, which functions there are. */
function expressionOperations(catalog: Catalog): HttpOperation[] {
  return [
    httpOperation({
      name: 'getCyclePeriods',
      methods: ['POST'],
      path: '/api/cycle/preview',
      callers: 'admin',
      needs: 'GET cycle',
      tag: 'cycle',
      summary: 'Preview the next periods of a saved or unsaved cycle',
      input: json(cyclePreviewShape),
      answer: cyclePreviewAnswer,
      run: async ({ principal, body }) => {
        const { periods, timeZoneId } = await catalog.previewCycle(principal, body)
        const totalCount = periods.length
        return { message: '', period: periods, timeZoneId, totalCount, success: true }
      },
    }),
    httpOperation({
      name: 'getExpressionCheck',
      methods: ['POST'],
      path: '/api/expression/check',
      callers: 'admin',
      needs: 'GET component',
      tag: 'expression',
      summary: 'Check an expression and return its type, or the place of the first error',
      input: json(expressionCheckShape),
      answer: answersOf('expression', expressionCheckRecord).one,
      run: async ({ principal, body }) =>
        envelope('expression', await catalog.checkExpression(principal, body)),
    }),
    httpOperation({
      name: 'listExpressionFunctions',
      methods: ['GET'],
      path: '/api/expression/function',
      callers: 'admin',
      needs: 'GET component',
      tag: 'expression',
      summary: 'List the functions of expressions',
      answer: answersOf('function', expressionFunctionRecord).page,
      run: async ({ principal }) => {
        const functions = await catalog.listExpressionFunctions(principal)
        return envelope('function', functions, functions.length)
      },
    }),
  ]
}
