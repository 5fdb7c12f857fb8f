// Fields of the kind RabbitmqCluster (RabbitMQ cluster operator 2.17) that Posthorn's manifests are
// allowed to use.
import { IIoK8sApiCoreV1Affinity } from 'kubernetes-models/v1/Affinity'
import { IIoK8sApiCoreV1ResourceRequirements } from 'kubernetes-models/v1/ResourceRequirements'
import { IIoK8sApiCoreV1Toleration } from 'kubernetes-models/v1/Toleration'
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IRabbitmqCluster {
  apiVersion: 'rabbitmq.com/v1beta1'
  kind: 'RabbitmqCluster'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    affinity?: IIoK8sApiCoreV1Affinity
    autoEnableAllFeatureFlags?: boolean
    delayStartSeconds?: number
    image?: string
    imagePullSecrets?: Array<{ name: string }>
    override?: { statefulSet?: unknown; service?: unknown }
    persistence?: { storage?: string; storageClassName?: string }
    rabbitmq?: {
      additionalConfig?: string
      additionalPlugins?: Array<string>
      advancedConfig?: string
      envConfig?: string
      erlangInetConfig?: string
    }
    replicas?: number
    resources?: IIoK8sApiCoreV1ResourceRequirements
    secretBackend?: { externalSecret?: { name: string } }
    service?: { type?: 'ClusterIP' | 'LoadBalancer' | 'NodePort'; annotations?: ILabels }
    skipPostDeploySteps?: boolean
    terminationGracePeriodSeconds?: number
    tls?: { secretName?: string; caSecretName?: string; disableNonTLSListeners?: boolean }
    tolerations?: Array<IIoK8sApiCoreV1Toleration>
  }
}

interface ILabels {
  [key: string]: string
}
