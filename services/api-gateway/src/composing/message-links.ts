import { fieldError, validationError, type Submission } from '@posthorn/contracts'
import type { SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type LinkKeys, listHeaders, type ListLinks, trackHtml } from '@posthorn/links'
import type { ResolvedSubmission } from './resolve-submission.ts'

/** Adds links of this service to a message: tracking of opens and clicks, and unsubscribe links. */
export interface MessageLinks {
  /** Base URL of the links; null if unknown. */
  serviceUrl: string | null
  track(html: string, messageId: string): string
  /** Undefined if the message belongs to no list. */
  list(recipient: string, messageId: string): ListLinks | undefined
}

export interface LinkDeps {
  settings: SettingsCache
  links: LinkKeys
}

/**
 * Creates the links of a submission. Requests the signing key only if there are links to sign.
 *
 * @throws AppError `invalid` or `MissingServiceURLSetup` if links are needed without a base URL
 */
export async function createMessageLinks(
  { settings, links }: LinkDeps,
  resolved: ResolvedSubmission,
): Promise<MessageLinks> {
  const { account, submission } = resolved
  const { serviceUrl, ...defaults } = await settings.get()
  const baseUrl = submission.baseUrl ?? serviceUrl
  const { listId } = submission
  const { opens, clicks } = trackingOf(submission, defaults)
  const tracks = mayHaveHtml(resolved) && (opens || clicks)
  if (!tracks && listId === undefined) return { ...noLinks, serviceUrl: baseUrl ?? null }
  if (baseUrl === undefined) throw missingBaseUrl(submission)
  const link = { baseUrl, key: await links.current(), account }
  return {
    serviceUrl: baseUrl,
    track: (html, messageId) =>
      tracks ? trackHtml(html, { ...link, messageId, opens, clicks }) : html,
    list: (recipient, messageId) =>
      listId === undefined ? undefined : listHeaders({ ...link, listId, recipient, messageId }),
  }
}

const noLinks = { track: (html: string) => html, list: () => undefined }

function trackingOf(
  { trackOpens, trackClicks, trackingEnabled, dryRun, raw }: Submission,
  defaults: { trackOpens?: boolean; trackClicks?: boolean },
) {
  if (dryRun || raw !== undefined) return { opens: false, clicks: false }
  return {
    opens: trackOpens ?? trackingEnabled ?? defaults.trackOpens ?? false,
    clicks: trackClicks ?? trackingEnabled ?? defaults.trackClicks ?? false,
  }
}

function mayHaveHtml({ texts, submission: { reference }, original }: ResolvedSubmission): boolean {
  return Boolean(texts.html) || (reference?.inline === true && original !== undefined)
}

/** The client can add a base URL for links it requested; the operator for links of the settings. */
function missingBaseUrl({
  listId,
  trackOpens,
  trackClicks,
  trackingEnabled,
}: Submission): AppError {
  const isRequested = listId !== undefined || trackOpens || trackClicks || trackingEnabled
  return isRequested
    ? validationError([
        fieldError('baseUrl', 'is required, as the service has no address of its own'),
      ])
    : new AppError('internal', 'Tracking is enabled and the setting "serviceUrl" is not set', {
        code: 'MissingServiceURLSetup',
      })
}
