type Present<T> = {
  [K in keyof T as T[K] extends NonNullable<T[K]> ? K : never]: T[K]
} & { [K in keyof T as T[K] extends NonNullable<T[K]> ? never : K]?: NonNullable<T[K]> }

/**
 * Copies the members of an object, except members that are null or undefined, such as empty columns
 * of a row.
 */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(entries) as Present<T>
}
