/** Error about a single value in the store, for which only the entity with the value is skipped. */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}
