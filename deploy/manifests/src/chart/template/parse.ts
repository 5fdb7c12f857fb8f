/** Expression of Helm's template language. */
export type Operand =
  | { kind: 'literal'; value: string | number | boolean }
  /** Variable of a Helm template, optionally with fields: `$`, `$.Values.image`, `$name`. */
  | { kind: 'variable'; name: string; fields: string[] }
  | { kind: 'call'; name: string; args: Operand[] }

export type Statement =
  | { kind: 'text'; text: string }
  | { kind: 'output'; value: Operand }
  | { kind: 'if'; branches: { condition?: Operand; body: Statement[] }[] }
  | { kind: 'range'; key: string; value: string; of: Operand; body: Statement[] }

const action = /\{\{(-?)\s*(.*?)\s*(-?)\}\}/gs
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\$?[A-Za-z_]\w*(?:\.\w+)*|\$(?:\.\w+)*|:=|[()|,]/g

/**
 * Parses the subset of Go's template language that the Helm chart uses: `if`, `else if`, `else`,
 * `range` over a map with two variables, `end`, pipelines, calls, parentheses and fields of
 * variables.
 *
 * @throws Error for any other syntax
 */
export function parseTemplate(text: string): Statement[] {
  const parts = split(text)
  const { body, end } = parseBody(parts)
  if (end !== undefined) throw new Error(`{{ ${end} }} without a beginning`)
  return body
}

type Part = { text: string } | { action: string }

/**
 * Splits a Helm template into text and actions. A hyphen in an action removes the adjacent white
 * space, as in Go's templates.
 */
function split(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  let trims = false
  for (const match of text.matchAll(action)) {
    const before = text.slice(at, match.index)
    const left = trims ? before.trimStart() : before
    parts.push({ text: match[1] === '-' ? left.trimEnd() : left }, { action: match[2] ?? '' })
    trims = match[3] === '-'
    at = match.index + match[0].length
  }
  const rest = text.slice(at)
  parts.push({ text: trims ? rest.trimStart() : rest })
  return parts
}

/**
 * Reads the statements of a Helm template, up to the next `else` or `end` of the same block or the
 * end of the template.
 */
function parseBody(parts: Part[]): { body: Statement[]; end?: string } {
  const body: Statement[] = []
  for (let part = parts.shift(); part; part = parts.shift()) {
    if ('text' in part) body.push({ kind: 'text', text: part.text })
    else if (/^(?:end|else\b.*)$/.test(part.action)) return { body, end: part.action }
    else if (part.action.startsWith('if ')) body.push(parseIf(part.action, parts))
    else if (part.action.startsWith('range ')) body.push(parseRange(part.action, parts))
    else body.push({ kind: 'output', value: parsePipeline(part.action) })
  }
  return { body }
}

function parseIf(first: string, parts: Part[]): Statement {
  const branches: { condition?: Operand; body: Statement[] }[] = []
  for (let head: string | undefined = first; head !== 'end';) {
    const [, condition] = /^(?:else )?if (.*)$/s.exec(head) ?? []
    const { body, end } = parseBody(parts)
    branches.push({ ...(condition !== undefined && { condition: parsePipeline(condition) }), body })
    if (end === undefined) throw new Error(`{{ ${first} }} without an end`)
    head = end
  }
  return { kind: 'if', branches }
}

function parseRange(head: string, parts: Part[]): Statement {
  const [, key = '', value = '', of] = /^range \$(\w+), \$(\w+) := (.*)$/s.exec(head) ?? []
  if (of === undefined) throw new Error(`{{ ${head} }} needs two variables`)
  const { body, end } = parseBody(parts)
  if (end !== 'end') throw new Error(`{{ ${head} }} without an end`)
  return { kind: 'range', key, value, of: parsePipeline(of), body }
}

function parsePipeline(text: string): Operand {
  const rest = text.replaceAll(token, '').trim()
  if (rest !== '') throw new Error(`{{ ${text} }} contains ${rest}`)
  const tokens = text.match(token) ?? []
  const value = readPipeline(tokens)
  if (tokens.length > 0) throw new Error(`{{ ${text} }} has no beginning of ${tokens[0]}`)
  return value
}

/**
 * Reads a pipeline of a Helm template. The result of each command becomes the last argument of the
 * next command.
 */
function readPipeline(tokens: string[]): Operand {
  let value = readCommand(tokens)
  while (tokens[0] === '|') {
    tokens.shift()
    const next = readCommand(tokens)
    if (next.kind !== 'call') throw new Error('a pipeline continues with a call')
    value = { ...next, args: [...next.args, value] }
  }
  return value
}

function readCommand(tokens: string[]): Operand {
  const operands: Operand[] = []
  while (tokens.length > 0 && tokens[0] !== '|' && tokens[0] !== ')')
    operands.push(readOperand(tokens))
  const [first, ...args] = operands
  if (!first) throw new Error('an expression is empty')
  if (first.kind === 'call') return { ...first, args: [...first.args, ...args] }
  if (args.length > 0) throw new Error('arguments need a function')
  return first
}

function readOperand(tokens: string[]): Operand {
  const text = tokens.shift() ?? ''
  if (text === '(') {
    const value = readPipeline(tokens)
    if (tokens.shift() !== ')') throw new Error('a parenthesis is not closed')
    return value
  }
  if (text.startsWith('"')) return { kind: 'literal', value: JSON.parse(text) as string }
  if (/^-?\d/.test(text)) return { kind: 'literal', value: Number(text) }
  if (text.startsWith('$')) {
    const [name = '', ...fields] = text.slice(1).split('.')
    return { kind: 'variable', name, fields }
  }
  return { kind: 'call', name: text, args: [] }
}
