/** Path to a value in a YAML document: the keys and indexes from the root to the value. */
export type Path = readonly (string | number)[]

/** Fault at one position of a YAML document. */
export interface Fault {
  path: Path
  text: string
}

/** Path of a value in a YAML document as text: `spec.ports[0].name`. */
export function formatPath(path: Path): string {
  return path
    .map((key) =>
      typeof key === 'number' ? `[${key}]` : /^[\w-]+$/.test(key) ? `.${key}` : `["${key}"]`,
    )
    .join('')
    .replace(/^\./, '')
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
