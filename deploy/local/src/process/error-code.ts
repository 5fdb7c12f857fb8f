/**
 * Returns the property `code` of an error of Node or Postgres. A test with `instanceof` fails under
 * Jest, where errors of Node belong to another JavaScript realm.
 */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined
}
