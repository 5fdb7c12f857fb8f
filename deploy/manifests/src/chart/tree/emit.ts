import type { Alternative, MapEntry, TemplateNode } from './nodes.ts'

/**
 * Converts a template tree to the text of a Helm template. Uses only the subset of the template
 * language that README.md describes.
 */
export function emit(node: TemplateNode): string {
  return lines(node)
    .map((line) => `${line}\n`)
    .join('')
}

function lines(node: TemplateNode): string[] {
  if (node.kind === 'map') return node.entries.flatMap(entryLines)
  if (node.kind === 'list')
    return node.items.flatMap(({ condition, node: item }) => {
      const text = itemLines(item)
      return condition === undefined ? text : [`{{- if ${condition} }}`, ...text, '{{- end }}']
    })
  if (node.kind === 'block') return node.lines
  return [inline(node)]
}

function entryLines({ key, alternatives }: MapEntry): string[] {
  const [only] = alternatives
  if (alternatives.length === 1 && only && only.condition === undefined)
    return property(key, only.node)
  return [...alternatives.flatMap((each, at) => branch(key, each, at)), '{{- end }}']
}

function branch(key: string, { condition, node }: Alternative, at: number): string[] {
  const keyword = condition === undefined ? 'else' : `${at === 0 ? '' : 'else '}if ${condition}`
  return [`{{- ${keyword} }}`, ...property(key, node)]
}

function property(key: string, node: TemplateNode): string[] {
  if (isInline(node)) return [`${scalarText(key)}: ${inline(node)}`]
  return [`${scalarText(key)}:`, ...lines(node).map(indent)]
}

/**
 * Indents a line of YAML. A line with an action of the template language is not indented, because
 * its indentation has no meaning.
 */
const indent = (line: string) => (line.startsWith('{{- ') ? line : `  ${line}`)

function itemLines(node: TemplateNode): string[] {
  let isFirst = true
  return lines(node).map((line) => {
    if (line.startsWith('{{- ')) {
      if (isFirst) throw new Error(`the first member of a list item has a condition: ${line}`)
      return line
    }
    const prefix = isFirst ? '- ' : '  '
    isFirst = false
    return `${prefix}${line}`
  })
}

function isInline(node: TemplateNode): boolean {
  if (node.kind === 'map') return isEmpty(node.entries.flatMap(({ alternatives }) => alternatives))
  if (node.kind === 'list') return isEmpty(node.items)
  return node.kind !== 'block'
}

/**
 * True for an empty map or list of a Helm template tree.
 * @throws Error if all members of a map or list have a condition, because the rendered map or list
 * could be empty
 */
function isEmpty(members: readonly { condition?: string }[]): boolean {
  if (members.length > 0 && members.every(({ condition }) => condition !== undefined))
    throw new Error(`a map or list has conditional members only: ${members[0]?.condition}`)
  return members.length === 0
}

function inline(node: TemplateNode): string {
  if (node.kind === 'expression') return node.text
  if (node.kind !== 'scalar') return node.kind === 'list' ? '[]' : '{}'
  return typeof node.value === 'string' ? scalarText(node.value) : String(node.value)
}

function scalarText(value: string): string {
  if (value.includes('{{')) throw new Error(`a manifest contains a template: ${value}`)
  const isPlain =
    /^[A-Za-z][\w./-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
  return isPlain ? value : JSON.stringify(value)
}
