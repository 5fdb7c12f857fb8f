/** Result of `defined`: members that may be undefined become optional. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/**
 * Types that a member may have. They keep literal types of members, so that `{ kind: 'x' }` does
 * not widen to `{ kind: string }`.
 */
type Literal = string | number | bigint | boolean | symbol | null | undefined | object

/**
 * Drops the undefined members of an object, not of nested objects: optional fields are absent
 * instead of undefined. Returns the argument itself if nothing is undefined, so pass a fresh
 * literal.
 */
export function defined<V extends Literal, T extends { [K in keyof T]: V }>(members: T) {
  for (const key in members) if (members[key] === undefined) return copyDefined(members)
  return members as unknown as Defined<T>
}

function copyDefined<T extends object>(members: T): Defined<T> {
  const copy: Partial<T> = {}
  for (const key in members) if (members[key] !== undefined) copy[key] = members[key]
  return copy as unknown as Defined<T>
}
