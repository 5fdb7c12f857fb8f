// Fields of the kind ScheduledBackup (CloudNativePG 1.26) that Posthorn's manifests are allowed to
// use.
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IScheduledBackup {
  apiVersion: 'postgresql.cnpg.io/v1'
  kind: 'ScheduledBackup'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    backupOwnerReference?: 'none' | 'self' | 'cluster'
    cluster: { name: string }
    immediate?: boolean
    method?: 'barmanObjectStore' | 'volumeSnapshot' | 'plugin'
    online?: boolean
    pluginConfiguration?: { name: string; parameters?: ILabels }
    schedule: string
    suspend?: boolean
    target?: 'primary' | 'prefer-standby'
  }
}

interface ILabels {
  [key: string]: string
}
