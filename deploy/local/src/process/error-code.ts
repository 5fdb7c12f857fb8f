/** The `code` of an error of Node or Postgres. Not by `instanceof`: under Jest, errors of Node itself are of another realm's Error. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error
    ? String(error.code)
    : undefined
}
