import { incompleteResponse } from '../mail-api/errors.ts'
import { assertGraphForm } from './form.ts'

/**
 * Entries of a page of a Graph list. Graph may send status 200 although it could not read an entry;
 * such an entry has an `error` or no id. Without this check, the message would be missing from the
 * list, and a cursor would move past it.
 *
 * @throws MailApiError `unavailable`
 */
export function entriesOf<T extends { id?: string }>({ value }: { value?: T[] }): T[] {
  if (!Array.isArray(value)) throw incompleteResponse('The provider sent no list')
  if (value.some((entry) => Object(entry) !== entry || Object.hasOwn(entry, 'error')))
    throw incompleteResponse('The provider sent an error instead of an entry')
  if (value.some(({ id }) => !id))
    throw incompleteResponse('The provider sent an entry without an id')
  return value
}

/**
 * Checks the form of a page of a Graph list, as part of a request. The request is repeated like
 * after other temporary failures, because an entry may be damaged for seconds only.
 *
 * @throws MailApiError `unavailable`
 */
export function assertEntries(page: unknown): asserts page is object {
  assertGraphForm(page)
  entriesOf(page)
}
