import { operations, type Submission } from '@posthorn/contracts'
import { handle } from '../../http/route.ts'
import { assertProxyAllowed, checkSubmission } from './check-submission.ts'
import {
  resolveSubmission,
  type ResolveDeps,
  type ResolvedSubmission,
} from '../../composing/resolve-submission.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import { linkUseOf } from '../../composing/link-use.ts'
import {
  getSender,
  OutboxWriter,
  type OutboxWriterDeps,
  type SendOptions,
} from './outbox-writer.ts'
import { submitMerge } from './submit-merge.ts'
import { submitSingle } from './submit-single.ts'

export type Deps = ResolveDeps & OutboxWriterDeps

/** Takes messages for sending. They are stored before we answer; the hint only saves the sender's sweep its time. */
export function onSubmitMessage(deps: Deps) {
  const { db, renderer } = deps
  const queue = new OutboxWriter(deps)
  return handle(operations.submitMessage, async (input) => {
    const { params, query, body: submission } = input
    checkSubmission(submission)
    assertProxyAllowed(submission, input.caller)
    const once = submission.dryRun ? undefined : idempotencyKeyOf('submitMessage', input)
    const known = await queue.findResponse(once)
    if (known) return known
    const owner = await getSender(db, params.account, submission)
    using held = new DisposableStack()
    const gathered = await resolveSubmission(deps, input, { owner, held })
    const { useStructuredFormat } = query
    const sending = { ...sendingOf(gathered), once, useStructuredFormat }
    const tools = { db, queue, renderer, links: await linkUseOf(deps, gathered) }
    const submitGathered = submission.mailMerge ? submitMerge : submitSingle
    return await submitGathered(tools, gathered, sending)
  })
}

function sendingOf({ account, owner, submission, original }: ResolvedSubmission): SendOptions {
  const filing = original ? referenceOf(submission) : {}
  return { account, owner, options: submission, filing }
}

function referenceOf({ reference }: Submission): SendOptions['filing'] & object {
  const { message, action = 'reply' } = reference ?? {}
  return message === undefined ? {} : { reference: { message, action } }
}
