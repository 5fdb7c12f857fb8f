/**
 * Failure of a server that this process needs, such as Postgres. Code inside the process handles
 * the error like an unknown error: temporary. In API responses and bus replies the error becomes an
 * AppError `unavailable`.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}
