/**
 * Type of the result of `defined`, which removes undefined members: each member that may be
 * undefined becomes optional.
 */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/**
 * Types that a member of the argument of `defined` may have. This constraint makes TypeScript infer
 * literal types, so that `{ kind: 'x' }` does not widen to `{ kind: string }`.
 */
type Literal = string | number | bigint | boolean | symbol | null | undefined | object

/**
 * Removes the undefined members of an object, so that optional fields are absent. Nested objects
 * are not changed. If no member is undefined, returns the given object itself instead of a copy.
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
