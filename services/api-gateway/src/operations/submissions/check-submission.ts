import { type FieldError, fieldError } from '@posthorn/contracts/describe-error'
import { maxRecipients } from '@posthorn/contracts/schemas/content'
import type { Dsn } from '@posthorn/contracts/schemas/dsn'
import type { Submission } from '@posthorn/contracts/schemas/submission'
import { validationError } from '@posthorn/contracts/validate'
import { AppError } from '@posthorn/errors'
import type { Caller } from '../../access/authenticate.ts'
import { attachmentFields } from '../../composing/attachments.ts'
import { assertNoThread, referenceFields } from '../../composing/references.ts'

/**
 * Fields of a submission that are not allowed with a raw message, because the raw message has its
 * own values for the fields, or because the fields would change its bytes.
 */
const notBesideRaw = ['text', 'html', 'attachments', 'previewText', 'template', 'render'] as const
/**
 * Fields of a submission that are not allowed with a mail merge, because each recipient of the
 * merge has its own.
 */
const notBesideMerge = ['envelope', 'raw', 'to', 'cc', 'bcc', 'messageId', 'render'] as const

/** Checks submission fields that exclude or require each other, which the schema cannot express. */
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
  const beside = (names: readonly (keyof Submission)[], other: string) =>
    names
      .filter((name) => submission[name] !== undefined)
      .map((name) => fieldError(name, `is not allowed beside "${other}"`))
  if (submission.mailMerge) return beside(notBesideMerge, 'mailMerge')
  if (submission.raw === undefined) return []
  const tracked = (['trackOpens', 'trackClicks', 'trackingEnabled'] as const)
    .filter((name) => submission[name] === true)
    .map((name) => fieldError(name, 'is not allowed beside "raw": its bytes stay as they are'))
  return [...beside(notBesideRaw, 'raw'), ...tracked]
}

/**
 * Field errors for too many recipients of a submission. The schema limits each list of recipients;
 * this function limits all lists together. A submission without recipients is detected later,
 * because a reply adds recipients.
 */
export function recipientFields({ to, cc, bcc, envelope }: Submission): FieldError[] {
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

/**
 * Field errors for the delivery status notification options of a submission. RFC 3461 §4.1: NEVER
 * excludes all other keywords.
 */
export function dsnFields(dsn: Dsn | undefined): FieldError[] {
  const { notify = [] } = dsn ?? {}
  return notify.includes('never') && notify.length > 1
    ? [fieldError('dsn.notify', 'must not name anything beside "never"')]
    : []
}

/**
 * Rejects a proxy in a submission with a restricted access token: the proxy can read the
 * credentials of the account.
 */
export function assertProxyAllowed({ proxy }: { proxy?: string }, { token }: Caller): void {
  if (proxy === undefined || !token) return
  if (token.permissions)
    throw new AppError('forbidden', 'A token with restricted permissions can not set a proxy')
  if (token.account !== null)
    throw new AppError('forbidden', 'A token that is bound to an account can not set a proxy')
}
