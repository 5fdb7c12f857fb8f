/**
 * Returns the `code` of an error of Node or Postgres. `instanceof` does not work: under Jest,
 * errors of Node belong to another realm.
 */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined
}
