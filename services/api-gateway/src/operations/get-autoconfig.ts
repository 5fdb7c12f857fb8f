import { operations } from '@posthorn/contracts/operations'
import { handle } from '../http/handle.ts'
import type { OperationDeps } from './operation-deps.ts'

/** Finds the servers of an address. */
export function onGetAutoconfig({ autoconfig }: Pick<OperationDeps, 'autoconfig'>) {
  return handle(operations.getAutoconfig, ({ query, signal }) => autoconfig(query.email, signal))
}
