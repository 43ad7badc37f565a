import type { FastifyRequest, FastifySchema } from 'fastify'
import { authorOf } from '../../auth/administer/index.ts'
import type { Identity } from '../../auth/index.ts'
import { refuse, Type } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import { componentShape } from '../../catalog/shape/index.ts'
import { actingIn } from '../admit/acting.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, EXAMPLE_UID, operation } from '../openapi/answer-schema.ts'
import { componentRecord, filedComponent } from '../wire/catalog-answers.ts'
import { readQueryText, unwrap } from '../wire/catalog-wire.ts'
import { envelope } from '../wire/envelope.ts'
import { uidParams } from '../wire/identity-wire.ts'
import { documented } from './record-routes.ts'

const CAPABILITY = needs('POST', 'component/{uid}')

const filingQuery = Type.Object({
  contentType: Type.String({ description: 'component' }),
  parentFolderUid: Type.String({ description: 'The UID of the folder; blank: /Components itself' }),
  text: Type.Optional(Type.String({ description: 'Ignored: the component keeps its name' })),
})

/** Adds the ways in which clients in the field change a component: by its body, and by folder. */
export function componentRoutes(
  app: App,
  { catalog, gate, identity }: { catalog: Catalog; gate: Gate; identity: Identity },
): void {
  const onRequest = gate.guard('admin')
  const by = (request: FastifyRequest) => authorOf(identity, actingIn(request))
  const described = (tag: string, schema: FastifySchema) => ({
    ...documented({ tags: [tag], ...CAPABILITY, ...schema }),
    onRequest,
  })
  const changing = {
    ...operation('updateComponentByBody', answersOf('component', componentRecord).one),
    summary: 'Change the fields named, of the component whose UID is in the body',
    body: Type.Object(
      { component: Type.Object({ uid: Type.String(), ...componentShape.properties }) },
      {
        title: 'NamedComponentBody',
        examples: [{ component: { uid: EXAMPLE_UID, name: 'Boiler' } }],
      },
    ),
  }
  app.post('/api/component', described('component', changing), async (request) => {
    const input = unwrap('component', request.body)
    return envelope('component', await catalog.components.updateNamed(by(request), input))
  })
  const filing = {
    ...operation('fileComponent', answersOf('component_folder', filedComponent).one),
    summary: 'Put a component into a folder',
    params: uidParams,
    querystring: filingQuery,
  }
  app.put('/api/component_folder/:uid', described('component_folder', filing), async (request) => {
    const { uid } = request.params as { uid: string }
    const read = () => readFolderUid(request.query)
    const filed = await catalog.folders.file(by(request), uid, read)
    return envelope('component_folder', filed)
  })
}

function readFolderUid(query: unknown): string {
  if (readQueryText(query, 'contentType') !== 'component') {
    refuse('bad_input', { what: 'contentType must be component: only components are put so' })
  }
  const folderUid = readQueryText(query, 'parentFolderUid')
  if (folderUid !== undefined) return folderUid
  const what = 'parentFolderUid is missing: the UID of a folder, or blank for /Components'
  return refuse('bad_input', { what })
}
