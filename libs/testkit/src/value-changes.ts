/** Changes of a list of values in an event, such as `changes.flags` of `messageUpdated`. */
export interface ValueChanges {
  added: string[]
  removed: string[]
  value: string[]
}

/**
 * Returns the list of values (such as flags) after a change. Throws if the change is empty, adds or
 * removes a value twice, or contradicts the given list. `name` appears in error messages.
 */
export function applyChanges(
  name: string,
  before: readonly string[],
  { added, removed, value }: ValueChanges,
): string[] {
  if (added.length + removed.length === 0) throw new Error(`empty change of ${name}`)
  if (added.some((each) => before.includes(each))) throw new Error(`added twice to ${name}`)
  if (removed.some((each) => !before.includes(each))) throw new Error(`removed twice from ${name}`)
  const expected = [...before.filter((each) => !removed.includes(each)), ...added].sort()
  assertSame(`changed value of ${name}`, value, expected)
  return value
}

/** Throws if two values of a test differ as JSON. `name` appears in the error message. */
export function assertSame(name: string, actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (one !== other) throw new Error(`${name}: ${one} instead of ${other}`)
}
