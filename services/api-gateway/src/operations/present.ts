type Present<T> = {
  [K in keyof T as T[K] extends NonNullable<T[K]> ? K : never]: T[K]
} & { [K in keyof T as T[K] extends NonNullable<T[K]> ? never : K]?: NonNullable<T[K]> }

/** Variant of `defined` for columns of a row: drops the members that are null, too. */
export function present<T extends object>(members: T): Present<T> {
  const entries = Object.entries(members).filter(([, value]) => (value ?? null) !== null)
  return Object.fromEntries(entries) as Present<T>
}
