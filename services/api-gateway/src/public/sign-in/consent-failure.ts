import { defined } from '@posthorn/contracts/defined'
import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import { AppError } from '@posthorn/errors'
import { english, type PageTexts } from '../texts/english.ts'

/** Name of a text that tells the user how to repair a failed OAuth2 consent. */
type Remedy = keyof PageTexts['signIn']['remedies']

/**
 * Remedies of failed OAuth2 consents, by error code of Microsoft (page "Microsoft Entra error
 * codes").
 */
const remediesOfMicrosoft = new Map<string, Remedy>(
  Object.entries({
    AADSTS50011: 'askOperator',
    AADSTS50020: 'useOrganisation',
    AADSTS50105: 'askForAssignment',
    AADSTS53003: 'usePermittedDevice',
    AADSTS65001: 'askAdministrator',
    AADSTS65004: 'acceptPermissions',
    AADSTS650052: 'askAdministrator',
    AADSTS700016: 'askOperator',
    AADSTS7000112: 'askAdministrator',
    AADSTS7000215: 'askOperator',
    AADSTS7000222: 'askOperator',
    AADSTS70011: 'askOperator',
    AADSTS90008: 'askOperator',
    AADSTS90094: 'askAdministrator',
    AADSTS90095: 'askAdministrator',
    AADSTS900941: 'askAdministrator',
  }),
)

/**
 * Remedies of failed OAuth2 consents by error code (RFC 6749 §4.1.2.1 and §5.2; OpenID Connect Core
 * §3.1.2.6; Google).
 */
const remedies = new Map<string, Remedy>(
  Object.entries({
    admin_policy_enforced: 'askAdministrator',
    consent_required: 'askAdministrator',
    interaction_required: 'answerQuestions',
    invalid_client: 'askOperator',
    invalid_scope: 'askOperator',
    org_internal: 'useOrganisation',
    redirect_uri_mismatch: 'askOperator',
    server_error: 'tryLater',
    temporarily_unavailable: 'tryLater',
    unauthorized_client: 'askOperator',
  }),
)

const maxCodeLength = 128
const maxTextLength = 1_000

/**
 * Error that the OAuth2 provider reports in a callback; undefined if it reports none. The error
 * text does not come from a link of a third party, because only the browser that started the
 * sign-in reaches this point.
 */
export function consentFailureIn(query: URLSearchParams): ConsentFailure | undefined {
  const error = query.get('error')
  return error === null ? undefined : failureOf(error, query.get('error_description') ?? '')
}

/**
 * Error that the OAuth2 provider reports when the OAuth2 code is exchanged for tokens. Undefined
 * for other failures.
 */
export function consentFailureOf(error: unknown): ConsentFailure | undefined {
  if (!(error instanceof AppError) || error.kind !== 'rejected') return undefined
  const { code: rejection } = (error.extras.info?.['tokenRequest'] ?? {}) as { code?: unknown }
  return typeof rejection === 'string' ? failureOf(rejection, error.message) : undefined
}

/** Microsoft's error code for a consent that the user cancelled. */
const cancelledAtMicrosoft = 'AADSTS65004'

/**
 * True if the user cancelled the OAuth2 consent. Other errors with the code `access_denied` have a
 * remedy.
 */
export function isCancelled({ error, code, remedy }: ConsentFailure): boolean {
  return error === 'access_denied' && (remedy === undefined || code === cancelledAtMicrosoft)
}

function failureOf(error: string, text: string): ConsentFailure {
  const name = lineOf(error, maxCodeLength) || 'unknown_error'
  // Uses only the first line of a provider's error description. The other lines are request ids and
  // the time.
  const [first = ''] = text.split(/\r\n|\r|\n/)
  const description = lineOf(first, maxTextLength)
  const [code] = /\bAADSTS\d{2,9}\b/.exec(text) ?? []
  const remedy = remedyOf({ error: name, ...defined({ code }) })
  return {
    error: name,
    ...defined({
      description: description || undefined,
      code,
      remedy: remedy && english.signIn.remedies[remedy],
    }),
  }
}

/** Remedy of a failed OAuth2 consent, by the provider's error code; undefined if unknown. */
export function remedyOf({
  error,
  code,
}: Pick<ConsentFailure, 'error' | 'code'>): Remedy | undefined {
  return remediesOfMicrosoft.get(code ?? '') ?? remedies.get(error)
}

function lineOf(text: string, maxLength: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, maxLength)
    .toWellFormed()
    .trim()
}
