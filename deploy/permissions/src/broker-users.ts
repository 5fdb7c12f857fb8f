import { permissionsOf } from '@posthorn/contracts/broker-access'
import { roleOf, serviceNames } from '@posthorn/contracts/services'
import type { Yaml } from './to-yaml.ts'

const rabbitmqClusterReference = { name: 'posthorn-rabbitmq' }

/**
 * RabbitMQ users of the services and their permissions, as Kubernetes objects for the RabbitMQ
 * messaging topology operator. Each user's name and password come from the secret
 * `posthorn-amqp-user-<service>`.
 */
export function brokerUsers(): Yaml[] {
  return serviceNames.flatMap((service): Yaml[] => {
    const name = roleOf(service).replaceAll('_', '-')
    const importCredentialsSecret = { name: `posthorn-amqp-user-${service}` }
    return [
      topologyObject('User', name, { importCredentialsSecret }),
      topologyObject('Permission', name, {
        vhost: '/',
        userReference: { name },
        permissions: { ...permissionsOf(service) },
      }),
    ]
  })
}

function topologyObject(kind: string, name: string, spec: Record<string, Yaml>): Yaml {
  return {
    apiVersion: 'rabbitmq.com/v1beta1',
    kind,
    metadata: { name, annotations: { 'argocd.argoproj.io/sync-wave': '-2' } },
    spec: { rabbitmqClusterReference, ...spec },
  }
}
