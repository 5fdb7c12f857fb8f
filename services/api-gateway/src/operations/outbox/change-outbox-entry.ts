import type { Bus } from '@posthorn/bus'
import { changeOutbox, type CommandRequest, operations } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { handle, type Route } from '../../http/route.ts'

export interface Deps {
  bus: Bus
  timeoutMs: number
}

type Action = CommandRequest<typeof changeOutbox>['action']
interface Asked {
  params: { queueId: string }
  headers: { 'x-svc-timeout'?: number }
  signal: AbortSignal
}

/** What is asked of a message that waits. A sender does it: nobody else changes the outbox. */
export function onChangeOutboxEntry(deps: Deps): Route[] {
  return [
    handle(operations.deleteOutboxEntry, async (asked) => {
      await change(deps, asked, 'delete')
      return { deleted: true }
    }),
    handle(operations.holdOutboxEntry, async (asked) => {
      await change(deps, asked, 'hold')
      return { held: true }
    }),
    handle(operations.releaseOutboxEntry, async (asked) => {
      await change(deps, asked, 'release')
      return { released: true }
    }),
    handle(operations.sendOutboxEntry, async (asked) => {
      await change(deps, asked, 'send')
      return { due: true }
    }),
  ]
}

async function change(
  { bus, timeoutMs }: Deps,
  { params: { queueId }, headers, signal }: Asked,
  action: Action,
): Promise<void> {
  const limit = Math.max(timeoutMs, headers['x-svc-timeout'] ?? 0)
  const how = { key: 'outbox', timeoutMs: limit, signal }
  const { result } = await bus.request(changeOutbox, { queueId, action }, how)
  if (result === 'missing')
    throw new AppError('not-found', 'No such message waits to be sent', { code: 'NotFound' })
  if (result === 'busy')
    throw new AppError('invalid', 'The message is being delivered at this moment', {
      code: 'UnsupportedOperation',
    })
}
