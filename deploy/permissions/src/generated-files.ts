import { brokerUsers } from './broker-users.ts'
import { networkPolicies } from './network-policies.ts'
import { toYaml } from './to-yaml.ts'

const header = '# Written by `make manifests`; do not edit.\n'

/** Generated manifests by path, relative to the root of the project. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const components = 'k8s/components'
  return new Map([
    [`${components}/network-policies/network-policies.yaml`, header + toYaml(networkPolicies())],
    [`${components}/rabbitmq-operator/users.yaml`, header + toYaml(brokerUsers())],
  ])
}
