/**
 * Error about a single value in EmailEngine's store, for which only the entity with the value is
 * skipped.
 */
export class UnreadableError extends Error {
  override name = 'UnreadableError'
}
