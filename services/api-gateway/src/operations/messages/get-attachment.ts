import { getAttachment, operations } from '@posthorn/contracts'
import { type WorkerDeps, streamFromWorker } from '../../http/call-worker.ts'
import { handleEventStream } from '../../http/route.ts'
import { sendStream } from '../../http/send-stream.ts'
import { contentHead } from './content-head.ts'

export function onGetAttachment(deps: WorkerDeps) {
  return handleEventStream(operations.getAttachment, async (input) => {
    const { response: head, body } = await streamFromWorker(deps, input, [
      getAttachment,
      input.params,
    ])
    return (response) => sendStream(response, contentHead(head), body)
  })
}
