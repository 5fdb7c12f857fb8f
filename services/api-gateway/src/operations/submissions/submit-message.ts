import { operations, type Submission } from '@posthorn/contracts'
import type { Renderer } from '@posthorn/templates'
import { createMessageLinks, type LinkDeps } from '../../composing/message-links.ts'
import {
  type ResolveDeps,
  type ResolvedSubmission,
  resolveSubmission,
} from '../../composing/resolve-submission.ts'
import { handle } from '../../http/handle.ts'
import { assertProxyAllowed, checkSubmission } from './check-submission.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'
import {
  getSender,
  OutboxWriter,
  type OutboxWriterDeps,
  type SendOptions,
} from './outbox-writer.ts'
import { submitMerge } from './submit-merge.ts'
import { submitSingle } from './submit-single.ts'

export type SubmitDeps = ResolveDeps & LinkDeps & OutboxWriterDeps & { renderer: Renderer }

/** Stores messages for sending. The response confirms storage; a lost hint only delays the sender. */
export function onSubmitMessage(deps: SubmitDeps) {
  const { db, renderer } = deps
  const writer = new OutboxWriter(deps)
  return handle(operations.submitMessage, async (input) => {
    const { params, query, body: submission } = input
    checkSubmission(submission)
    assertProxyAllowed(submission, input.caller)
    const idempotencyKey = submission.dryRun ? undefined : idempotencyKeyOf('submitMessage', input)
    const earlier = await writer.findResponse(idempotencyKey)
    if (earlier) return earlier
    const owner = await getSender(db, params.account, submission)
    using held = new DisposableStack()
    const resolved = await resolveSubmission(deps, input, { owner, held })
    const { useStructuredFormat } = query
    const options = { ...sendOptionsOf(resolved), idempotencyKey, useStructuredFormat }
    const tools = { db, writer, renderer, links: await createMessageLinks(deps, resolved) }
    const submitResolved = submission.mailMerge ? submitMerge : submitSingle
    return await submitResolved(tools, resolved, options)
  })
}

function sendOptionsOf({ account, owner, submission, original }: ResolvedSubmission): SendOptions {
  const filing = original ? referenceFiling(submission) : {}
  return { account, owner, options: submission, filing }
}

function referenceFiling({ reference }: Submission): SendOptions['filing'] & object {
  const { message, action = 'reply' } = reference ?? {}
  return message === undefined ? {} : { reference: { message, action } }
}
