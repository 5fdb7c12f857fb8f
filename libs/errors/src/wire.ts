import { AppError, type ErrorExtras, type ErrorKind, toAppError } from './app-error.ts'

/** Error as it is sent in a RabbitMQ message, without its cause. */
export interface WireError {
  kind: ErrorKind
  message: string
  code?: string
  extras?: ErrorExtras
  status?: number
}

/**
 * Converts an error to the form that is sent in a RabbitMQ reply. The text of an error that is no
 * AppError is replaced, because the text may contain host names or secrets.
 */
export function errorToWire(error: unknown): WireError {
  const { kind, message, code, extras, status } = toAppError(error)
  return {
    kind,
    message,
    ...(code === undefined ? {} : { code }),
    ...(Object.keys(extras).length === 0 ? {} : { extras }),
    ...(status === undefined ? {} : { status }),
  }
}

/** Restores the error that a reply on RabbitMQ contains. */
export function errorFromWire({ kind, message, code, extras, status }: WireError): AppError {
  return new AppError(kind, message, { code, extras, status })
}
