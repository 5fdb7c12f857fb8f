import { AppError, type ErrorExtras, type ErrorKind, toAppError } from './app-error.ts'

/** An error as it crosses the bus. The cause stays where it happened. */
export interface WireError {
  kind: ErrorKind
  message: string
  code?: string
  extras?: ErrorExtras
}

/** What a reply carries instead of a result. An unforeseen error loses its text here: it may name hosts or secrets. */
export function errorToWire(error: unknown): WireError {
  const { kind, message, code, extras } = toAppError(error)
  return {
    kind,
    message,
    ...(code === undefined ? {} : { code }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  }
}

export function errorFromWire({ kind, message, code, extras }: WireError): AppError {
  return new AppError(kind, message, {
    ...(code === undefined ? {} : { code }),
    ...(extras === undefined ? {} : { extras }),
  })
}
