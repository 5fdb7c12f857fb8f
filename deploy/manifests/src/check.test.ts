import { describe, expect, test } from '@jest/globals'
import { check, expectFault, type Mutation, valid } from '../fixtures/broken-manifest.ts'

const mutations: Mutation[] = [
  {
    title: 'misspelt field',
    from: 'replicas: 2\n  minReadySeconds',
    to: 'replcas: 2\n  minReadySeconds',
    fault: 'Deployment sender: spec.replcas is not a field',
  },
  {
    title: 'unknown field in a nested object',
    from: 'readinessProbe:\n',
    to: 'readinessProbe:\n            periodSecond: 3\n',
    line: 'periodSecond',
    fault:
      'Deployment sender: spec.template.spec.containers[0].readinessProbe.periodSecond is not a field',
  },
  {
    title: 'field of another type',
    from: 'minReplicas: 2',
    to: "minReplicas: 'two'",
    fault: 'HorizontalPodAutoscaler sender: spec.minReplicas must be a number, is two',
  },
  {
    title: 'missing field',
    from: 'kind: Deployment, name: sender }\n  minReplicas: 2\n  maxReplicas: 10',
    to: 'kind: Deployment, name: sender }\n  minReplicas: 2',
    line: 'spec:\n  scaleTargetRef: { apiVersion',
    fault: 'HorizontalPodAutoscaler sender: spec.maxReplicas is missing',
  },
  {
    title: 'value that is not in the list',
    from: 'pathType: Prefix',
    to: 'pathType: prefix',
    fault:
      'Ingress sender: spec.rules[0].http.paths[0].pathType must be "Exact" or "ImplementationSpecific" or "Prefix", is prefix',
  },
  {
    title: 'unknown kind',
    from: 'kind: ServiceAccount\nmetadata:\n  name: sender\n',
    to: 'kind: ServiceAcount\nmetadata:\n  name: sender\n',
    fault: 'ServiceAcount sender: no schema has kind ServiceAcount of v1',
  },
  {
    title: 'unknown field of an operator with a package',
    from: 'triggers:',
    to: 'pollInterval: 3\n  triggers:',
    line: 'pollInterval',
    fault: 'ScaledObject sender: spec.pollInterval is not a field',
  },
  {
    title: 'unknown field of an operator without a package',
    from: 'instances: 3',
    to: 'instances: 3\n  walsize: 1Gi',
    line: 'walsize',
    fault: 'Cluster postgres: spec.walsize is not a field',
  },
  {
    title: 'object with the name of another one',
    from: 'kind: ServiceAccount\nmetadata:\n  name: sender\n',
    to: 'kind: ServiceAccount\nmetadata:\n  name: sender\n---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: sender\n',
    line: 'name: sender\n---\napiVersion: v1\nkind: ServiceAccount\n',
    fault: 'ServiceAccount sender: the object exists twice',
  },
  {
    title: 'selector of a Deployment',
    from: 'selector:\n    matchLabels: { app: sender }',
    to: 'selector:\n    matchLabels: { app: senders }',
    fault: 'Deployment sender: selector app=senders does not match its pods',
  },
  {
    title: 'selector of a Service',
    from: '  selector: { app: sender }\n  ports',
    to: '  selector: { app: sendr }\n  ports',
    fault: 'Service sender: selector app=sendr matches no pod',
  },
  {
    title: 'target port of a Service',
    from: 'targetPort: http',
    to: 'targetPort: web',
    fault: 'Service sender: targetPort web is no port of the selected pods',
  },
  {
    title: 'port of a probe',
    from: '/health/ready, port: http }',
    to: '/health/ready, port: 3001 }',
    fault: 'Deployment sender: port 3001 of readinessProbe is no port of the container',
  },
  {
    title: 'port on which the process does not listen',
    from: 'name: SVC_SHUTDOWN_TIMEOUT, value: 90s }',
    to: 'name: SVC_SHUTDOWN_TIMEOUT, value: 90s }\n            - { name: SVC_PORT, value: "3001" }',
    line: 'containerPort: 3000',
    fault: 'Deployment sender: sender does not listen on port 3000',
  },
  {
    title: 'port of a network policy',
    from: 'protocol: TCP, port: 3000',
    to: 'protocol: TCP, port: 3001',
    fault: 'NetworkPolicy sender: port 3001 is no port of the selected pods',
  },
  {
    title: 'Service of an Ingress',
    from: 'service: { name: sender, port: { name: http } }',
    to: 'service: { name: sendr, port: { name: http } }',
    fault: 'Ingress sender: Service sendr does not exist',
  },
  {
    title: 'target of an autoscaler',
    from: 'scaleTargetRef: { name: sender }',
    to: 'scaleTargetRef: { name: sendr }',
    fault: 'ScaledObject sender: Deployment sendr does not exist',
  },
  {
    title: 'metric of an autoscaler',
    from: 'max(posthorn_outbox_due)',
    to: 'max(posthorn_outbox_due_seconds)',
    fault: 'ScaledObject sender: no service has the metric posthorn_outbox_due_seconds',
  },
  {
    title: 'name of a secret',
    from: 'secretKeyRef: { name: owner, key: url }',
    to: 'secretKeyRef: { name: owners, key: url }',
    fault: 'Job migrate-1.2.3: Secret owners is not declared',
  },
  {
    title: 'key of a secret',
    from: 'items: [{ key: sender, path: database-url }]',
    to: 'items: [{ key: sendr, path: database-url }]',
    fault: 'Deployment sender: key sendr of Secret database is not declared',
  },
  {
    title: 'name of a ConfigMap',
    from: 'configMapRef: { name: sender }',
    to: 'configMapRef: { name: sendr }',
    fault: 'Deployment sender: ConfigMap sendr is not declared',
  },
  {
    title: 'variable that the process does not read',
    from: 'name: SVC_SHUTDOWN_TIMEOUT, value: 90s',
    to: 'name: SVC_SHUTDOWN_TIME, value: 90s',
    fault: 'Deployment sender: sender does not read SVC_SHUTDOWN_TIME',
  },
  {
    title: 'variable of a ConfigMap that the container replaces',
    from: '  SVC_DRAIN_DELAY: 5s\n',
    to: '  SVC_DRAIN_DELAY: 5s\n  SVC_SHUTDOWN_TIMEOUT: 10s\n',
    line: '  SVC_SHUTDOWN_TIMEOUT: 10s',
    fault: 'ConfigMap sender: SVC_SHUTDOWN_TIMEOUT has no effect: `env` of sender sets it',
  },
  {
    title: 'variable that is required',
    from: '            - { name: DATABASE_URL_FILE, value: /run/secrets/database-url }\n',
    to: '',
    line: 'args: [sender]',
    fault: 'Deployment sender: DATABASE_URL: must be set',
  },
  {
    title: 'value that the process refuses',
    from: 'SVC_DRAIN_DELAY: 5s',
    to: 'SVC_DRAIN_DELAY: 2h',
    fault: 'ConfigMap sender: SVC_DRAIN_DELAY: must be between 0 and 1h, got "2h"',
  },
  {
    title: 'unknown setting',
    from: '{"serviceUrl":"https://posthorn.example"}',
    to: '{"serviceURL":"https://posthorn.example"}',
    fault: 'ConfigMap sender: SVC_SETTINGS: serviceURL is not a setting',
  },
  {
    title: 'file that no volume has',
    from: 'value: /run/secrets/database-url',
    to: 'value: /run/secret/database-url',
    fault: 'Deployment sender: DATABASE_URL_FILE: no volume has /run/secret/database-url',
  },
  {
    title: 'unknown process',
    from: 'args: [sender]',
    to: 'args: [sendr]',
    fault: 'Deployment sender: the image has no process "sendr"',
  },
  {
    title: 'name of a Job without its release',
    from: 'name: migrate-1.2.3',
    to: 'name: migrate-1.2.2',
    fault: 'Job migrate-1.2.2: the name does not end with the release of its image',
  },
  {
    title: 'grace period that ends during the shutdown',
    from: 'terminationGracePeriodSeconds: 100',
    to: 'terminationGracePeriodSeconds: 95',
    fault:
      'Deployment sender: terminationGracePeriodSeconds is 95 s, but drain and shutdown take 95 s',
  },
  {
    title: 'hook of Helm only, which Argo CD would create again at each sync',
    from: "    argocd.argoproj.io/hook: Sync\n    argocd.argoproj.io/sync-wave: '-1'",
    to: "    argocd.argoproj.io/sync-wave: '-1'",
    line: 'annotations:\n    argocd.argoproj.io/sync-wave',
    fault:
      'Job migrate-1.2.3: a hook has the annotations of Argo CD and Helm, argocd.argoproj.io/hook is missing',
  },
  {
    title: 'hook that is created after its user',
    from: "helm.sh/hook-weight: '-2'",
    to: "helm.sh/hook-weight: '0'",
    line: 'spec:\n      restartPolicy',
    fault: 'Job migrate-1.2.3: ServiceAccount jobs is created later',
  },
  {
    title: 'hook of a Deployment',
    from: 'serviceAccountName: sender\n      priority',
    to: 'serviceAccountName: jobs\n      priority',
    line: 'spec:\n      serviceAccountName',
    fault:
      'Deployment sender: ServiceAccount jobs is a hook, so that it is deleted and created again while pods use it',
  },
  {
    title: 'object of a hook that is no hook',
    from: 'serviceAccountName: jobs',
    to: 'serviceAccountName: sender',
    line: 'spec:\n      restartPolicy',
    fault:
      'Job migrate-1.2.3: ServiceAccount sender is no hook, so that it does not exist when this hook runs',
  },
  {
    title: 'replicas that count as available immediately',
    from: '  minReadySeconds: 10\n',
    to: '',
    line: 'spec:\n  replicas',
    fault: 'Deployment sender: spec.minReadySeconds is missing',
  },
  {
    title: 'priority class that does not exist',
    from: 'priorityClassName: services',
    to: 'priorityClassName: service',
    fault: 'Deployment sender: PriorityClass service does not exist',
  },
  {
    title: 'no priority class',
    from: '      priorityClassName: services\n',
    to: '',
    line: 'spec:\n      serviceAccountName: sender',
    fault: 'Deployment sender: priorityClassName is missing',
  },
  {
    title: 'memory limit below the heap',
    from: 'limits: { memory: 512Mi }',
    to: 'limits: { memory: 400Mi }',
    fault:
      'Deployment sender: the memory limit 400Mi is less than 432 MiB: heap 320, young generation 3 × 16, 64',
  },
  {
    title: 'capabilities',
    from: 'capabilities: { drop: [ALL] }\n          readinessProbe',
    to: 'capabilities: { drop: [CHOWN] }\n          readinessProbe',
    fault:
      'Deployment sender: restricted pod security: securityContext.capabilities.drop must be ALL',
  },
  {
    title: 'volume of the host',
    from: '          secret:\n            secretName: database\n            items: [{ key: sender, path: database-url }]',
    to: '          hostPath: { path: /run/secrets }',
    fault: 'Deployment sender: restricted pod security: a volume must not be hostPath',
  },
]

describe('checkBuild', () => {
  test('of manifests without faults, returns none', () => {
    expect(check(valid)).toEqual([])
  })

  test.each(mutations)('of a broken manifest, returns its fault: $title', expectFault)
})
