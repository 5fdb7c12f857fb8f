import { type Build, type Manifest, manifestsOf, valueAt, valuesAt } from '../build.ts'

/**
 * Keys of each Secret or ConfigMap, by its name. Undefined for a Secret or ConfigMap whose keys are
 * unknown.
 */
export type StoredKeys = ReadonlyMap<string, ReadonlySet<string> | undefined>

const tlsKeys = ['tls.crt', 'tls.key', 'ca.crt']

/** Secrets that Kubernetes operators create for an object, by kind of the object. */
const generated: Record<string, (manifest: Manifest) => Record<string, readonly string[]>> = {
  Certificate: ({ content }) => ({ [String(valueAt(content, ['spec', 'secretName']))]: tlsKeys }),
  // CloudNativePG creates these Secrets for a Postgres cluster: logins, the certificate authority
  // and the certificate of the server.
  Cluster: ({ name }) => ({
    [`${name}-app`]: ['username', 'user', 'password', 'dbname', 'host', 'port', 'uri', 'jdbc-uri'],
    [`${name}-superuser`]: ['username', 'user', 'password', 'host', 'port', 'uri', 'jdbc-uri'],
    [`${name}-ca`]: ['ca.crt', 'ca.key'],
    [`${name}-server`]: ['tls.crt', 'tls.key'],
  }),
  RabbitmqCluster: ({ name }) => ({
    [`${name}-default-user`]: ['username', 'password', 'host', 'port', 'connection_string'],
  }),
  User: ({ name }) => ({ [`${name}-user-credentials`]: ['username', 'password'] }),
}

/**
 * Secrets that exist with a kustomize build: Secrets in its manifests, Secrets that operators
 * create, and Secrets copied from an external store.
 */
export function secretsOf(build: Build): StoredKeys {
  return new Map([
    ...build.manifests.flatMap((manifest) =>
      Object.entries(generated[manifest.kind]?.(manifest) ?? {}).map(
        ([name, keys]) => [name, new Set(keys)] as const,
      ),
    ),
    ...manifestsOf(build, 'Secret').map((manifest) => [manifest.name, keysOf(manifest)] as const),
    ...manifestsOf(build, 'ExternalSecret').map(externalSecret),
  ])
}

function externalSecret({ name, content }: Manifest): [string, ReadonlySet<string> | undefined] {
  const target = valueAt(content, ['spec', 'target', 'name']) as string | undefined
  const keys = [
    ...valuesAt(content, 'spec.data[].secretKey').map(({ value }) => String(value)),
    ...Object.keys((valueAt(content, ['spec', 'target', 'template', 'data']) as object) ?? {}),
  ]
  const isListed = valueAt(content, ['spec', 'dataFrom']) === undefined
  return [target ?? name, isListed ? new Set(keys) : undefined]
}

export function configMapsOf(build: Build): StoredKeys {
  return new Map(manifestsOf(build, 'ConfigMap').map((each) => [each.name, keysOf(each)] as const))
}

function keysOf({ content }: Manifest): Set<string> {
  const parts = ['data', 'stringData', 'binaryData'].map((name) => content[name] ?? {})
  return new Set(parts.flatMap((part) => Object.keys(part)))
}
