import { AppError, type ErrorExtras, type ErrorKind, toAppError } from './app-error.ts'

/** Error in a bus message, without its cause. */
export interface WireError {
  kind: ErrorKind
  message: string
  code?: string
  extras?: ErrorExtras
}

/**
 * Converts an error for a reply. The text of an error other than AppError is replaced, because it
 * may contain host names or secrets.
 */
export function errorToWire(error: unknown): WireError {
  const { kind, message, code, extras } = toAppError(error)
  return {
    kind,
    message,
    ...(code === undefined ? {} : { code }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
  }
}

/** Restores the error of a reply. */
export function errorFromWire({ kind, message, code, extras }: WireError): AppError {
  return new AppError(kind, message, { code, extras })
}
