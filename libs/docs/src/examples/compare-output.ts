import { isDeepStrictEqual } from 'node:util'
import type { ExpectedOutput } from './read-examples.ts'

/**
 * Text that stands for any text in an expected output of a documentation example, and for any value
 * as a whole JSON text.
 */
const anything = '…'

/**
 * Compares the output of an example with the output that a documentation page shows. Returns the
 * difference, or undefined if there is none. Text may have further white space at the ends of
 * lines. JSON may have further members, and further items of a list whose last item is `…`.
 */
export function findDifference(
  { format, text }: Pick<ExpectedOutput, 'format' | 'text'>,
  actual: string,
): string | undefined {
  if (format === 'text')
    return matchesText(trimmed(text), trimmed(actual)) ? undefined : 'the text differs'
  const expected = parse(text)
  if (expected === undefined) return 'the expected output is not JSON'
  const value = parse(actual)
  return value === undefined
    ? 'the output is not JSON'
    : findJsonDifference(expected.value, value.value, 'the output')
}

function trimmed(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, '').trim()
}

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function matchesText(pattern: string, text: string): boolean {
  const parts = pattern
    .split(anything)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('[^]*')}$`).test(text)
}

function findJsonDifference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (expected === anything) return undefined
  if (typeof expected === 'string' && typeof actual === 'string')
    return matchesText(expected, actual) ? undefined : `${path} differs`
  if (Array.isArray(expected))
    return Array.isArray(actual)
      ? findListDifference(expected, actual, path)
      : `${path} is not a list`
  if (typeof expected === 'object' && expected !== null)
    return isObject(actual)
      ? findObjectDifference(expected, actual, path)
      : `${path} is not an object`
  return isDeepStrictEqual(expected, actual) ? undefined : `${path} differs`
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function findListDifference(
  expected: readonly unknown[],
  actual: readonly unknown[],
  path: string,
): string | undefined {
  const isOpen = expected.at(-1) === anything
  const items = isOpen ? expected.slice(0, -1) : expected
  if (actual.length < items.length || (!isOpen && actual.length > items.length))
    return `${path} has ${actual.length} items instead of ${items.length}`
  return items
    .map((item, index) => findJsonDifference(item, actual[index], `${path}[${index}]`))
    .find((difference) => difference !== undefined)
}

function findObjectDifference(expected: object, actual: object, path: string): string | undefined {
  const members = new Map(Object.entries<unknown>({ ...actual }))
  return Object.entries<unknown>({ ...expected })
    .map(([name, value]) =>
      members.has(name)
        ? findJsonDifference(value, members.get(name), `${path}.${name}`)
        : `${path} has no ${name}`,
    )
    .find((difference) => difference !== undefined)
}
