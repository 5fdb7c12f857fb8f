import { brokerUsers } from './broker-users.ts'
import { networkPolicies } from './network-policies.ts'
import { cloudNativePgPolicies, rabbitmqPolicies, serverPolicies } from './server-policies.ts'
import { toYaml, type Yaml } from './to-yaml.ts'

const header = '# Written by `make manifests`; do not edit.\n'

/** Generated Kubernetes manifests by path, relative to the root of the project. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files: [path: string, documents: Yaml[]][] = [
    ['network-policies/network-policies.yaml', networkPolicies()],
    ['network-policies/server-policies.yaml', serverPolicies()],
    ['postgres-cloudnativepg/network-policies.yaml', cloudNativePgPolicies()],
    ['rabbitmq-operator/network-policies.yaml', rabbitmqPolicies()],
    ['rabbitmq-operator/users.yaml', brokerUsers()],
  ]
  return new Map(
    files.map(([path, documents]) => [`k8s/components/${path}`, header + toYaml(documents)]),
  )
}
