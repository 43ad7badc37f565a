/** Every route of the service, added by one call. */
import type { DeletionParts } from '../../auth/administer/index.ts'
import type { Identity, Organization, OrganizationUsage } from '../../auth/index.ts'
import type { OAuthWithUsers } from '../../auth/oauth/index.ts'
import type { Clock, Config, Log, MemoryBudget } from '../../base/index.ts'
import type { Catalog } from '../../catalog/index.ts'
import type {
  Connections,
  Connectors,
  Imports,
  KeptPayloads,
  SinkCalls,
} from '../../connectors/index.ts'
import type { StreamDeriver } from '../../derivation/index.ts'
import type { LiveHub } from '../../feed/live/index.ts'
import type { FileService } from '../../files/index.ts'
import type { Queries } from '../../gql/index.ts'
import type { App } from '../app-type.ts'
import type { FeedBodyReader } from '../feed/feed-body-reader.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { gqlRoutes } from '../gql/gql-routes.ts'
import { issuerReader } from '../issuer.ts'
import { apiKeyOperations } from '../operations/api-key-operations.ts'
import { feedOperations } from '../operations/feed-operations.ts'
import { sinkOperations } from '../operations/sink-operations.ts'
import { currentPlugin } from '../plugins/current-plugin.ts'
import type { KeepingUp } from '../table/serve-operation.ts'
import type { OperationTable } from '../table/table.ts'
import { auditRoutes } from './audit-routes.ts'
import { catalogRoutes } from './catalog-routes.ts'
import { componentRoutes } from './component-routes.ts'
import { connectionRoutes } from './connectors/connection-routes.ts'
import { connectorRoutes } from './connectors/connector-routes.ts'
import { importRoutes } from './connectors/import-routes.ts'
import { cycleRoutes } from './cycle-routes.ts'
import { dashboardRoutes } from './dashboard-routes.ts'
import { derivationRoutes } from './derivation/derivation-routes.ts'
import { jobRoutes } from './derivation/job-routes.ts'
import { expressionRoutes } from './expression-routes.ts'
import { extentRoutes } from './extent-routes.ts'
import { fileRoutes } from './file-routes.ts'
import { helpRoutes } from './help-routes.ts'
import { invitationRoutes } from './invitation-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { loginRoutes } from './login-routes.ts'
import { authorizeRoutes } from './oauth/authorize-routes.ts'
import { oauthClientRoutes } from './oauth/oauth-client-routes.ts'
import { oauthGrantRoutes } from './oauth/oauth-grant-routes.ts'
import { oauthRoutes } from './oauth/oauth-routes.ts'
import { orgUserRoutes } from './org-user-routes.ts'
import { organizationRoutes } from './organization-routes.ts'
import { plotRoutes } from './plot-routes.ts'
import { propertyRoutes } from './property-routes.ts'
import { secondFactorRoutes } from './second-factor-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { type StorageRoutesDeps, storageRoutes } from './storage-routes.ts'
import { streamRoutes } from './stream-routes.ts'
import { studioRoutes } from './studio-routes.ts'

/** What the routes are served from. */
interface RouteParts extends StorageRoutesDeps {
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
  readonly bodies: FeedBodyReader
  readonly calls: FeedCalls
  readonly catalog: Catalog
  /** Undefined where no other process shares the store. */
  readonly keepingUp?: KeepingUp | undefined
  readonly clock: Clock
  readonly config: Config
  readonly connections: Connections
  readonly connectors: Connectors
  readonly deletion: DeletionParts
  readonly derivation: Pick<StreamDeriver, 'jobs' | 'views'>
  readonly files: FileService
  readonly identity: Identity
  readonly imports: Imports
  readonly keptPayloads: KeptPayloads
  readonly live: LiveHub
  readonly log: Log
  readonly oauth: OAuthWithUsers
  readonly queries: Queries
  readonly sinks: SinkCalls
  /** What an organization has of what WEIR_QUOTAS counts. */
  readonly usageOf: (organization: Organization) => Promise<OrganizationUsage>
}

/** Adds all routes to the server. */
export function addRoutes(app: App, table: OperationTable, parts: RouteParts): void {
  const { calls, catalog, config, deletion, files, gate, identity, log, oauth } = parts
  const { budget } = parts
  const brands = config.brands ?? new Map()
  const issuerOf = issuerReader({
    publicUrl: config.publicUrl,
    brandedHosts: new Set(brands.keys()),
  })
  currentPlugin(app, parts.keepingUp)
  table.add(...apiKeyOperations(identity), ...feedOperations(parts), ...sinkOperations(parts))
  auditRoutes(app, { gate, identity })
  authorizeRoutes(app, { oauth, issuerOf, brands, budget })
  catalogRoutes(app, { catalog, gate, identity })
  componentRoutes(app, { catalog, gate, identity })
  connectionRoutes(app, { connections: parts.connections, gate, identity })
  const { connectors, keptPayloads } = parts
  importRoutes(app, { gate, identity, imports: parts.imports })
  connectorRoutes(app, { connectors, gate, identity, issuerOf, keptPayloads })
  cycleRoutes(app, { catalog, gate })
  expressionRoutes(app, { catalog, gate })
  dashboardRoutes(app, { catalog, gate, identity })
  extentRoutes(app, { calls, gate })
  gqlRoutes(app, { queries: parts.queries, clock: parts.clock, gate, identity })
  fileRoutes(app, { files, calls, gate, identity, budget })
  const isSecure = config.tlsCert !== undefined || config.publicUrl?.startsWith('https:') === true
  invitationRoutes(app, { gate, identity })
  derivationRoutes(app, { gate, views: parts.derivation.views })
  jobRoutes(app, { gate, identity, jobs: parts.derivation.jobs })
  loginRoutes(app, { gate, identity, isSecure })
  liveRoutes(app, { live: parts.live, gate, identity })
  oauthClientRoutes(app, { oauth, gate, identity })
  oauthGrantRoutes(app, { oauth, gate, identity })
  oauthRoutes(app, { log, oauth, issuerOf, gate, budget })
  const { usageOf } = parts
  organizationRoutes(app, { gate, identity, deletion, quotas: config.quotas, usageOf })
  orgUserRoutes(app, { gate, identity })
  secondFactorRoutes(app, { gate, identity })
  sessionRoutes(app, { gate, identity })
  plotRoutes(app, { calls, gate, identity, budget })
  storageRoutes(app, parts)
  propertyRoutes(app, { catalog, gate, identity })
  streamRoutes(app, { catalog, gate, identity })
  helpRoutes(app)
  studioRoutes(app)
}
