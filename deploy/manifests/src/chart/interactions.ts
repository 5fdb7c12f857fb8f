import type { PlainManifest } from './plain-manifests.ts'

/** Manifest, or item of a list in a manifest, that another enabled component makes needless. */
export interface Exclusion {
  kind: string
  name: string
  /** Folder of the component that makes the manifest or item needless. */
  unless: string
  /**
   * Item of a list that is needless: path of the list, and the `secretKey` of the item. Absent if
   * the whole manifest is needless.
   */
  item?: { path: readonly string[]; secretKey: string }
}

/**
 * Manifests and list items of a component that another enabled component makes needless. The
 * overlay `large` has patches for the same manifests. Entries for manifests that do not exist have
 * no effect.
 */
export const exclusions: readonly Exclusion[] = [
  // `rabbitmq-operator` replaces the Job `broker-users` and the login of its administrator.
  { kind: 'NetworkPolicy', name: 'broker-users', unless: 'rabbitmq-operator' },
  { kind: 'NetworkPolicy', name: 'rabbitmq', unless: 'rabbitmq-operator' },
  { kind: 'NetworkPolicy', name: 'postgres', unless: 'postgres-cloudnativepg' },
  { kind: 'ExternalSecret', name: 'posthorn-amqp-admin', unless: 'rabbitmq-operator' },
  // The Postgres operator creates the login of the database owner.
  {
    kind: 'ExternalSecret',
    name: 'posthorn-database-owner',
    unless: 'postgres-cloudnativepg',
    item: { path: ['spec', 'data'], secretKey: 'url' },
  },
]

/**
 * Components whose chart condition applies to manifests that only overlays contain. Namespaces are
 * created by Helm.
 */
const overlayManifests: Readonly<Record<string, readonly string[]>> = {
  ExternalSecret: ['external-secrets', 'rabbitmq-operator'],
}

/**
 * Components of which one has to be enabled for a manifest of an overlay to be part of the chart.
 *
 * @throws Error for a kind that is not listed
 */
export function componentsFor({ kind, name }: PlainManifest): readonly string[] {
  const components = overlayManifests[kind]
  if (!components)
    throw new Error(
      `${kind} ${name} is part of an overlay only: move it into a component, or name its components in deploy/manifests/src/chart/interactions.ts`,
    )
  return components
}
