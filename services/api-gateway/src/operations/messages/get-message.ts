import { getMessage, operations } from '@posthorn/contracts'
import { type WorkerDeps, callWorker } from '../../http/call-worker.ts'
import { assertPermitted } from '../../access/admit.ts'
import { handle } from '../../http/route.ts'

/** What marking a message as read asks of a token, beyond reading it. */
const marking = { action: 'write', group: 'message' } as const

export function onGetMessage(deps: WorkerDeps) {
  return handle(operations.getMessage, async (input) => {
    if (input.query.markAsSeen) assertPermitted(input.caller.token, marking)
    // Safe HTML is always prepared: there is nothing left to ask for.
    const { preProcessHtml: _always, ...asked } = input.query
    return callWorker(deps, input, [getMessage, { ...input.params, ...asked }])
  })
}
