// Fields of the kind User (RabbitMQ messaging topology operator 1.18) that Posthorn's manifests are
// allowed to use.
import { IIoK8sApimachineryPkgApisMetaV1ObjectMeta } from '@kubernetes-models/apimachinery/apis/meta/v1/ObjectMeta'

export interface IUser {
  apiVersion: 'rabbitmq.com/v1beta1'
  kind: 'User'
  metadata: IIoK8sApimachineryPkgApisMetaV1ObjectMeta
  spec: {
    importCredentialsSecret?: { name: string }
    limits?: { channels?: number; connections?: number }
    rabbitmqClusterReference: IClusterReference
    tags?: Array<'management' | 'policymaker' | 'monitoring' | 'administrator'>
  }
}

interface IClusterReference {
  connectionSecret?: { name: string }
  name?: string
  namespace?: string
}
