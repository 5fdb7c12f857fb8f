import { createHash } from 'node:crypto'
import { isObject } from '../../schema/path.ts'
import { type Operand, parseTemplate, type Statement } from './parse.ts'

/** Variables of a Helm template by name. The entry with the empty name is the root object. */
type Scope = Readonly<Record<string, unknown>>

/**
 * Renders a Helm template as Helm does. `root` is the object `{ Values, Chart, Release }`.
 *
 * @throws Error for an unknown function or variable, or a field of a value that is not a map
 */
export function renderTemplate(text: string, root: object): string {
  return renderAll(parseTemplate(text), { '': root })
}

function renderAll(statements: readonly Statement[], scope: Scope): string {
  return statements.map((statement) => render(statement, scope)).join('')
}

function render(statement: Statement, scope: Scope): string {
  if (statement.kind === 'text') return statement.text
  if (statement.kind === 'output') return print(evaluate(statement.value, scope))
  if (statement.kind === 'if') {
    const branch = statement.branches.find(
      ({ condition }) => !condition || isTrue(evaluate(condition, scope)),
    )
    return branch ? renderAll(branch.body, scope) : ''
  }
  const values = evaluate(statement.of, scope) ?? {}
  if (!isObject(values)) throw new Error('range needs a map')
  return Object.keys(values)
    .toSorted()
    .map((key) => {
      const variables = { [statement.key]: key, [statement.value]: values[key] }
      return renderAll(statement.body, { ...scope, ...variables })
    })
    .join('')
}

function evaluate(operand: Operand, scope: Scope): unknown {
  if (operand.kind === 'literal') return operand.value
  if (operand.kind === 'call') {
    const call = functions[operand.name]
    if (!call) throw new Error(`the template language has no function ${operand.name}`)
    return call(...operand.args.map((argument) => evaluate(argument, scope)))
  }
  if (!(operand.name in scope)) throw new Error(`the variable $${operand.name} does not exist`)
  return operand.fields.reduce<unknown>((value, field) => {
    if (!isObject(value)) throw new Error(`${field} is a field of a value that is no map`)
    return value[field]
  }, scope[operand.name])
}

/** Functions of Go's templates and of Helm that the chart uses. */
const functions: Readonly<Record<string, (...args: unknown[]) => unknown>> = {
  and: (...args) => args.find((each) => !isTrue(each)) ?? args.at(-1),
  or: (...args) => args.find(isTrue) ?? args.at(-1),
  not: (value) => !isTrue(value),
  index: (value, ...keys) => keys.reduce(member, value),
  hasKey: (value, key) => isObject(value) && Object.hasOwn(value, String(key)),
  default: (standard, value) => (isTrue(value) ? value : standard),
  list: (...items) => items,
  toJson,
  sha256sum: (text) => createHash('sha256').update(String(text)).digest('hex'),
}

function member(value: unknown, key: unknown): unknown {
  if (!isObject(value)) throw new Error(`index ${String(key)} of a value that is no map`)
  return value[String(key)]
}

/**
 * Converts a value to JSON for a Helm template. As in Go's `encoding/json`, keys are sorted and the
 * characters `<`, `>` and `&` are escaped.
 */
function toJson(value: unknown): string {
  const text = JSON.stringify(value ?? null, (_key, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(byKey)) : each,
  )
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function print(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`the value ${JSON.stringify(value)} is no text: use toJson`)
}

function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value)
}
