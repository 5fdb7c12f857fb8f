// Fields of the kind Pooler (CloudNativePG 1.26) that Posthorn's manifests are allowed to use.
import { IIoK8sApiAppsV1DeploymentStrategy } from 'kubernetes-models/apps/v1/DeploymentStrategy'
import { IIoK8sApiCoreV1PodSpec } from 'kubernetes-models/v1/PodSpec'
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IPooler {
  apiVersion: 'postgresql.cnpg.io/v1'
  kind: 'Pooler'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    cluster: { name: string }
    deploymentStrategy?: IIoK8sApiAppsV1DeploymentStrategy
    instances?: number
    monitoring?: { enablePodMonitor?: boolean }
    pgbouncer: IPgbouncer
    template?: {
      metadata?: { annotations?: ILabels; labels?: ILabels }
      spec?: IIoK8sApiCoreV1PodSpec
    }
    type?: 'rw' | 'ro' | 'r'
  }
}

interface ILabels {
  [key: string]: string
}

interface IPgbouncer {
  poolMode?: 'session' | 'transaction'
  authQuery?: string
  authQuerySecret?: { name: string }
  parameters?: ILabels
  paused?: boolean
  pg_hba?: Array<string>
}
