/** Secret of a deployment and the public key that is derived from the secret. */
export interface SealingKeys {
  /** Value of SVC_SECRET for auth-bridge. If undefined, the output contains no secret. */
  secret: string | undefined
  /** Value of SVC_SECRET_PUBLIC_KEY for api-gateway. */
  publicKey: string
}

export const keyFormats = ['secret', 'env', 'json'] as const
/**
 * Format of the printed keys. `secret`: manifests of Kubernetes. `env`: lines of variables. `json`:
 * one object.
 */
export type KeyFormat = (typeof keyFormats)[number]

export interface FormatOptions {
  format: KeyFormat
  /** Namespace of the Kubernetes manifests; undefined for manifests without a namespace. */
  namespace?: string | undefined
}

/**
 * Returns the sealing (encryption) keys as text. The text contains the secret and must not be
 * logged.
 */
export function formatKeys(keys: SealingKeys, { format, namespace }: FormatOptions): string {
  if (format === 'secret') return secretManifests(keys, namespace)
  const names = format === 'env' ? environmentNames : jsonNames
  const entries = [
    ...(keys.secret === undefined ? [] : [[names.secret, keys.secret]]),
    [names.publicKey, keys.publicKey],
  ]
  if (format === 'json') return `${JSON.stringify(Object.fromEntries(entries))}\n`
  return entries.map(([name, value]) => `${name}=${value}\n`).join('')
}

const environmentNames = { secret: 'SVC_SECRET', publicKey: 'SVC_SECRET_PUBLIC_KEY' }
/**
 * Names of the properties in the store entries that the Kubernetes component `external-secrets`
 * reads.
 */
const jsonNames = { secret: 'secret', publicKey: 'public-key' }

/**
 * Manifests of Kubernetes Secrets with the names and keys of `k8s/base`. Only auth-bridge mounts
 * `posthorn-sealing-private`.
 */
function secretManifests({ secret, publicKey }: SealingKeys, namespace?: string): string {
  const documents = [
    ...(secret === undefined ? [] : [{ name: 'posthorn-sealing-private', data: { secret } }]),
    { name: 'posthorn-sealing', data: { 'public-key': publicKey } },
  ]
  return documents
    .map(({ name, data }) =>
      [
        'apiVersion: v1',
        'kind: Secret',
        'metadata:',
        `  name: ${name}`,
        ...(namespace === undefined ? [] : [`  namespace: ${JSON.stringify(namespace)}`]),
        'type: Opaque',
        'stringData:',
        // Values of the Secret's manifest are written as JSON, because every JSON text is a YAML
        // text.
        ...Object.entries(data).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`),
        '',
      ].join('\n'),
    )
    .join('---\n')
}
