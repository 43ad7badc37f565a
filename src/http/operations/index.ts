/** Every operation of the service. */
import type { Principal } from '../../access/index.ts'
import type {
  AlertPreviews,
  AlertStates,
  Alerts,
  BoardAlerts,
  Channels,
} from '../../alerts/index.ts'
import type { DeletionParts } from '../../auth/administer/index.ts'
import type { Identity, Organization, OrganizationUsage } from '../../auth/index.ts'
import type { OAuthWithUsers } from '../../auth/oauth/index.ts'
import type { Clock, Config, MemoryBudget } from '../../base/index.ts'
import type { AddressRule, Catalog } from '../../catalog/index.ts'
import type {
  Connections,
  Connectors,
  Imports,
  KeptPayloads,
  SinkCalls,
} from '../../connectors/index.ts'
import type { Corrections } from '../../correct/index.ts'
import type { StreamDeriver } from '../../derivation/index.ts'
import type { Devices } from '../../feed/index.ts'
import type { LiveHub } from '../../feed/live/index.ts'
import type { FileService } from '../../files/index.ts'
import type { Queries } from '../../gql/index.ts'
import type { DoorLog, DoorWriter } from '../../intake/index.ts'
import type { PrometheusQueries } from '../../prometheus/index.ts'
import type { Gate } from '../admit/gate.ts'
import type { FeedCalls } from '../feed/feed-calls.ts'
import { issuerReader } from '../issuer.ts'
import type { HttpOperation } from '../table/http-operation.ts'
import { pathPrefixOf } from '../transport/target.ts'
import { addressPreviewOperation } from './address-preview-operation.ts'
import { alertOperations } from './alert-operations.ts'
import { apiKeyOperations } from './api-key-operations.ts'
import { authorizeOperations } from './authorize-operations.ts'
import { catalogOperations } from './catalog-operations.ts'
import { channelOperations } from './channel-operations.ts'
import { connectorOperations } from './connector-operations.ts'
import { correctionOperations } from './correction-operations.ts'
import { deviceOperations } from './device-operations.ts'
import { feedOperations } from './feed-operations.ts'
import { fileOperations } from './file-operations.ts'
import { gqlOperations } from './gql-operations.ts'
import { influxOperations } from './influx-operations.ts'
import { loginOperations } from './login-operations.ts'
import { oauthClientOperations } from './oauth-client-operations.ts'
import { oauthOperations } from './oauth-operations.ts'
import { orgUserOperations } from './org-user-operations.ts'
import { organizationOperations } from './organization-operations.ts'
import { otlpOperations } from './otlp-operations.ts'
import { helpOperations, studioOperations } from './page-operations.ts'
import { plotOperations } from './plot-operations.ts'
import { prometheusOperations } from './prometheus-operations.ts'
import { readingOperations } from './reading-operations.ts'
import { refusedOperation } from './refused-operation.ts'
import { remoteWriteOperations } from './remote-write-operations.ts'
import { seriesOperation } from './series-operation.ts'
import {
  auditOperation,
  type StorageOperationsDeps,
  storageOperations,
} from './service-operations.ts'
import { sinkOperations } from './sink-operations.ts'
import { streamOperations } from './stream-operations.ts'
import { streamSearchOperation } from './stream-search-operation.ts'

/** What the operations are served from. */
interface OperationParts extends StorageOperationsDeps {
  /** What all calls in flight may hold. */
  readonly budget: MemoryBudget
  readonly calls: FeedCalls
  readonly alertPreviews: AlertPreviews
  readonly alerts: Alerts
  readonly alertStates: AlertStates
  readonly boardAlerts: BoardAlerts
  readonly catalog: Catalog
  readonly channels: Channels
  readonly clock: Clock
  readonly config: Config
  readonly connections: Connections
  readonly connectors: Connectors
  readonly corrections: Corrections
  readonly deletion: DeletionParts
  /** What foreign protocols have brought and was refused. */
  readonly doorLog: DoorLog
  readonly doorWriter: DoorWriter
  /** The address rules of a caller. */
  readonly findRules: (principal: Principal) => Promise<readonly AddressRule[]>
  readonly devices: Devices
  readonly derivation: Pick<StreamDeriver, 'jobs' | 'views'>
  readonly files: FileService
  /** The URLs under which other machines reach the service. */
  readonly findOuterUrls: () => readonly string[]
  readonly gate: Gate
  readonly identity: Identity
  readonly imports: Imports
  readonly keptPayloads: KeptPayloads
  readonly live: LiveHub
  readonly oauth: OAuthWithUsers
  readonly prometheus: PrometheusQueries
  readonly queries: Queries
  readonly sinks: SinkCalls
  /** What an organization has of what WEIR_QUOTAS counts. */
  readonly usageOf: (organization: Organization) => Promise<OrganizationUsage>
}

/** All operations but those that a server has by itself: health, metrics, and the description. */
export function serviceOperations(parts: OperationParts): HttpOperation[] {
  const { config, gate, identity, oauth, usageOf } = parts
  const { bodyBytesMax, publicUrl, quotas, brands = new Map() } = config
  const brandedHosts = new Set(brands.keys())
  const issuerOf = issuerReader({ publicUrl, brandedHosts })
  const isSecure = config.tlsCert !== undefined || publicUrl?.startsWith('https:') === true
  return [
    ...feedOperations({ ...parts, bodyBytesMax, pathPrefix: pathPrefixOf(publicUrl) }),
    ...plotOperations(parts),
    ...readingOperations(parts),
    ...fileOperations(parts),
    ...catalogOperations(parts),
    ...streamOperations(parts),
    streamSearchOperation(parts),
    ...deviceOperations(parts),
    ...correctionOperations(parts),
    ...gqlOperations(parts),
    ...connectorOperations({ ...parts, issuerOf }),
    ...channelOperations(parts),
    ...sinkOperations(parts),
    ...alertOperations(parts),
    ...influxOperations({ ...parts, bodyBytesMax }),
    ...remoteWriteOperations({ ...parts, bodyBytesMax }),
    ...otlpOperations({ ...parts, bodyBytesMax }),
    ...prometheusOperations(parts),
    refusedOperation(parts),
    addressPreviewOperation(parts),
    seriesOperation(parts),
    ...loginOperations({ gate, identity, isSecure }),
    ...organizationOperations({ identity, deletion: parts.deletion, quotas, usageOf }),
    ...orgUserOperations(identity),
    ...apiKeyOperations(identity),
    ...oauthClientOperations({ oauth, identity }),
    ...oauthOperations({ oauth, issuerOf, gate }),
    ...authorizeOperations({ oauth, issuerOf, brands }),
    auditOperation(identity),
    ...storageOperations(parts),
    ...helpOperations(),
    ...studioOperations(pathPrefixOf(publicUrl)),
  ]
}
