import { operations } from '@posthorn/contracts'
import type { Autoconfig } from '../../autoconfig/autoconfig.ts'
import { handle } from '../../http/route.ts'

export function onGetAutoconfig({ autoconfig }: { autoconfig: Autoconfig }) {
  return handle(operations.getAutoconfig, ({ query, signal }) => autoconfig(query.email, signal))
}
