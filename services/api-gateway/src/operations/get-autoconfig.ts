import { operations } from '@posthorn/contracts'
import type { Autoconfig } from '../autoconfig/autoconfig.ts'
import { handle } from '../http/handle.ts'

export interface AutoconfigOperationDeps {
  autoconfig: Autoconfig
}

export function onGetAutoconfig({ autoconfig }: AutoconfigOperationDeps) {
  return handle(operations.getAutoconfig, ({ query, signal }) => autoconfig(query.email, signal))
}
