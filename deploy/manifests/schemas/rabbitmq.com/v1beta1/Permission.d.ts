// Fields of the kind Permission (RabbitMQ messaging topology operator 1.18) that Posthorn's
// manifests are allowed to use.
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IPermission {
  apiVersion: 'rabbitmq.com/v1beta1'
  kind: 'Permission'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    permissions: { configure?: string; read?: string; write?: string }
    rabbitmqClusterReference: IClusterReference
    user?: string
    userReference?: { name: string }
    vhost: string
  }
}

interface IClusterReference {
  connectionSecret?: { name: string }
  name?: string
  namespace?: string
}
