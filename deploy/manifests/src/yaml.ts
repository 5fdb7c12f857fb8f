import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Path } from './schema/path.ts'

/** Document of a YAML file with the lines of its values. */
export interface SourceDocument {
  content: unknown
  /**
   * Returns the line of the value at a path in the YAML document. If the path does not exist,
   * returns the line of the closest existing parent. `depth` is the number of keys of the path that
   * exist.
   */
  lineOf(path: Path): { line: number; depth: number }
}

/**
 * Parses all documents of a YAML file. Empty documents are left out.
 *
 * @throws Error with line and column for invalid YAML
 */
export function parseYaml(text: string): SourceDocument[] {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, merge: true })
  return [...documents].flatMap((document) => {
    const [error] = document.errors
    if (error) throw error
    const content: unknown = document.toJS()
    if (content === null) return []
    const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node)
    const lineOf = (path: Path) => {
      const offsets = offsetsOf(document.contents, path, resolve)
      const { line } = lines.linePos(offsets.at(-1) ?? document.range[0])
      return { line, depth: offsets.length - 1 }
    }
    return [{ content, lineOf }]
  })
}

type Resolve = (node: unknown) => unknown

/**
 * Returns the character offsets of the keys of a path in the YAML text, after the offset of the
 * root. Stops at the first key that does not exist.
 */
function offsetsOf(root: unknown, path: Path, resolve: Resolve): number[] {
  const offsets = [offsetOf(root)]
  let node = resolve(root)
  for (const key of path) {
    const child = childOf(node, key, resolve)
    if (!child) break
    offsets.push(child.offset)
    node = resolve(child.node)
  }
  return offsets
}

function childOf(
  node: unknown,
  key: string | number,
  resolve: Resolve,
): { offset: number; node: unknown } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)]
    return item === undefined ? undefined : { offset: offsetOf(item), node: item }
  }
  if (!isMap(node)) return undefined
  const pairs = node.items.flatMap(({ key: name, value }) =>
    isScalar(name) ? [{ name, value }] : [],
  )
  const pair = pairs.find(({ name }) => String(name.value) === String(key))
  if (pair) return { offset: offsetOf(pair.name), node: pair.value }
  // A merge key `<<` is recognized by its value: the YAML parser represents the merge key as a
  // symbol.
  const merged = pairs.find(({ name }) => typeof name.value === 'symbol')
  return merged && childOf(resolve(merged.value), key, resolve)
}

function offsetOf(node: unknown): number {
  const range = (node as { range?: readonly number[] } | null)?.range
  return range?.[0] ?? 0
}
