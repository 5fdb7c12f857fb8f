import { getAttachment, operations } from '@posthorn/contracts'
import { type AskDeps, askWorkerForStream } from '../ask-worker.ts'
import { handleOpen } from '../handle.ts'
import { sendStream } from '../send-stream.ts'
import { contentHead } from './content-head.ts'

export function onGetAttachment(deps: AskDeps) {
  return handleOpen(operations.getAttachment, async (input) => {
    const { response: head, body } = await askWorkerForStream(deps, input, [
      getAttachment,
      input.params,
    ])
    return (response) => sendStream(response, contentHead(head), body)
  })
}
