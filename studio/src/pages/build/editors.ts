import type { RecordKind, RecordKinds } from '../../api/records.ts'
import { ComponentFields, ComponentLoss } from './component-fields.tsx'
import { ComponentStreams } from './component-streams.tsx'
import { CycleFields } from './cycle-fields.tsx'
import type { BuildKind } from './kinds.ts'
import type { Editor } from './record-editor.tsx'
import {
  DeleteProfileFields,
  FolderFields,
  FolderLoss,
  NothingMore,
  UnitFields,
} from './simple-fields.tsx'
import { TemplateFields } from './template-fields.tsx'

type Editors = { readonly [K in BuildKind]: Editor<RecordKinds[K]> }

const editors: Editors = {
  component: {
    Fields: ComponentFields,
    fields: ['id', 'name', 'description', 'folder', 'timeZoneId', 'location', 'stream'],
    Loss: ComponentLoss,
    Below: ComponentStreams,
  },
  component_template: {
    Fields: TemplateFields,
    fields: ['id', 'name', 'description', 'timeZoneId', 'location', 'stream'],
    Loss: NothingMore,
  },
  cycle: {
    Fields: CycleFields,
    fields: ['id', 'name', 'sizeType', 'count', 'referenceDate', 'timeZoneId', 'intervals'],
    Loss: NothingMore,
  },
  unit: {
    Fields: UnitFields,
    fields: ['id', 'name', 'symbol', 'symbolLocation', 'numberFormat', 'booleanStyle'],
    Loss: NothingMore,
  },
  delete_profile: {
    Fields: DeleteProfileFields,
    fields: ['id', 'name', 'sizeType', 'count'],
    Loss: NothingMore,
  },
  component_folder: { Fields: FolderFields, fields: ['path'], Loss: FolderLoss },
}

/** The editor of each kind; one that is taken by its kind is given records of that kind only. */
export const EDITORS = editors as unknown as Readonly<
  Record<BuildKind, Editor<RecordKinds[RecordKind]>>
>
