import { getMessageSource, operations } from '@posthorn/contracts'
import { type WorkerDeps, streamFromWorker } from '../../http/call-worker.ts'
import { handleStream } from '../../http/route.ts'

export function onGetMessageSource(deps: WorkerDeps) {
  return handleStream(operations.getMessageSource, async (input) => {
    const { body } = await streamFromWorker(deps, input, [getMessageSource, input.params])
    return body
  })
}
