import { fieldError, validationError } from '@posthorn/contracts'

/** Of a whole path, whose levels may be given one by one. */
const maxLength = 1024

/** @throws AppError `invalid` where the levels of a path are too long together */
export function assertLength(field: string, path: string | readonly string[]): void {
  const length = typeof path === 'string' ? path.length : path.join('/').length
  if (length > maxLength)
    throw validationError([
      fieldError(field, `must not have more than ${maxLength} characters in all`),
    ])
}
