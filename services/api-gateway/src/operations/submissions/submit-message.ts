import { operations, type Submission } from '@posthorn/contracts'
import { handle } from '../handle.ts'
import { assertProxyAllowed, checkSubmission } from './check-submission.ts'
import { gather, type GatherDeps, type Gathered } from './gather.ts'
import { onceKeyOf } from './idempotency.ts'
import { linkUseOf } from './link-use.ts'
import { getSender, Queue, type QueueDeps, type Sending } from './queue.ts'
import { submitMerge } from './submit-merge.ts'
import { submitSingle } from './submit-single.ts'

export type Deps = GatherDeps & QueueDeps

/** Takes messages for sending. They are stored before we answer; the hint only saves the sender's sweep its time. */
export function onSubmitMessage(deps: Deps) {
  const { db, renderer } = deps
  const queue = new Queue(deps)
  return handle(operations.submitMessage, async (input) => {
    const { params, query, body: submission } = input
    checkSubmission(submission)
    assertProxyAllowed(submission, input.caller)
    const once = submission.dryRun ? undefined : onceKeyOf('submitMessage', input)
    const known = await queue.known(once)
    if (known) return known
    const owner = await getSender(db, params.account, submission)
    using held = new DisposableStack()
    const gathered = await gather(deps, input, { owner, held })
    const { useStructuredFormat } = query
    const sending = { ...sendingOf(gathered), once, useStructuredFormat }
    const tools = { db, queue, renderer, links: await linkUseOf(deps, gathered) }
    const submitGathered = submission.mailMerge ? submitMerge : submitSingle
    return await submitGathered(tools, gathered, sending)
  })
}

function sendingOf({ account, owner, submission, original }: Gathered): Sending {
  const filing = original ? referenceOf(submission) : {}
  return { account, owner, how: submission, filing }
}

function referenceOf({ reference }: Submission): Sending['filing'] & object {
  const { message, action = 'reply' } = reference ?? {}
  return message === undefined ? {} : { reference: { message, action } }
}
