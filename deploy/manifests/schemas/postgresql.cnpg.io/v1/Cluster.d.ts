// Fields of the kind Cluster (CloudNativePG 1.26) that Posthorn's manifests are allowed to use.
import { IIoK8sApiCoreV1ResourceRequirements } from 'kubernetes-models/v1/ResourceRequirements'
import { IIoK8sApiCoreV1Toleration } from 'kubernetes-models/v1/Toleration'
import { IIoK8sApiCoreV1TopologySpreadConstraint } from 'kubernetes-models/v1/TopologySpreadConstraint'
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface ICluster {
  apiVersion: 'postgresql.cnpg.io/v1'
  kind: 'Cluster'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: IClusterSpec
}

interface IClusterSpec {
  affinity?: IAffinity
  backup?: IBackup
  bootstrap?: IBootstrap
  certificates?: ICertificates
  description?: string
  enablePDB?: boolean
  enableSuperuserAccess?: boolean
  failoverDelay?: number
  imageCatalogRef?: { apiGroup: string; kind: string; name: string; major: number }
  imageName?: string
  imagePullSecrets?: Array<ILocalObject>
  inheritedMetadata?: { annotations?: ILabels; labels?: ILabels }
  instances: number
  logLevel?: 'error' | 'warning' | 'info' | 'debug' | 'trace'
  managed?: IManaged
  maxStopDelay?: number
  maxSyncReplicas?: number
  minSyncReplicas?: number
  monitoring?: { enablePodMonitor?: boolean; disableDefaultQueries?: boolean }
  plugins?: Array<IPlugin>
  postgresql?: IPostgresql
  primaryUpdateMethod?: 'switchover' | 'restart'
  primaryUpdateStrategy?: 'unsupervised' | 'supervised'
  priorityClassName?: string
  replicationSlots?: { highAvailability?: { enabled?: boolean }; updateInterval?: number }
  resources?: IIoK8sApiCoreV1ResourceRequirements
  smartShutdownTimeout?: number
  startDelay?: number
  stopDelay?: number
  storage: IStorage
  superuserSecret?: ILocalObject
  switchoverDelay?: number
  topologySpreadConstraints?: Array<IIoK8sApiCoreV1TopologySpreadConstraint>
  walStorage?: IStorage
}

interface ILabels {
  [key: string]: string
}

interface ILocalObject {
  name: string
}

interface ISecretKey {
  name: string
  key: string
}

interface IStorage {
  size?: string
  storageClass?: string
  resizeInUseVolumes?: boolean
}

interface IAffinity {
  enablePodAntiAffinity?: boolean
  podAntiAffinityType?: 'preferred' | 'required'
  topologyKey?: string
  nodeSelector?: ILabels
  tolerations?: Array<IIoK8sApiCoreV1Toleration>
}

interface IBackup {
  barmanObjectStore?: {
    destinationPath: string
    endpointURL?: string
    s3Credentials?: { accessKeyId?: ISecretKey; secretAccessKey?: ISecretKey; region?: ISecretKey }
    wal?: { compression?: string; maxParallel?: number }
    data?: { compression?: string; jobs?: number }
  }
  retentionPolicy?: string
  target?: 'primary' | 'prefer-standby'
  volumeSnapshot?: { className?: string }
}

interface IBootstrap {
  initdb?: {
    database?: string
    owner?: string
    secret?: ILocalObject
    encoding?: string
    localeCollate?: string
    localeCType?: string
    dataChecksums?: boolean
    walSegmentSize?: number
    postInitSQL?: Array<string>
    postInitApplicationSQL?: Array<string>
  }
  recovery?: {
    source?: string
    database?: string
    owner?: string
    secret?: ILocalObject
    recoveryTarget?: { targetTime?: string; targetLSN?: string; targetImmediate?: boolean }
  }
}

interface ICertificates {
  serverTLSSecret?: string
  serverCASecret?: string
  clientCASecret?: string
  replicationTLSSecret?: string
  serverAltDNSNames?: Array<string>
}

interface IManaged {
  roles?: Array<IRole>
}

interface IRole {
  name: string
  comment?: string
  ensure?: 'present' | 'absent'
  passwordSecret?: ILocalObject
  connectionLimit?: number
  validUntil?: string
  inRoles?: Array<string>
  inherit?: boolean
  disablePassword?: boolean
  superuser?: boolean
  createdb?: boolean
  createrole?: boolean
  login?: boolean
  replication?: boolean
  bypassrls?: boolean
}

interface IPlugin {
  name: string
  enabled?: boolean
  isWALArchiver?: boolean
  parameters?: ILabels
}

interface IPostgresql {
  parameters?: ILabels
  pg_hba?: Array<string>
  pg_ident?: Array<string>
  shared_preload_libraries?: Array<string>
  enableAlterSystem?: boolean
  synchronous?: {
    method: 'any' | 'first'
    number: number
    dataDurability?: 'required' | 'preferred'
    maxStandbyNamesFromCluster?: number
    standbyNamesPre?: Array<string>
    standbyNamesPost?: Array<string>
  }
}
