import type { Operation } from '../define.ts'
import { allOperations } from '../operations/index.ts'

/** API operation as the page for new access tokens lists it: the operation without its schemas. */
export type TokenOperation = Pick<
  Operation,
  'id' | 'method' | 'path' | 'tag' | 'summary' | 'scope' | 'permission' | 'boundBy'
>

/**
 * Lists the API operations that access tokens of the scope `api` can call. The build of the
 * administration pages stores the list, because the schemas are too large for a page.
 */
export function listTokenOperations(): TokenOperation[] {
  return allOperations
    .filter(({ scope, hidden }) => scope === 'api' && hidden !== true)
    .map(({ id, method, path, tag, summary, scope, permission, boundBy }) => ({
      id,
      method,
      path,
      tag,
      summary,
      scope,
      permission,
      ...(boundBy && { boundBy }),
    }))
}
