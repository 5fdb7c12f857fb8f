import type { PlainManifest } from './plain-manifests.ts'

/**
 * Manifest of one component, or item of a list in the manifest, that the Helm chart omits when
 * another component is enabled.
 */
export interface Exclusion {
  kind: string
  name: string
  /**
   * Folder of the component that makes the manifest or list item superfluous. If this component is
   * enabled, the Helm chart omits the manifest or item.
   */
  unless: string
  /**
   * List item that the Helm chart omits: path of the list, and `secretKey` of the item. Absent if
   * the whole manifest is omitted.
   */
  item?: { path: readonly string[]; secretKey: string }
}

/**
 * Manifests and list items of a component that the Helm chart omits when another component is
 * enabled, because they are then superfluous. The overlay `large` has patches that remove the same
 * manifests. An entry whose manifest does not exist has no effect.
 */
export const exclusions: readonly Exclusion[] = [
  // The component `rabbitmq-operator` creates the RabbitMQ users itself. The Job `broker-users` and
  // the administrator's login are then superfluous.
  { kind: 'NetworkPolicy', name: 'broker-users', unless: 'rabbitmq-operator' },
  { kind: 'NetworkPolicy', name: 'rabbitmq', unless: 'rabbitmq-operator' },
  { kind: 'NetworkPolicy', name: 'postgres', unless: 'postgres-cloudnativepg' },
  { kind: 'ExternalSecret', name: 'posthorn-amqp-admin', unless: 'rabbitmq-operator' },
  // The component `postgres-cloudnativepg` creates the login of the database owner itself, so the
  // ExternalSecret with the login is superfluous.
  {
    kind: 'ExternalSecret',
    name: 'posthorn-database-owner',
    unless: 'postgres-cloudnativepg',
    item: { path: ['spec', 'data'], secretKey: 'url' },
  },
]

/**
 * Components by kind of manifest, for manifests that exist only in overlays. The Helm chart
 * contains such a manifest if any of the components is enabled. Namespaces are not listed, because
 * Helm creates them.
 */
const overlayManifests: Readonly<Record<string, readonly string[]>> = {
  ExternalSecret: ['external-secrets', 'rabbitmq-operator'],
}

/**
 * Lists the components for a manifest that exists only in overlays. The Helm chart contains the
 * manifest if any of these components is enabled.
 *
 * @throws Error if no components are listed for the manifest's kind
 */
export function componentsFor({ kind, name }: PlainManifest): readonly string[] {
  const components = overlayManifests[kind]
  if (!components)
    throw new Error(
      `${kind} ${name} is part of an overlay only: move it into a component, or name its components in deploy/manifests/src/chart/interactions.ts`,
    )
  return components
}
