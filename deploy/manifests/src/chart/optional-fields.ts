import { asJson, reference } from './expressions.ts'
import type { PlainManifest } from './plain-manifests.ts'
import { Expression, type TemplateNode, toNode } from './tree/nodes.ts'

/**
 * Manifest field that does not occur in the kustomize builds. The Helm chart adds the field if the
 * chart's value for the field is not empty.
 */
interface OptionalField {
  kinds: readonly string[]
  /**
   * Names of the manifests that get a Helm chart's optional field. Absent if all manifests of the
   * kinds get the field.
   */
  names?: readonly string[]
  path: readonly string[]
  /** Path, in the Helm chart's values, of the value that sets the optional manifest field. */
  value: readonly string[]
  /** Default value of this manifest field in the Helm chart's values: empty text, map or list. */
  standard: unknown
}

const pod = ['spec', 'template', 'spec'] as const
const pods = ['Deployment', 'Job'] as const

export const optionalFields: readonly OptionalField[] = [
  { kinds: pods, path: [...pod, 'nodeSelector'], value: ['nodeSelector'], standard: {} },
  { kinds: pods, path: [...pod, 'tolerations'], value: ['tolerations'], standard: [] },
  {
    kinds: ['Ingress'],
    path: ['spec', 'ingressClassName'],
    value: ['ingress', 'className'],
    standard: '',
  },
  {
    kinds: ['Service'],
    names: ['imap', 'smtp'],
    path: ['metadata', 'annotations'],
    value: ['loadBalancers', 'annotations'],
    standard: {},
  },
]

/** Adds the optional fields of a manifest to its Helm template tree. */
export function addOptionalFields(node: TemplateNode, { kind, name }: PlainManifest): void {
  for (const { kinds, names = [name], path, value } of optionalFields) {
    if (!kinds.includes(kind) || !names.includes(name)) continue
    const parent = path.slice(0, -1).reduce<TemplateNode | undefined>(memberNode, node)
    const key = path.at(-1) ?? ''
    if (parent?.kind !== 'map' || memberNode(parent, key))
      throw new Error(`${kind} ${name} has ${path.join('.')}: use a binding`)
    const field = toNode(new Expression(asJson(value)))
    parent.entries.push({ key, alternatives: [{ condition: reference(value), node: field }] })
  }
}

/**
 * Returns the node of a map's member in a Helm template tree. For a member with several conditional
 * values, returns the first value.
 */
export function memberNode(node: TemplateNode | undefined, key: string): TemplateNode | undefined {
  if (node?.kind !== 'map') return undefined
  return node.entries.find((each) => each.key === key)?.alternatives[0]?.node
}
