const end = '{{- end }}'

/**
 * Joins template blocks with the same condition that follow each other, so that templates are
 * readable.
 */
export function joinConditions(text: string): string {
  const result: string[] = []
  /** Conditions of the open template blocks; undefined once a block has an `else`. */
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
