// Fields of the kind Vhost (RabbitMQ messaging topology operator 1.18) that Posthorn's manifests
// are allowed to use.
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IVhost {
  apiVersion: 'rabbitmq.com/v1beta1'
  kind: 'Vhost'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    defaultQueueType?: 'quorum' | 'classic' | 'stream'
    deletionPolicy?: 'delete' | 'retain'
    limits?: { connections?: number; queues?: number }
    name: string
    rabbitmqClusterReference: IClusterReference
    tags?: Array<string>
    tracing?: boolean
  }
}

interface IClusterReference {
  connectionSecret?: { name: string }
  name?: string
  namespace?: string
}
