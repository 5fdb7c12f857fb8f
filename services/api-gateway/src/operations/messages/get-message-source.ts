import { getMessageSource, operations } from '@posthorn/contracts'
import { type AskDeps, askWorkerForStream } from '../ask-worker.ts'
import { handleStream } from '../handle.ts'

export function onGetMessageSource(deps: AskDeps) {
  return handleStream(operations.getMessageSource, async (input) => {
    const { body } = await askWorkerForStream(deps, input, [getMessageSource, input.params])
    return body
  })
}
