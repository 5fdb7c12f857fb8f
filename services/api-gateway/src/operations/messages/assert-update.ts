import { type FlagUpdate, fieldError, validationError } from '@posthorn/contracts'

/**
 * What replaces everything cannot add or take away as well.
 *
 * @throws AppError `invalid` with `fields`
 */
export function assertUpdate({ flags, labels }: FlagUpdate, at = ''): void {
  const fields = Object.entries({ flags, labels }).flatMap(([name, steps]) =>
    steps?.set && (steps.add ?? steps.delete)
      ? [fieldError(`${at}${name}.set`, 'cannot be combined with "add" or "delete"')]
      : [],
  )
  if (fields.length > 0) throw validationError(fields)
}
