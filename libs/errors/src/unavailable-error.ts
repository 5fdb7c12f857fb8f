/**
 * Failure of a server that this process needs, such as Postgres. Code inside the process handles
 * the error like an unknown error: temporary. At the edge it becomes an AppError `unavailable`.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}
