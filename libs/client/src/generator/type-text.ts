import { type ApiSchema, nameOfReference } from '@posthorn/contracts/openapi/document'

/** Options of generating the TypeScript text of a schema. */
export interface TypeTextOptions {
  /** True for request schemas, in which bytes can take the place of a text in base64. */
  isRequest?: boolean
  /** True if descriptions of the schema become comments. */
  hasComments?: boolean
  indent?: string
}

const maxColumns = 96

/** Returns the TypeScript type of the values that a schema allows. */
export function typeText(schema: ApiSchema, options: TypeTextOptions = {}): string {
  const { $ref, anyOf, allOf } = schema
  const { indent = '' } = options
  if ($ref !== undefined) return nameOfReference($ref)
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return unionText(schema.enum.map(literal), indent)
  if (anyOf) {
    const members = anyOf.map((each) => typeText(each, options))
    return unionText(members, indent)
  }
  return allOf
    ? allOf.map((each) => inParentheses(typeText(each, options))).join(' & ')
    : namedTypeText(schema, options)
}

/** Returns the TypeScript type of a schema with the member `type`. */
function namedTypeText(schema: ApiSchema, options: TypeTextOptions): string {
  const { type, format, items = {} } = schema
  switch (type) {
    case 'array':
      return `${inParentheses(typeText(items, options))}[]`
    case 'object':
      return objectText(schema, options)
    case 'string':
      return format === 'base64' && options.isRequest ? 'Base64' : 'string'
    case 'integer':
      return 'number'
    default:
      return type ?? 'unknown'
  }
}

/** Returns the TypeScript text of an object schema's members in braces. */
function objectText(schema: ApiSchema, options: TypeTextOptions): string {
  const { properties, patternProperties, additionalProperties } = schema
  const [values] = Object.values(patternProperties ?? {})
  const others = values ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
  const isOpen = values !== undefined || typeof additionalProperties === 'object'
  if (isOpen || (!properties && additionalProperties !== false)) {
    const record = `Record<string, ${typeText(others, options)}>`
    return properties ? `${membersText(schema, options)} & ${record}` : record
  }
  return membersText(schema, options)
}

function membersText(
  { properties = {}, required = [] }: ApiSchema,
  options: TypeTextOptions,
): string {
  const { indent = '' } = options
  const inner = { ...options, indent: `${indent}  ` }
  const members = Object.entries(properties).map(([name, member]) => {
    const key = /^[a-z_$][\w$]*$/i.test(name) ? name : literal(name)
    const optional = required.includes(name) ? '' : '?'
    const comment = options.hasComments ? commentText(member.description, inner.indent) : ''
    return `${comment}${inner.indent}${key}${optional}: ${typeText(member, inner)}\n`
  })
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : JSON.stringify(value)
}

function inParentheses(text: string): string {
  return text.includes('|') && !/^[{(][^]*[})]$/.test(text) ? `(${text})` : text
}

function unionText(members: readonly string[], indent: string): string {
  const distinct = [...new Set(members)]
  const hasLiterals = distinct.some((member) => member.startsWith("'"))
  // Keeps the literals of the union for the completion in editors: `string` alone would absorb the
  // literals.
  const unique = hasLiterals
    ? distinct.map((member) => (member === 'string' ? '(string & {})' : member))
    : distinct
  const line = unique.join(' | ')
  if (line.includes('\n') || indent.length + line.length <= maxColumns / 2) return line
  return unique.map((member) => `\n${indent}  | ${member}`).join('')
}

/** Returns a documentation comment for generated code with lines of at most 100 columns. */
export function commentText(text: string | undefined, indent = ''): string {
  if (text === undefined || text === '') return ''
  const width = maxColumns - indent.length - 3
  const paragraphs = text.replaceAll('*/', '*\u200b/').split('\n')
  const lines = paragraphs.flatMap((paragraph) => wrap(paragraph, width))
  const [only = ''] = lines
  if (lines.length === 1 && only.length + 4 <= width) return `${indent}/** ${only} */\n`
  const body = lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`)
  return `${indent}/**\n${body.join('')}${indent} */\n`
}

function wrap(paragraph: string, width: number): string[] {
  const lines = ['']
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
