import { describe, expect, test } from '@jest/globals'
import { expectFault, type Mutation } from '../../fixtures/broken-manifest.ts'
import { checkFormats } from './check-formats.ts'

const container = 'spec.template.spec.containers[0]'

const mutations: Mutation[] = [
  {
    title: 'port of a container above 65535',
    from: 'containerPort: 3000',
    to: 'containerPort: 70000',
    fault: `Deployment sender: ${container}.ports[0].containerPort must be a port from 1 to 65535, is 70000`,
  },
  {
    title: 'port of a Service below 1',
    from: 'port: 80\n',
    to: 'port: 0\n',
    fault: 'Service sender: spec.ports[0].port must be a port from 1 to 65535, is 0',
  },
  {
    title: 'port with a fraction',
    from: 'protocol: TCP, port: 3000',
    to: 'protocol: TCP, port: 3000.5',
    fault:
      'NetworkPolicy sender: spec.ingress[0].ports[0].port must be a port from 1 to 65535 or a port name, is 3000.5',
  },
  {
    title: 'name of a port',
    from: 'name: http, containerPort',
    to: 'name: http_main, containerPort',
    fault: `Deployment sender: ${container}.ports[0].name must be a port name of at most 15 lower-case letters, digits and hyphens, is http_main`,
  },
  {
    title: 'quantity of CPU',
    from: 'cpu: 100m',
    to: 'cpu: lots',
    fault: `Deployment sender: ${container}.resources.requests.cpu must be a quantity such as 500m, 2 or 1.5Gi, is lots`,
  },
  {
    title: 'quantity with a unit that Kubernetes does not have',
    from: 'limits: { memory: 320Mi }',
    to: 'limits: { memory: 320MB }',
    fault:
      'Job migrate-1.2.3: spec.template.spec.containers[0].resources.limits.memory must be a quantity such as 500m, 2 or 1.5Gi, is 320MB',
  },
  {
    title: 'quantity of storage of an operator',
    from: 'size: 10Gi',
    to: 'size: 10 Gi',
    fault:
      'Cluster postgres: spec.storage.size must be a quantity such as 500m, 2 or 1.5Gi, is 10 Gi',
  },
  {
    title: 'image in upper case',
    from: 'image: registry.example/posthorn:1.2.3\n          args: [sender]',
    to: 'image: registry.example/Posthorn:1.2.3\n          args: [sender]',
    fault: `Deployment sender: ${container}.image must be an image such as registry.example/name:tag, is registry.example/Posthorn:1.2.3`,
  },
  {
    title: 'key of a label',
    from: 'labels: { app: sender }\nspec:\n  selector',
    to: 'labels: { app: sender, -tier: mail }\nspec:\n  selector',
    line: '-tier',
    fault:
      'Service sender: the key of metadata.labels.-tier must be a label key such as name or example.com/name',
  },
  {
    title: 'value of a label',
    from: 'labels: { app: sender }\nspec:\n  selector',
    to: 'labels: { app: sender, tier: outgoing mail }\nspec:\n  selector',
    line: 'tier',
    fault:
      'Service sender: metadata.labels.tier must be a label value of at most 63 letters, digits, hyphens, dots and underscores, is outgoing mail',
  },
  {
    title: 'name of an object',
    from: 'kind: ScaledObject\nmetadata:\n  name: sender',
    to: 'kind: ScaledObject\nmetadata:\n  name: Sender_1',
    line: 'name: Sender_1',
    fault: 'ScaledObject Sender_1: metadata.name must be a DNS name in lower case, is Sender_1',
  },
  {
    title: 'duration',
    from: 'kind: ClusterSecretStore, name: vault }',
    to: 'kind: ClusterSecretStore, name: vault }\n  refreshInterval: 1 hour',
    line: 'refreshInterval',
    fault:
      'ExternalSecret database: spec.refreshInterval must be a duration such as 90s, 1h30m or 500ms, is 1 hour',
  },
]

describe('checkFormats', () => {
  test.each(mutations)('of a broken manifest, returns its fault: $title', expectFault)

  test.each([
    ['PodMonitor', { spec: { podMetricsEndpoints: [{ interval: '1.5m' }] } }, '.interval'],
    ['HTTPRoute', { spec: { rules: [{ timeouts: { request: '1d' } }] } }, '.timeouts.request'],
    ['HTTPRoute', { spec: { rules: [{ backendRefs: [{ port: -1 }] }] } }, '.backendRefs[0].port'],
    ['Gateway', { spec: { listeners: [{ port: 65_536 }] } }, '.listeners[0].port'],
    ['Certificate', { spec: { renewBefore: '30d' } }, 'spec.renewBefore'],
    ['Certificate', { spec: { dnsNames: ['mail example'] } }, 'spec.dnsNames[0]'],
    ['Ingress', { spec: { rules: [{ host: 'a.*.example' }] } }, 'spec.rules[0].host'],
    ['RabbitmqCluster', { spec: { persistence: { storage: '-1Gi' } } }, '.persistence.storage'],
    ['Service', { metadata: { name: '1st' } }, 'metadata.name'],
    ['Compose', { services: { a: { image: 'a b' } } }, 'services.a.image'],
    ['Compose', { services: { a: { healthcheck: { interval: '5 s' } } } }, '.interval'],
  ])('of a %s with %j, returns one fault', (kind, content, place) => {
    const faults = checkFormats(kind, content)
    expect(faults).toEqual([
      { path: expect.anything(), text: expect.stringContaining(`${place} must be `) },
    ])
  })

  test('of values that only other kinds limit, returns none', () => {
    expect(checkFormats('ConfigMap', { data: { image: 'a b', port: '0' } })).toEqual([])
  })
})
