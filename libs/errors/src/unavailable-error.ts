/**
 * Error for a server that this process needs and that has failed, such as Postgres. Code inside the
 * process treats the error as temporary, like an unknown error. In API responses and bus replies
 * the error becomes an AppError of the kind `unavailable`.
 */
export class UnavailableError extends Error {
  override name = 'UnavailableError'
}
