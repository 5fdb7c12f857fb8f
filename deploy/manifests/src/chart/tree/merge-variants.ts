import { isObject } from '../../schema/path.ts'
import {
  anyOf,
  type Alternative,
  type Condition,
  type ListItem,
  not,
  type TemplateNode,
  toNode,
} from './nodes.ts'

/**
 * Variant of a manifest field: its value in one kustomize build, either of the base alone or of the
 * base with one component.
 */
export interface Variant {
  /**
   * Template condition that is true if the component of this kustomize build is enabled. Absent for
   * the build of the base alone.
   */
  condition?: Condition
  /**
   * Value of the manifest field. Absent if the manifest has no such field in the kustomize build.
   */
  value?: unknown
}

type Present = Variant & { value: object }

/**
 * Helm template condition under which a manifest field exists. Undefined if the field always
 * exists.
 */
export function presenceOf(variants: readonly Variant[]): Condition | undefined {
  const base = variants.find(({ condition }) => condition === undefined)
  const inBase = base?.value !== undefined
  const differing = variants.flatMap(({ condition, value }) =>
    condition !== undefined && (value !== undefined) !== inBase ? [condition] : [],
  )
  if (differing.length === 0 || (!base && differing.length === variants.length)) return undefined
  return inBase ? not(anyOf(differing)) : anyOf(differing)
}

/**
 * Merges the values of a manifest field from several kustomize builds into a template node. Maps
 * and lists are merged member by member. Other values become conditional alternatives, with the
 * value of the base last.
 */
export function mergeVariants(variants: readonly Variant[]): Alternative[] {
  const present = variants.filter(({ value }) => value !== undefined)
  const condition = presenceOf(variants)
  const guard = condition === undefined ? {} : { condition }
  const values = present.map(({ value }) => value)
  const [first] = values
  if (values.every((value) => isEqual(value, first))) return [{ ...guard, node: toNode(first) }]
  if (values.every(isObject)) return [{ ...guard, node: mergeMaps(present as Present[]) }]
  if (values.every(Array.isArray)) return [{ ...guard, node: mergeLists(present) }]
  const base = variants.find((variant) => variant.condition === undefined)
  if (condition !== undefined && base)
    throw new Error(`a component removes what another changes: ${JSON.stringify(first)}`)
  return alternativesOf(present)
}

function mergeMaps(variants: readonly Present[]): TemplateNode {
  const keys = new Set(variants.flatMap(({ value }) => Object.keys(value)))
  return {
    kind: 'map',
    entries: [...keys].map((key) => ({
      key,
      alternatives: mergeVariants(
        variants.map(({ value, ...variant }) => ({
          ...variant,
          value: (value as Record<string, unknown>)[key],
        })),
      ),
    })),
  }
}

function mergeLists(variants: readonly Variant[]): TemplateNode {
  const lists = variants.map(({ value, ...variant }) => ({
    ...variant,
    items: new Map((value as unknown[]).map((item) => [identityOf(item), item])),
  }))
  const identities = mergeOrders(lists.map(({ items }) => [...items.keys()]))
  const items = identities.flatMap((identity): ListItem[] =>
    mergeVariants(
      lists.map(({ items, ...variant }) => ({ ...variant, value: items.get(identity) })),
    ),
  )
  return { kind: 'list', items }
}

/** Key of a list item, by which equal items of several kustomize builds are recognized. */
function identityOf(item: unknown): string {
  if (!isObject(item)) return JSON.stringify(item)
  const name = item['name'] ?? item['mountPath'] ?? item['topologyKey']
  return typeof name === 'string' ? name : JSON.stringify(item)
}

/**
 * Merges the lists that a manifest field has in several kustomize builds into one list. Each item
 * is placed after its predecessor in its own list. For named items, Kubernetes ignores the order.
 * For other items, the comparison with kustomize reports a wrong order.
 */
function mergeOrders(lists: readonly (readonly string[])[]): string[] {
  const merged: string[] = []
  for (const list of lists) {
    let at = 0
    for (const name of list) {
      const index = merged.indexOf(name)
      if (index < 0) merged.splice(at, 0, name)
      at = index < 0 ? at + 1 : index + 1
    }
  }
  return merged
}

function alternativesOf(present: readonly Variant[]): Alternative[] {
  const base = present.find(({ condition }) => condition === undefined)
  const groups = new Map<string, Variant[]>()
  for (const variant of present) {
    const key = JSON.stringify(variant.value)
    if (!base || !isEqual(variant.value, base.value))
      groups.set(key, [...(groups.get(key) ?? []), variant])
  }
  const others = [...groups.values()].map((group) => ({
    condition: anyOf(group.flatMap(({ condition }) => condition ?? [])),
    node: toNode(group[0]?.value),
  }))
  return base ? [...others, { node: toNode(base.value) }] : others
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
