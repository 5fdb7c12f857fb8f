import {
  type Dsn,
  type FieldError,
  fieldError,
  validationError,
  maxRecipients,
  type Submission,
} from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { Caller } from '../../access/token.ts'
import { assertNoThread, attachmentFields, referenceFields } from '../../composing/check-content.ts'

/** What a raw message brings itself, or what would have to be put into its bytes. */
const notBesideRaw = ['text', 'html', 'attachments', 'previewText', 'template', 'render'] as const
/** What every recipient of a mail merge has for themselves. */
const notBesideMerge = ['envelope', 'raw', 'to', 'cc', 'bcc', 'messageId', 'render'] as const

/** What the schema cannot say: which fields exclude each other, and which need each other. */
export function checkSubmission(submission: Submission): void {
  const fields = [
    ...exclusions(submission),
    ...recipientFields(submission),
    ...attachmentFields(submission.attachments),
    ...referenceFields(submission.reference),
    ...dsnFields(submission.dsn),
  ]
  if (fields.length > 0) throw validationError(fields)
  assertNoThread(submission.reference)
}

function exclusions(submission: Submission): FieldError[] {
  const beside = (names: readonly (keyof Submission)[], what: string) =>
    names
      .filter((name) => submission[name] !== undefined)
      .map((name) => fieldError(name, `is not allowed beside "${what}"`))
  if (submission.mailMerge) return beside(notBesideMerge, 'mailMerge')
  if (submission.raw === undefined) return []
  const tracked = (['trackOpens', 'trackClicks', 'trackingEnabled'] as const)
    .filter((name) => submission[name] === true)
    .map((name) => fieldError(name, 'is not allowed beside "raw": its bytes stay as they are'))
  return [...beside(notBesideRaw, 'raw'), ...tracked]
}

/** Schemas bound each list; this bounds them together. Nobody at all is found out once it is known whom a reply goes to. */
function recipientFields({ to, cc, bcc, envelope }: Submission): FieldError[] {
  if (envelope?.to?.length === 0)
    return [fieldError('envelope.to', 'must name at least one recipient')]
  let count = 0
  for (const [name, list] of Object.entries({ to, cc, bcc })) {
    count += list?.length ?? 0
    if (count > maxRecipients)
      return [fieldError(name, `must not bring the recipients above ${maxRecipients}`)]
  }
  return []
}

/** RFC 3461 §4.1: NEVER stands alone. */
export function dsnFields(dsn: Dsn | undefined): FieldError[] {
  const { notify = [] } = dsn ?? {}
  return notify.includes('never') && notify.length > 1
    ? [fieldError('dsn.notify', 'must not name anything beside "never"')]
    : []
}

/** Whoever may choose a proxy sees what goes through it, credentials of the account included. */
export function assertProxyAllowed({ proxy }: { proxy?: string }, { token }: Caller): void {
  if (proxy === undefined || !token) return
  if (token.permissions)
    throw new AppError('forbidden', 'A token with restricted permissions can not set a proxy')
  if (token.account !== null)
    throw new AppError('forbidden', 'A token that is bound to an account can not set a proxy')
}
