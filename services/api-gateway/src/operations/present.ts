type Present<T> = {
  [K in keyof T as T[K] extends NonNullable<T[K]> ? K : never]: T[K]
} & { [K in keyof T as T[K] extends NonNullable<T[K]> ? never : K]?: NonNullable<T[K]> }

/**
 * Drops the members of a row of columns that are undefined or null, unlike `defined`, which keeps
 * null.
 */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(entries) as Present<T>
}
