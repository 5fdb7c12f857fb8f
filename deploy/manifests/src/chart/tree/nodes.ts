/** Condition of Helm's template language, such as `$.Values.components.ingress`. */
export type Condition = string

/** Part of a manifest whose content may depend on values of the chart. */
export type TemplateNode =
  | { kind: 'scalar'; value: string | number | boolean | null }
  /** Text of Helm's template language that renders a value of one line. */
  | { kind: 'expression'; text: string }
  /** Lines of Helm's template language that render the members of a map. */
  | { kind: 'block'; lines: string[] }
  | { kind: 'map'; entries: MapEntry[] }
  | { kind: 'list'; items: ListItem[] }

export interface MapEntry {
  key: string
  /**
   * Alternative values of a map entry. The first alternative whose condition is met is rendered.
   * The last alternative may have no condition.
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

/** Value that an expression of the template language renders, in the content of a manifest. */
export class Expression {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Creates an entry of a template map, without conditions. */
export const entry = (key: string, node: TemplateNode): MapEntry => ({
  key,
  alternatives: [{ node }],
})

/** Converts a value that depends on no condition to a template node. */
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

/** Conjunction of template conditions; undefined if all conditions are undefined. */
export function allOf(...conditions: (Condition | undefined)[]): Condition | undefined {
  const present = conditions.filter((condition) => condition !== undefined)
  return present.length < 2 ? present[0] : `and ${present.map(inParentheses).join(' ')}`
}

/** Disjunction of at least one template condition. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 1
    ? (conditions[0] ?? '')
    : `or ${conditions.map(inParentheses).join(' ')}`
}

export const not = (condition: Condition): Condition => `not ${inParentheses(condition)}`

function inParentheses(condition: Condition): string {
  return condition.includes(' ') ? `(${condition})` : condition
}
