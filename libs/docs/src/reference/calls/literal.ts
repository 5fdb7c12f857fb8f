/** Notation of JSON values in a programming language. */
interface Notation {
  text(value: string): string
  key(name: string): string
  constants: Readonly<Record<'true' | 'false' | 'null', string>>
  /** Spaces between the braces and the members of an object on one line of example code. */
  padding: string
  /** Comma after the last member of an object on several lines of example code. */
  trailingComma: string
}

const json: Notation = {
  text: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  constants: { true: 'true', false: 'false', null: 'null' },
  padding: '',
  trailingComma: '',
}

const javaScript: Notation = {
  text: (value) => singleQuoted(value),
  key: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : singleQuoted(name)),
  constants: json.constants,
  padding: ' ',
  trailingComma: ',',
}

const python: Notation = {
  ...json,
  constants: { true: 'True', false: 'False', null: 'None' },
  trailingComma: ',',
}

const notations = { json, javaScript, python }
export type LiteralLanguage = keyof typeof notations

/** Maximum columns of a line of example code, after which a value takes several lines. */
const maxColumns = 96

/**
 * Writes a JSON value as a literal of a language. Lines after the first line are indented by
 * `indent` spaces. `used` is the number of columns before the value on its first line.
 */
export function toLiteral(
  value: unknown,
  language: LiteralLanguage,
  { indent = 0, used = indent }: { indent?: number; used?: number } = {},
): string {
  const notation = notations[language]
  if (typeof value === 'string') return notation.text(value)
  if (typeof value === 'boolean' || value === null)
    return notation.constants[String(value) as 'true' | 'false' | 'null']
  if (typeof value !== 'object') return JSON.stringify(value)
  const onOneLine = inline(value, language)
  if (used + onOneLine.length <= maxColumns) return onOneLine
  return onSeveralLines(value, language, indent)
}

function inline(value: object, language: LiteralLanguage): string {
  const notation = notations[language]
  const parts = members(value, notation).map(
    ({ head, member }) => `${head}${toLiteral(member, language, { used: -Infinity })}`,
  )
  const [open, close] = brackets(value)
  const padding = Array.isArray(value) || parts.length === 0 ? '' : notation.padding
  return `${open}${padding}${parts.join(', ')}${padding}${close}`
}

function onSeveralLines(value: object, language: LiteralLanguage, indent: number): string {
  const notation = notations[language]
  const inner = indent + 2
  const lines = members(value, notation).map(
    ({ head, member }) =>
      `${' '.repeat(inner)}${head}${toLiteral(member, language, { indent: inner, used: inner + head.length + 1 })}`,
  )
  const [open, close] = brackets(value)
  return `${open}\n${lines.join(',\n')}${notation.trailingComma}\n${' '.repeat(indent)}${close}`
}

function members(value: object, notation: Notation): { head: string; member: unknown }[] {
  return Array.isArray(value)
    ? value.map((member: unknown) => ({ head: '', member }))
    : Object.entries(value).map(([name, member]: [string, unknown]) => ({
        head: `${notation.key(name)}: `,
        member,
      }))
}

function brackets(value: object): readonly [string, string] {
  return Array.isArray(value) ? ['[', ']'] : ['{', '}']
}

function singleQuoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped}'`
}
