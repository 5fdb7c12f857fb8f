const end = '{{- end }}'

/**
 * Joins consecutive Helm template blocks that have equal conditions, so that templates are easier
 * to read.
 */
export function joinConditions(text: string): string {
  const result: string[] = []
  /**
   * Conditions of the open `if` blocks of a Helm template. The entry of a block becomes undefined
   * when the block has an `else`.
   */
  const open: (string | undefined)[] = []
  let closed: string | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('{{- if ') && line === closed) {
      result.pop()
      open.push(closed)
      closed = undefined
      continue
    }
    closed = line === end ? open.pop() : undefined
    if (/^\{\{- (?:if|range) /.test(line)) open.push(line)
    if (line.startsWith('{{- else')) open[open.length - 1] = undefined
    result.push(line)
  }
  return result.join('\n')
}
