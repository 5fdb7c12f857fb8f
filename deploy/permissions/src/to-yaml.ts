/** Value in a generated Kubernetes manifest: a scalar, a list or a map. */
export type Yaml = string | number | boolean | readonly Yaml[] | { readonly [key: string]: Yaml }

/**
 * Converts generated Kubernetes manifests to YAML documents. Objects and lists are written in block
 * style, lists of scalars and empty lists in flow style.
 */
export function toYaml(documents: readonly Yaml[]): string {
  return documents.map((document) => `${lines(document).join('\n')}\n`).join('---\n')
}

function lines(value: Yaml): string[] {
  if (Array.isArray(value) && !isFlow(value)) return value.flatMap((item: Yaml) => listItem(item))
  if (typeof value === 'object' && !isFlow(value))
    return Object.entries(value).flatMap(([key, member]) => property(scalar(key), member))
  return [scalar(value)]
}

function property(key: string, value: Yaml): string[] {
  if (isFlow(value)) return [`${key}: ${scalar(value)}`]
  return [`${key}:`, ...lines(value).map((line) => `  ${line}`)]
}

function listItem(item: Yaml): string[] {
  return lines(item).map((line, index) => `${index === 0 ? '-' : ' '} ${line}`)
}

/** True for values that YAML writes on one line (flow style). */
function isFlow(value: Yaml): boolean {
  if (typeof value !== 'object') return true
  const members = Object.values(value)
  if (members.length === 0) return true
  return Array.isArray(value) && members.every((member) => typeof member !== 'object')
}

function scalar(value: Yaml): string {
  if (Array.isArray(value)) return `[${value.map((item: Yaml) => scalar(item)).join(', ')}]`
  if (typeof value === 'object') return '{}'
  if (typeof value !== 'string') return String(value)
  const isPlain =
    /^[A-Za-z][\w./-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value)
  return isPlain ? value : `'${value.replaceAll("'", "''")}'`
}
