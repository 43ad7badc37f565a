import type { RecordKind, RecordKinds } from '../../api/records.ts'
import { ComponentStreams } from './component-streams.tsx'
import { ComponentFields, ComponentLoss } from './fields/component-fields.tsx'
import { CycleFields } from './fields/cycle-fields.tsx'
import {
  DeleteProfileFields,
  FolderFields,
  FolderLoss,
  NothingMore,
  UnitFields,
} from './fields/simple-fields.tsx'
import { TemplateFields } from './fields/template-fields.tsx'
import type { BuildKind } from './kinds.ts'
import type { Editor } from './record-editor.tsx'

type Editors = { readonly [K in BuildKind]: Editor<RecordKinds[K]> }

const editors: Editors = {
  component: {
    Fields: ComponentFields,
    Loss: ComponentLoss,
    Below: ComponentStreams,
  },
  component_template: {
    Fields: TemplateFields,
    Loss: NothingMore,
  },
  cycle: {
    Fields: CycleFields,
    Loss: NothingMore,
  },
  unit: {
    Fields: UnitFields,
    Loss: NothingMore,
  },
  delete_profile: {
    Fields: DeleteProfileFields,
    Loss: NothingMore,
  },
  component_folder: { Fields: FolderFields, Loss: FolderLoss },
}

/** The editor of each kind; one that is taken by its kind is given records of that kind only. */
export const EDITORS = editors as unknown as Readonly<
  Record<BuildKind, Editor<RecordKinds[RecordKind]>>
>
