import { Document, isMap, isScalar, Scalar, visit } from 'yaml'
import type { Values } from './values.ts'

/** Comments on the members of the Helm chart's values, for `values.yaml`. */
const comments: Readonly<Record<string, string>> = {
  image:
    'Image of all processes. An empty tag is the version of the chart. The digest is optional.',
  components: 'Optional parts, described in README.md. Each works on its own.',
  secrets: 'Names of the secrets, which exist before the installation: README.md.',
  services:
    'Services. `environment` has variables of deploy/configuration.md, `nodeOptions` the heap limits\nthat belong to the memory limit.',
  jobs: 'Jobs of a release: schema, and users of RabbitMQ.',
  environment: 'Variables of all services.',
  settings: 'Settings of /v1/settings that the operator sets.',
  certificateAuthorities: 'CA certificates (PEM) that are trusted in addition to the public ones.',
  priorityClass:
    'Priority of all services. The class belongs to the cluster: one installation creates it. An\nempty name is that of no class.',
  nodeSelector: 'Nodes of all pods.',
  tolerations: 'Taints that all pods tolerate.',
  ingress:
    'Ingress of the component `ingress`. An empty class is the default one of the cluster. Null\nremoves an annotation.',
  loadBalancers: 'Services of the component `mailProxies`.',
  hosts: 'Names of the API and of the mail proxies.',
  autoscaling: 'Limits of the component `autoscaling`.',
  mailCertificate: 'Issuer of the component `mailCertificate`.',
  postgres: 'Database of the component `postgresCloudnativepg`.',
  rabbitmq: 'Broker of the component `rabbitmqOperator`.',
}

/**
 * Converts values to YAML text for Helm. Texts such as `off` and `yes` are quoted, because Helm
 * reads them as booleans otherwise (YAML 1.1).
 */
export function helmText(values: Values): string {
  return toText(new Document(values, { version: '1.1' }))
}

/** Text of the chart's `values.yaml`, with one comment per member. */
export function valuesText(values: Values): string {
  const document = new Document(values, { version: '1.1' })
  document.commentBefore =
    ' Default values, generated from k8s/base and k8s/components. values-<overlay>.yaml has those of an overlay.'
  if (!isMap(document.contents)) throw new Error('values are not a map')
  for (const { key } of document.contents.items) {
    if (!isScalar(key)) continue
    const comment = comments[String(key.value)]
    if (comment === undefined)
      throw new Error(`values/text.ts has no comment for ${String(key.value)}`)
    key.commentBefore = comment.replaceAll(/^/gm, ' ')
    key.spaceBefore = true
  }
  return toText(document)
}

function toText(document: Document): string {
  visit(document, {
    Scalar(_key, node) {
      const isLong = typeof node.value === 'string' && node.value.includes('\n')
      if (isLong) node.type = Scalar.BLOCK_LITERAL
    },
  })
  return document.toString({ lineWidth: 100 })
}
