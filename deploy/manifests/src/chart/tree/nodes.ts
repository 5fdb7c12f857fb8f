/** Condition of Helm's template language, such as `$.Values.components.ingress`. */
export type Condition = string

/** Node of a Helm template tree, which represents a manifest or a part of a manifest. */
export type TemplateNode =
  | { kind: 'scalar'; value: string | number | boolean | null }
  /** Helm template expression that renders a value on one line. */
  | { kind: 'expression'; text: string }
  /** Helm template lines that render the members of a map. */
  | { kind: 'block'; lines: string[] }
  | { kind: 'map'; entries: MapEntry[] }
  | { kind: 'list'; items: ListItem[] }

export interface MapEntry {
  key: string
  /**
   * Alternative values of a map entry in a Helm template. Helm renders the first alternative whose
   * condition is true. The last alternative may have no condition.
   */
  alternatives: Alternative[]
}

export interface Alternative {
  condition?: Condition
  node: TemplateNode
}

export interface ListItem {
  condition?: Condition
  node: TemplateNode
}

/** Helm template expression in the content of a manifest, in place of a fixed value. */
export class Expression {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Creates an entry of a map in a Helm template that is rendered unconditionally. */
export const entry = (key: string, node: TemplateNode): MapEntry => ({
  key,
  alternatives: [{ node }],
})

/**
 * Converts a manifest value, which may contain expressions, to a Helm template node without
 * conditions.
 */
export function toNode(value: unknown): TemplateNode {
  if (value instanceof Expression) return { kind: 'expression', text: value.text }
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item: unknown) => ({ node: toNode(item) })) }
  if (typeof value === 'object' && value !== null)
    return {
      kind: 'map',
      entries: Object.entries(value).map(([key, member]) => entry(key, toNode(member))),
    }
  return { kind: 'scalar', value: value as string | number | boolean | null }
}

/** Combines Helm template conditions with `and`. Undefined if all conditions are undefined. */
export function allOf(...conditions: (Condition | undefined)[]): Condition | undefined {
  const present = conditions.filter((condition) => condition !== undefined)
  return present.length < 2 ? present[0] : `and ${present.map(inParentheses).join(' ')}`
}

/** Combines at least one Helm template condition with `or`. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1
    ? (conditions[0] ?? '')
    : `or ${conditions.map(inParentheses).join(' ')}`
}

export const not = (condition: Condition): Condition => `not ${inParentheses(condition)}`

function inParentheses(condition: Condition): string {
  return condition.includes(' ') ? `(${condition})` : condition
}
